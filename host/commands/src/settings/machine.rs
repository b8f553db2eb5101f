//! What this machine offers: the helper that locks itself in, the cache, where other programs keep their logins.

use crate::Failure;
use std::path::PathBuf;

/// What this machine offers.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The running executable, which is also the helper that locks itself in.
    pub helper: PathBuf,
    /// Where artifacts and the prepared SDK are kept; exists.
    pub cache: PathBuf,
}

impl Machine {
    /// Finds the executable and makes the cache folder: the one that is named, or this user's own.
    ///
    /// # Errors
    ///
    /// Where there is no such folder and none can be made.
    pub fn resolve(cache: Option<PathBuf>) -> Result<Self, Failure> {
        let helper = std::env::current_exe()
            .map_err(|error| Failure::infrastructure(format!("failed to find the running executable: {error}")))?;
        let cache = cache.or_else(default_cache).ok_or_else(|| {
            Failure::usage("no cache folder: neither HOME nor XDG_CACHE_HOME is set")
                .hint("name one with --cache-dir or ASSAY_CACHE_DIR")
        })?;
        std::fs::create_dir_all(&cache).and_then(|()| cache.canonicalize()).map(|cache| Self { helper, cache }).map_err(
            |error| {
                Failure::usage(format!("failed to make the cache folder {}: {error}", cache.display()))
                    .hint("name another folder with --cache-dir or ASSAY_CACHE_DIR")
            },
        )
    }
}

/// The folder that an environment variable names.
fn named(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn default_cache() -> Option<PathBuf> {
    named("XDG_CACHE_HOME").or_else(|| named("HOME").map(|home| home.join(".cache"))).map(|folder| folder.join("assay"))
}

/// Where `docker login` keeps who pulls from a registry.
pub(crate) fn docker_logins() -> Option<PathBuf> {
    let folder = named("DOCKER_CONFIG").or_else(|| named("HOME").map(|home| home.join(".docker")));
    folder.map(|folder| folder.join("config.json"))
}
