//! Builds through the crate's boundary, with the real compiler in the real jail.

mod cache;
mod crates;
mod files;
mod hostile;
mod sources;

use std::fs;
use std::path::{Path, PathBuf};

use assay_compile::{BuildError, BuildSettings, Built, Source, build};
use tempfile::TempDir;

/// A strategy that does nothing; the smallest that has all the exports.
const INERT: &str = "\
use assay_sdk::{Config, Exchange, Strategy};

struct Inert;

impl Strategy for Inert {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Self
    }
}

assay_sdk::export!(Inert);
";

/// Settings with a cache that all tests of this binary share, as builds of one user do. It keeps the SDK only, so that every file
/// is compiled.
fn settings() -> BuildSettings {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache");
    let helper = PathBuf::from(env!("CARGO_BIN_EXE_assay-compile-helper"));
    BuildSettings { kept_bytes_max: 0, ..BuildSettings::new(helper, cache) }
}

/// A new folder with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("the folder can be made");
        fs::write(path, text).expect("the file can be written");
    }
    folder
}

/// Folders of this machine that no component may name: the topmost ones of the user, of what is temporary, of the tools and of this checkout.
fn places() -> Vec<String> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let known = [home, Some(std::env::temp_dir()), Some(env!("CARGO").into()), Some(env!("CARGO_MANIFEST_DIR").into())];
    let topmost = known.into_iter().flatten().filter_map(|path| Some(path.components().nth(1)?.as_os_str().to_owned()));
    let mut places: Vec<String> = topmost.map(|name| format!("/{}/", name.to_string_lossy())).collect();
    places.extend([".rustup".to_owned(), env!("CARGO_MANIFEST_DIR").to_owned()]);
    places
}

/// The smallest strategy, with a function, kept though nobody calls it, that returns all that the compiler says about where it runs.
fn nosy() -> String {
    let names = [
        "TMPDIR",
        "HOME",
        "PWD",
        "PATH",
        "USER",
        "HOSTNAME",
        "LD_LIBRARY_PATH",
        "RUSTC",
        "CARGO",
        "CARGO_HOME",
        "OUT_DIR",
        "CARGO_MANIFEST_DIR",
        "CARGO_MANIFEST_PATH",
        "CARGO_TARGET_DIR",
        "CARGO_ENCODED_RUSTFLAGS",
    ];
    let values: String = names.map(|name| format!("option_env!(\"{name}\"),")).concat();
    let count = names.len();
    format!(
        "{INERT}
static TOLD: [Option<&str>; {count}] = [{values}];
static PLACE: [&str; 2] = [file!(), module_path!()];
#[used]
static KEPT: fn(usize) -> u8 = probe;
fn probe(at: usize) -> u8 {{
    TOLD[at].map_or(0, |text| text.as_bytes()[at]) + PLACE[at].as_bytes()[at]
}}
"
    )
}

/// Builds one file of this name and text.
fn build_file(name: &str, text: &str, settings: &BuildSettings) -> Result<Built, BuildError> {
    let folder = folder(&[(name, text)]);
    build(&Source::open(&folder.path().join(name)).expect("the file can be read"), settings)
}

/// Builds a crate of these files.
fn build_crate(files: &[(&str, &str)]) -> Result<Built, BuildError> {
    let folder = folder(files);
    build(&Source::open(folder.path()).expect("the crate can be read"), &settings())
}
