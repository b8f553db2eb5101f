//! Images: present, built or pulled, each only once however many jobs want it. One that a task says to be present or built is never pulled.

use crate::credentials::credentials;
use crate::engine::Engine;
use crate::error::{failed, status};
use crate::settings::{BenchSettings, Progress, Stage};
use crate::single::SingleFlight;
use assay_rollout::ports::BenchError;
use assay_rollout::task::ImageSource;
use bollard::models::{ErrorDetail, ProgressDetail};
use bollard::query_parameters::{BuildImageOptionsBuilder, CreateImageOptionsBuilder, RemoveImageOptionsBuilder};
use futures::{FutureExt as _, Stream, StreamExt as _};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Bytes of a folder that an image is built from: it is sent from memory. A larger one has data in it that belongs elsewhere.
const CONTEXT_BYTES_MAX: u64 = 1 << 28;
/// A pull or build that says nothing for this long hangs. Layers of gigabytes are unpacked in silence.
const SILENCE: Duration = Duration::from_mins(15);
/// How often one image is pulled, before its job is told. Registries count by the hour: more tries here would only hold a slot.
const PULLS_MAX: u32 = 4;
/// What engines say of a registry that refuses, or of a line that fails, for now.
const PASSING: [&str; 11] = [
    "toomanyrequests",
    "too many requests",
    "429",
    "rate limit",
    "timeout",
    "timed out",
    "deadline exceeded",
    "connection reset",
    "unexpected eof",
    "service unavailable",
    "bad gateway",
];

/// The images of one engine.
#[derive(Clone)]
pub(crate) struct Images(Arc<Inner>);

struct Inner {
    engine: Engine,
    settings: BenchSettings,
    slots: Semaphore,
    /// Ids by name: a name is asked for once, so that all of a run is graded in the same image.
    ids: Mutex<HashMap<String, String>>,
    /// Images that were pulled here, the one that was used longest ago first.
    pulled: Mutex<Vec<Pulled>>,
    flights: SingleFlight<Result<String, BenchError>>,
}

/// An image that was pulled here.
#[derive(Clone)]
struct Pulled {
    name: String,
    /// What it was when it came: all of a run is graded in the same one, also where it is pulled again.
    id: String,
    is_there: bool,
}

impl Images {
    pub(crate) fn new(engine: Engine, settings: &BenchSettings) -> Self {
        Self(Arc::new(Inner {
            engine,
            slots: Semaphore::new(settings.pulls.get()),
            settings: settings.clone(),
            ids: Mutex::default(),
            pulled: Mutex::default(),
            flights: SingleFlight::default(),
        }))
    }

    /// The id of an image, which is there from now on.
    pub(crate) async fn get(&self, name: &str) -> Result<String, BenchError> {
        self.0.was_used(name);
        if let Some(id) = self.ids().get(name) {
            return Ok(id.clone());
        }
        let this = self.clone();
        let flight = || {
            let name = name.to_owned();
            async move {
                let id = this.0.fetch(&name).await?;
                this.ids().insert(name, id.clone());
                Ok(id)
            }
            .boxed()
        };
        self.0.flights.fly(name, flight).await
    }

    /// Breaks off what is pulled and built.
    pub(crate) async fn stop(&self) {
        self.0.flights.stop().await;
    }

    /// The engine has it no more.
    pub(crate) fn forget(&self, name: &str) {
        self.ids().remove(name);
    }

    fn ids(&self) -> std::sync::MutexGuard<'_, HashMap<String, String>> {
        self.0.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    async fn fetch(&self, name: &str) -> Result<String, BenchError> {
        if name.is_empty()
            || name.starts_with('-')
            || name.contains(|letter: char| letter.is_whitespace() || "?#%".contains(letter))
        {
            return Err(BenchError::Invalid { why: format!("{name:?} does not name an image") });
        }
        if let Some(id) = self.present(name).await? {
            return Ok(id);
        }
        let _busy = self.settings.until_over(name);
        let _slot = self.slot(name).await;
        match self.settings.sources.get(name) {
            Some(ImageSource::Build(folder)) if folder.is_dir() => self.build(name, folder).await?,
            Some(ImageSource::Build(script)) => {
                let why = format!("it does not exist locally; build it with {}", script.display());
                return Err(no_image(name, &why));
            }
            Some(ImageSource::Present) => {
                return Err(no_image(name, "it does not exist locally, and its task says that it is never pulled"));
            }
            Some(ImageSource::Pull) => return self.bring(name).await,
            None if self.settings.pull => return self.bring(name).await,
            None => return Err(no_image(name, "it does not exist locally, and pulling is disabled")),
        }
        self.gotten(name).await
    }

    /// The right to pull or build, as soon as others are done. Nobody closes it.
    async fn slot(&self, name: &str) -> Option<SemaphorePermit<'_>> {
        if let Ok(slot) = self.slots.try_acquire() {
            return Some(slot);
        }
        self.settings.tell(name, Stage::Waiting);
        self.slots.acquire().await.ok()
    }

    /// The id of what was just built or pulled.
    async fn gotten(&self, name: &str) -> Result<String, BenchError> {
        self.present(name)
            .await?
            .ok_or_else(|| no_image(name, "the engine reported success, but does not have the image"))
    }

    /// Pulls, once there is room.
    async fn bring(&self, name: &str) -> Result<String, BenchError> {
        self.settings.tell(name, Stage::Pulling);
        self.make_room().await?;
        self.pull_patiently(name).await?;
        let id = self.gotten(name).await?;
        let mut pulled = self.pulled();
        match pulled.iter_mut().find(|one| one.name == name) {
            None => pulled.push(Pulled { name: name.to_owned(), id: id.clone(), is_there: true }),
            Some(earlier) if earlier.id == id => earlier.is_there = true,
            Some(_) => {
                return Err(no_image(
                    name,
                    "it has changed in its registry since this run pulled it; name it by its digest",
                ));
            }
        }
        Ok(id)
    }

    /// Removes what was pulled here and used longest ago, as far as no container needs it.
    async fn make_room(&self) -> Result<(), BenchError> {
        let Some(most) = self.settings.pulled_max else { return Ok(()) };
        let there: Vec<Pulled> = self.pulled().iter().filter(|one| one.is_there).cloned().collect();
        let mut too_many = (there.len() + 1).saturating_sub(most.get());
        for one in there {
            if too_many == 0 {
                break;
            }
            let options = RemoveImageOptionsBuilder::new().build();
            match self.engine.docker()?.remove_image(&one.name, Some(options), None).await {
                // A container of it is there, or another of its names is.
                Err(error) if status(&error) == Some(409) => continue,
                Err(error) if status(&error) != Some(404) => return Err(failed("remove an image")(error)),
                _ => {}
            }
            too_many -= 1;
            self.ids.lock().unwrap_or_else(PoisonError::into_inner).remove(&one.name);
            if let Some(gone) = self.pulled().iter_mut().find(|other| other.name == one.name) {
                gone.is_there = false;
            }
        }
        Ok(())
    }

    /// Puts an image behind all others.
    fn was_used(&self, name: &str) {
        let mut pulled = self.pulled();
        if let Some(at) = pulled.iter().position(|one| one.name == name) {
            let one = pulled.remove(at);
            pulled.push(one);
        }
    }

    fn pulled(&self) -> std::sync::MutexGuard<'_, Vec<Pulled>> {
        self.pulled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn present(&self, name: &str) -> Result<Option<String>, BenchError> {
        match self.engine.docker()?.inspect_image(name).await {
            Ok(image) => Ok(image.id),
            Err(error) if status(&error) == Some(404) => Ok(None),
            Err(error) => Err(failed("look for an image")(error)),
        }
    }

    /// Pulls, and again after a pause where the registry or the line to it fails for now. A registry that goes on refusing is not
    /// [`BenchError::NoImage`]: the image is there, and a later attempt gets it.
    async fn pull_patiently(&self, name: &str) -> Result<(), BenchError> {
        let mut pause = self.settings.patience.pull;
        for _ in 1..PULLS_MAX {
            let why = match self.pull(name).await {
                Err(BenchError::Failed { why }) => why,
                done => return done,
            };
            (self.settings.progress)(Progress {
                image: name,
                stage: Stage::Pulling,
                layer: None,
                status: &format!("it is tried again in {} s: {why}", pause.as_secs()),
                bytes: None,
            });
            tokio::time::sleep(pause).await;
            pause *= 2;
        }
        self.pull(name).await
    }

    async fn pull(&self, name: &str) -> Result<(), BenchError> {
        // Without a tag the engine would pull all of them.
        let last = name.rsplit('/').next().unwrap_or(name);
        let full = if last.contains([':', '@']) { name.to_owned() } else { format!("{name}:latest") };
        let options = CreateImageOptionsBuilder::new().from_image(&full).build();
        let who = match &self.settings.logins {
            Some(config) => credentials(config, name)
                .await
                .map_err(|why| no_image(name, &format!("the credentials of its registry cannot be had: {why}")))?,
            None => None,
        };
        let steps = self.engine.docker()?.create_image(Some(options), None, who).map(|step| {
            step.map(|info| Step {
                layer: info.id,
                status: info.status,
                progress: info.progress_detail,
                error: info.error_detail,
            })
        });
        self.follow(name, Stage::Pulling, steps).await
    }

    async fn build(&self, name: &str, folder: &Path) -> Result<(), BenchError> {
        self.settings.tell(name, Stage::Building);
        let packed = folder.to_path_buf();
        let context = tokio::task::spawn_blocking(move || pack(packed)).await;
        let context = context
            .map_err(io::Error::other)
            .flatten()
            .map_err(|error| no_image(name, &format!("failed to read {}: {error}", folder.display())))?;
        let options = BuildImageOptionsBuilder::new().t(name).rm(true).forcerm(true).build();
        let body = bollard::body_full(context.into());
        let steps = self.engine.docker()?.build_image(options, None, Some(body)).map(|step| {
            step.map(|info| Step {
                layer: None,
                status: info.stream.or(info.status),
                progress: None,
                error: info.error_detail,
            })
        });
        self.follow(name, Stage::Building, steps).await
    }

    /// Reports each step, and fails where one says so: the stream itself ends as if all were well.
    async fn follow(
        &self,
        image: &str,
        stage: Stage,
        steps: impl Stream<Item = Result<Step, bollard::errors::Error>>,
    ) -> Result<(), BenchError> {
        let mut steps = std::pin::pin!(steps);
        loop {
            let Ok(step) = tokio::time::timeout(SILENCE, steps.next()).await else {
                return Err(no_image(image, &format!("the engine sent nothing for {} s", SILENCE.as_secs())));
            };
            let step = match step {
                None => return Ok(()),
                Some(Ok(step)) => step,
                Some(Err(error)) => {
                    return Err(match failed("get an image")(error) {
                        BenchError::Failed { why } => refused(image, &why),
                        other => other,
                    });
                }
            };
            if let Some(error) = step.error {
                return Err(refused(image, error.message.as_deref().unwrap_or("the engine does not say why")));
            }
            let count = |number: Option<i64>| number.and_then(|number| u64::try_from(number).ok());
            (self.settings.progress)(Progress {
                image,
                stage,
                layer: step.layer.as_deref(),
                status: step.status.as_deref().unwrap_or_default().trim_end(),
                bytes: step.progress.and_then(|detail| Some((count(detail.current)?, count(detail.total)?))),
            });
        }
    }
}

/// What pulls and builds have in common.
struct Step {
    layer: Option<String>,
    status: Option<String>,
    progress: Option<ProgressDetail>,
    error: Option<ErrorDetail>,
}

fn no_image(name: &str, why: &str) -> BenchError {
    BenchError::NoImage { image: name.to_owned(), why: why.to_owned() }
}

/// Why an image could not be had, told apart by whether a later attempt may get it.
fn refused(name: &str, why: &str) -> BenchError {
    let said = why.to_lowercase();
    if PASSING.iter().any(|words| said.contains(words)) {
        BenchError::Failed { why: format!("the image {name} is not available at the moment: {why}") }
    } else {
        no_image(name, why)
    }
}

/// A folder as a tar stream in memory; links stay links.
fn pack(folder: PathBuf) -> io::Result<Vec<u8>> {
    let mut tar = tar::Builder::new(Limited(Vec::new()));
    tar.follow_symlinks(false);
    tar.append_dir_all(".", folder)?;
    Ok(tar.into_inner()?.0)
}

/// Memory up to the limit.
struct Limited(Vec<u8>);

impl io::Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if (self.0.len() + bytes.len()) as u64 > CONTEXT_BYTES_MAX {
            return Err(io::Error::other(format!("it holds more than {CONTEXT_BYTES_MAX} bytes")));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
