//! A folder of an image as a tree: read once from a container that never runs, from the cache ever after, also where there is no engine any more.

use crate::Shared;
use crate::container::Container;
use crate::error::{failed, status, words};
use crate::settings::Stage;
use assay_rollout::ports::BenchError;
use assay_rollout::repository::{Key, RepositoryError};
use assay_tree::Tree;
use bollard::models::{ContainerCreateBody, HostConfig};
use bollard::query_parameters::DownloadFromContainerOptionsBuilder;
use bytes::{Buf as _, Bytes};
use futures::{FutureExt as _, StreamExt as _};
use std::io::{self, Read};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// Pieces of the stream, of some 32 KiB each, that wait for the disk.
const PIECES_WAITING: usize = 64;
/// A stream that pauses for this long hangs.
const SILENCE: Duration = Duration::from_mins(2);
/// How long reading an image may take in all: gigabytes from a slow disk.
const LIFETIME: Duration = Duration::from_hours(1);

pub(crate) async fn repository(
    shared: &Arc<Shared>,
    image: &str,
    folder: &str,
    keep_out: &[String],
) -> Result<Tree, BenchError> {
    let inside = folder.strip_prefix('/').map(|rest| rest.trim_end_matches('/'));
    let clean = |path: &str| path.split('/').all(|name| !matches!(name, "" | "." | ".."));
    if !inside.is_some_and(clean) || folder.contains('\0') {
        return Err(BenchError::Invalid { why: format!("the folder {folder:?} is not an absolute path below /") });
    }
    let id = image_id(shared, image).await?;
    let words = ["image", &id, folder].into_iter().chain(keep_out.iter().map(String::as_str));
    let key = Key::of(words.clone());
    let flight_key = words.collect::<Vec<_>>().join("\0");
    let (this, name, folder, keep_out) = (shared.clone(), image.to_owned(), folder.to_owned(), keep_out.to_vec());
    let flight = || {
        async move {
            let cache = this.cache.clone();
            match blocking(move || cache.find(key)).await? {
                Some(tree) => Ok(tree),
                None => {
                    this.settings.tell(&name, Stage::Reading);
                    let _busy = this.settings.until_over(&name);
                    import(&this, &id, &folder, key, keep_out).await
                }
            }
        }
        .boxed()
    };
    shared.imports.fly(&flight_key, flight).await
}

/// The id of an image. Without an engine it is the one that the name stood for last: what is cached can then be read all the same.
async fn image_id(shared: &Arc<Shared>, image: &str) -> Result<String, BenchError> {
    let (cache, name) = (shared.cache.clone(), image.to_owned());
    match shared.images.get(image).await {
        Ok(id) => {
            let noted = id.clone();
            // It is a help for later, and no reason to fail now.
            let _ = blocking(move || cache.note_image(&name, &noted)).await;
            Ok(id)
        }
        Err(error @ BenchError::NoEngine { .. }) => {
            blocking(move || Ok(cache.image_named(&name))).await.ok().flatten().ok_or(error)
        }
        Err(error) => Err(error),
    }
}

async fn import(
    shared: &Arc<Shared>,
    image_id: &str,
    folder: &str,
    key: Key,
    keep_out: Vec<String>,
) -> Result<Tree, BenchError> {
    let body = ContainerCreateBody {
        image: Some(image_id.to_owned()),
        // An image without a command needs one to become a container; it is never run.
        entrypoint: Some(vec!["none".into()]),
        host_config: Some(HostConfig { network_mode: Some("none".into()), ..HostConfig::default() }),
        ..ContainerCreateBody::default()
    };
    let container = {
        let _slot = shared.starts.acquire().await;
        Container::create(shared.engine.docker()?, &shared.removals, "repository", LIFETIME, body).await?
    };
    // With `/.` a folder that is a link is followed, within the container, and the names in the stream begin with the folder's.
    let options = DownloadFromContainerOptionsBuilder::new().path(&format!("{folder}/.")).build();
    let mut stream = std::pin::pin!(shared.engine.docker()?.download_from_container(&container.name, Some(options)));
    let (sender, receiver) = mpsc::channel(PIECES_WAITING);
    let cache = shared.cache.clone();
    let import = blocking(move || {
        let stream = Pieces { pieces: receiver, rest: Bytes::new() };
        // The names are `./…`, and `.` counts as no name.
        cache.import_tar(key, stream, 0, &keep_out)
    });
    // It drops its end of the channel with itself, so that the reader sees an end.
    let send = async move {
        loop {
            let piece = match tokio::time::timeout(SILENCE, stream.next()).await {
                Ok(None) => return Ok(()),
                Ok(Some(Ok(piece))) => Ok(piece),
                Ok(Some(Err(error))) if status(&error) == Some(404) => {
                    return Err(BenchError::Invalid {
                        why: format!("the image has no folder {folder}: {}", words(&error)),
                    });
                }
                Ok(Some(Err(error))) => Err(error),
                Err(_) => {
                    return Err(BenchError::Failed {
                        why: format!("the engine sent nothing for {} s", SILENCE.as_secs()),
                    });
                }
            };
            let piece = piece.map_err(failed("read the image"))?;
            // A reader that is gone has failed and says why.
            if sender.send(piece).await.is_err() {
                return Ok(());
            }
        }
    };
    // A stream that ends early fails to import as well; why it ended says more.
    let (sent, imported) = tokio::join!(send, import);
    sent.and(imported)
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, RepositoryError> + Send + 'static,
) -> Result<T, BenchError> {
    let done =
        tokio::task::spawn_blocking(work).await.map_err(|error| BenchError::Failed { why: error.to_string() })?;
    done.map_err(|error| match error {
        RepositoryError::TooLarge { .. } | RepositoryError::Tree { .. } => {
            BenchError::Invalid { why: error.to_string() }
        }
        RepositoryError::Disk { .. } | RepositoryError::Malformed { .. } => {
            BenchError::Failed { why: error.to_string() }
        }
    })
}

/// The stream as a thread reads it.
struct Pieces {
    pieces: mpsc::Receiver<Bytes>,
    rest: Bytes,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.rest.is_empty() {
            match self.pieces.blocking_recv() {
                Some(piece) => self.rest = piece,
                None => return Ok(0),
            }
        }
        let length = buffer.len().min(self.rest.len());
        self.rest.copy_to_slice(&mut buffer[..length]);
        Ok(length)
    }
}
