//! Finds the Rust toolchain that compiles strategies.
//!
//! `rustc` on the PATH is often rustup's proxy, which reads its own configuration and may download; its sysroot holds the real
//! compiler, and that folder alone is what the jail needs to see. Everything is asked from the root folder, so that no
//! `rust-toolchain.toml` or cargo configuration near a strategy decides what runs.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The target that strategies compile for.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// Oldest rustc that knows every flag used here.
const RUSTC_MINOR_MIN: u32 = 95;

/// A Rust toolchain that can compile for [`TARGET`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Toolchain {
    /// Folder with compiler, cargo, linker and libraries.
    pub sysroot: PathBuf,
    /// Release with commit, as in `1.95.0 (59807616e 2026-04-14)`.
    pub version: String,
    /// The whole commit hash; part of the names that the standard library's files go by.
    pub commit: String,
}

/// Why there is no usable toolchain.
#[derive(Debug, thiserror::Error)]
pub enum ToolchainError {
    /// No rustc on the PATH.
    #[error("failed to find rustc on the PATH")]
    NoRustc,
    /// It does not start or fails.
    #[error("failed to run {program}: {message}")]
    Broken {
        /// What was run.
        program: PathBuf,
        /// What it said.
        message: String,
    },
    /// It lacks flags that the build needs.
    #[error("failed to use rustc {found}: 1.{RUSTC_MINOR_MIN} or later is required")]
    TooOld {
        /// Its release.
        found: String,
    },
    /// The target's standard library is not installed.
    #[error("failed to find the standard library for {TARGET} in {sysroot}")]
    NoTarget {
        /// Where it was looked for.
        sysroot: PathBuf,
    },
}

impl ToolchainError {
    /// The command that mends it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::NoRustc => "install Rust from https://rustup.rs".to_owned(),
            Self::Broken { .. } => "rustup default stable".to_owned(),
            Self::TooOld { .. } => "rustup update stable".to_owned(),
            Self::NoTarget { sysroot } => match rustup_name(sysroot) {
                Some(name) => format!("rustup target add {TARGET} --toolchain {name}"),
                None => format!("rustup target add {TARGET}"),
            },
        }
    }
}

/// The toolchain's name if rustup installed it.
fn rustup_name(sysroot: &Path) -> Option<&str> {
    let in_rustup = sysroot.parent()?.file_name()? == "toolchains";
    if in_rustup { sysroot.file_name()?.to_str() } else { None }
}

impl Toolchain {
    /// Asks the `rustc` on the PATH where its toolchain is and looks at what is there.
    ///
    /// # Errors
    /// When there is no rustc, it is too old or the target is not installed.
    pub fn find() -> Result<Self, ToolchainError> {
        let sysroot = PathBuf::from(ask(Path::new("rustc"), &["--print", "sysroot"])?.trim());
        Self::at(&sysroot)
    }

    /// Looks at the toolchain in a sysroot.
    ///
    /// # Errors
    /// See [`Toolchain::find`].
    pub fn at(sysroot: &Path) -> Result<Self, ToolchainError> {
        let words = ask(&sysroot.join("bin/rustc"), &["-vV"])?;
        let field =
            |name: &str| words.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim().to_owned();
        let toolchain =
            Self { sysroot: sysroot.to_path_buf(), version: field("rustc "), commit: field("commit-hash: ") };
        let release = field("release: ");
        let mut numbers = release.split(['.', '-']).map_while(|part| part.parse::<u32>().ok());
        if (numbers.next(), numbers.next()) < (Some(1), Some(RUSTC_MINOR_MIN)) {
            return Err(ToolchainError::TooOld { found: release });
        }
        let libraries = sysroot.join("lib/rustlib").join(TARGET).join("lib");
        let has_core = std::fs::read_dir(libraries)
            .is_ok_and(|files| files.flatten().any(|file| file.file_name().to_string_lossy().starts_with("libcore-")));
        if has_core { Ok(toolchain) } else { Err(ToolchainError::NoTarget { sysroot: sysroot.to_path_buf() }) }
    }

    /// The compiler itself.
    #[must_use]
    pub fn rustc(&self) -> PathBuf {
        self.sysroot.join("bin/rustc")
    }

    /// The linker for WebAssembly, which lies with the tools for the compiler's own platform.
    #[must_use]
    pub fn linker(&self) -> Option<PathBuf> {
        let platforms = std::fs::read_dir(self.sysroot.join("lib/rustlib")).ok()?.flatten();
        platforms.map(|platform| platform.path().join("bin/rust-lld")).find(|linker| linker.is_file())
    }

    /// Cargo itself.
    #[must_use]
    pub fn cargo(&self) -> PathBuf {
        self.sysroot.join("bin/cargo")
    }
}

fn ask(program: &Path, args: &[&str]) -> Result<String, ToolchainError> {
    let broken = |message: String| ToolchainError::Broken { program: program.to_path_buf(), message };
    let output = Command::new(program).args(args).current_dir("/").output().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound if program.components().count() == 1 => ToolchainError::NoRustc,
        _ => broken(error.to_string()),
    })?;
    if output.status.success() {
        String::from_utf8(output.stdout).map_err(|error| broken(error.to_string()))
    } else {
        Err(broken(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
    }
}
