//! A file that is written under a name of ours and gets its own once it is whole.

use crate::folder::{Folder, plain};
use rustix::fs::{AtFlags, Mode, OFlags, RawMode, RenameFlags, linkat, openat, renameat, renameat_with, unlinkat};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};

/// What a file is called until it is whole, followed by [`DIGITS`] hexadecimal digits. Whoever finds an old one may remove it.
pub const DRAFT_PREFIX: &str = ".assay-draft-";
/// Digits of a draft's name.
const DIGITS: usize = 16;
/// Names that are tried: none is ever taken but by design.
const TRIES: usize = 16;

/// What becomes of a file that has the name already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Existing {
    /// It is replaced; so are a link and a pipe. A folder is an error.
    Replaced,
    /// It is an error of the kind [`io::ErrorKind::AlreadyExists`].
    Kept,
}

/// See the module documentation. Dropped without a name, it is removed.
#[derive(Debug)]
pub struct Draft<'a> {
    folder: &'a Folder,
    file: File,
    /// Empty once it has its own.
    draft_name: String,
}

/// Whether a name is that of a draft.
#[must_use]
pub fn is_draft(name: &OsStr) -> bool {
    let digits = name.to_str().and_then(|name| name.strip_prefix(DRAFT_PREFIX));
    digits.is_some_and(|digits| digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

impl Folder {
    /// Begins a file that has no name yet.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn draft(&self, mode: u32) -> io::Result<Draft<'_>> {
        Draft::begin(self, mode)
    }

    /// Writes a file whole, or leaves what was there as it was. A link of that name is replaced, not followed.
    ///
    /// # Errors
    /// When it cannot be written, or a folder is there.
    pub fn write(&self, name: impl AsRef<OsStr>, bytes: &[u8], mode: u32) -> io::Result<()> {
        let mut draft = self.draft(mode)?;
        draft.write_all(bytes)?;
        draft.name(name.as_ref(), Existing::Replaced)
    }
}

impl<'a> Draft<'a> {
    fn begin(folder: &'a Folder, mode: u32) -> io::Result<Self> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for _ in 0..TRIES {
            let mut number = [0; 8];
            getrandom::fill(&mut number).map_err(io::Error::from)?;
            let draft_name = format!("{DRAFT_PREFIX}{:016x}", u64::from_le_bytes(number));
            match openat(folder, draft_name.as_str(), flags, Mode::from_raw_mode(mode as RawMode)) {
                Ok(fd) => return Ok(Self { folder, file: File::from(fd), draft_name }),
                Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// The open file.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Gives it its name.
    ///
    /// # Errors
    /// When the system says no, or something is there that stays.
    pub fn name(mut self, name: &OsStr, existing: Existing) -> io::Result<()> {
        let name = plain(name)?;
        match existing {
            Existing::Replaced => {
                renameat(self.folder, self.draft_name.as_str(), self.folder, name)?;
            }
            Existing::Kept => self.rename_if_free(name)?,
        }
        self.draft_name.clear();
        Ok(())
    }

    fn rename_if_free(&self, name: &std::path::Path) -> io::Result<()> {
        let draft_name = self.draft_name.as_str();
        match renameat_with(self.folder, draft_name, self.folder, name, RenameFlags::NOREPLACE) {
            // Not every file system can.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                linkat(self.folder, draft_name, self.folder, name, AtFlags::empty())?;
                unlinkat(self.folder, draft_name, AtFlags::empty())?;
                Ok(())
            }
            other => Ok(other?),
        }
    }
}

impl Write for Draft<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        if !self.draft_name.is_empty() {
            // What stays is called a draft, and the next to look there removes it.
            let _ = unlinkat(self.folder, self.draft_name.as_str(), AtFlags::empty());
        }
    }
}
