//! A folder that is held open: what lies in it is reached by name and by nothing else.

use crate::error::OpenError;
use crate::open::{Links, bounded, open_at, text};
use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, RawMode, fstat, mkdirat, openat, readlinkat, statat, unlinkat,
};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What is there, without following it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A pipe, a socket or a device.
    Other,
}

/// What is known of something without opening it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found {
    /// What it is.
    pub kind: Kind,
    /// Its length.
    pub bytes: u64,
    /// Who may do what with it, as the system has it.
    pub mode: u32,
    /// The user it belongs to.
    pub owner: u32,
    /// When it was last changed.
    pub modified: SystemTime,
}

/// A folder that is held open.
#[derive(Debug)]
pub struct Folder {
    fd: OwnedFd,
    path: PathBuf,
}

const AS_FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

impl Folder {
    /// Opens a folder.
    ///
    /// # Errors
    /// When it is not there, no folder, or a link that is not to be followed.
    pub fn open(path: &Path, links: Links) -> Result<Self, OpenError> {
        let flags = if links == Links::Refused { AS_FOLDER | OFlags::NOFOLLOW } else { AS_FOLDER };
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        match openat(CWD, path, flags, Mode::empty()) {
            Ok(fd) => Ok(Self { fd, path: path.to_owned() }),
            Err(error) if links == Links::Refused => Err(told_apart(CWD, path, error)),
            Err(error) => Err(OpenError::of(error)),
        }
    }

    /// A folder within one's own, under the same conditions.
    ///
    /// # Errors
    /// As [`Folder::own`].
    pub fn own_folder(&self, name: &str) -> Result<Self, OpenError> {
        self.make_folder(name, 0o700)?.checked_own()
    }

    pub(crate) fn checked_own(self) -> Result<Self, OpenError> {
        let found = fstat(&self.fd).map_err(io::Error::from)?;
        if found.st_uid != user() {
            return Err(OpenError::Foreign { owner: found.st_uid });
        }
        Ok(self)
    }

    /// Where it was found, for messages and for those who have to be told a path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn called(self, path: &Path) -> Self {
        Self { path: path.to_owned(), ..self }
    }

    /// What is there under a name; `None` if nothing is.
    ///
    /// # Errors
    /// When the system does not say, or it is not a name.
    pub fn kind(&self, name: impl AsRef<OsStr>) -> Result<Option<Kind>, OpenError> {
        Ok(self.look(name)?.map(|found| found.kind))
    }

    /// The same, and what else is known of it.
    ///
    /// # Errors
    /// As [`Folder::kind`].
    pub fn look(&self, name: impl AsRef<OsStr>) -> Result<Option<Found>, OpenError> {
        let name = plain(name.as_ref())?;
        match statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => Ok(Some(Found {
                kind: kind_of(found.st_mode),
                bytes: u64::try_from(found.st_size).unwrap_or_default(),
                mode: found.st_mode,
                owner: found.st_uid,
                // A time before 1970 is as old as any.
                modified: UNIX_EPOCH + Duration::from_secs(u64::try_from(found.st_mtime).unwrap_or_default()),
            })),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(OpenError::of(error)),
        }
    }

    /// Opens a folder in this one.
    ///
    /// # Errors
    /// When it is not there, a link, or no folder.
    pub fn folder(&self, name: impl AsRef<OsStr>) -> Result<Self, OpenError> {
        let name = plain(name.as_ref())?;
        match openat(&self.fd, name, AS_FOLDER | OFlags::NOFOLLOW, Mode::empty()) {
            Ok(fd) => Ok(Self { fd, path: self.path.join(name) }),
            Err(error) => Err(told_apart(self.fd.as_fd(), name, error)),
        }
    }

    /// Opens a folder in this one, and makes it where it is not there.
    ///
    /// # Errors
    /// As [`Folder::folder`], and when it cannot be made.
    pub fn make_folder(&self, name: impl AsRef<OsStr>, mode: u32) -> Result<Self, OpenError> {
        let name = name.as_ref();
        match mkdirat(&self.fd, plain(name)?, Mode::from_raw_mode(mode as RawMode)) {
            Ok(()) | Err(Errno::EXIST) => self.folder(name),
            Err(error) => Err(OpenError::of(error)),
        }
    }

    /// Opens a regular file in it for reading.
    ///
    /// # Errors
    /// When it is not there, a link, or no regular file.
    pub fn file(&self, name: impl AsRef<OsStr>) -> Result<File, OpenError> {
        let name = plain(name.as_ref())?;
        open_at(&self.fd, name, Links::Refused, OFlags::RDONLY).map(|(file, _)| file)
    }

    /// Makes a new file. Whatever has its name is an error, a link too.
    ///
    /// # Errors
    /// When something is there, or it cannot be made.
    pub fn new_file(&self, name: impl AsRef<OsStr>, mode: u32) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(File::from(openat(&self.fd, plain(name.as_ref())?, flags, Mode::from_raw_mode(mode as RawMode))?))
    }

    /// Opens a regular file for reading and writing, and makes an empty one where there is none. One that has other names is refused: they may belong to
    /// somebody.
    ///
    /// # Errors
    /// When it cannot be made, or is something else.
    pub fn file_to_change(&self, name: impl AsRef<OsStr>, mode: u32) -> Result<File, OpenError> {
        match self.new_file(&name, mode) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => return Ok(other?),
        }
        self.existing_file_to_change(name)
    }

    /// As [`Folder::file_to_change`], for a file that is there.
    ///
    /// # Errors
    /// When it is not there, or is something else.
    pub fn existing_file_to_change(&self, name: impl AsRef<OsStr>) -> Result<File, OpenError> {
        use std::os::unix::fs::MetadataExt as _;
        let (file, metadata) = open_at(&self.fd, plain(name.as_ref())?, Links::Refused, OFlags::RDWR)?;
        if metadata.nlink() > 1 { Err(OpenError::HardLink) } else { Ok(file) }
    }

    /// Whether some process holds the lock on a file, which it takes for itself alone while it works here. Nothing is made where there is no such file, and a
    /// lock that nobody holds is let go at once: whoever wants it must not be kept from it.
    #[must_use]
    pub fn is_locked(&self, name: impl AsRef<OsStr>) -> bool {
        self.file(name).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// Reads a regular file of at most `bytes_max` bytes.
    ///
    /// # Errors
    /// As [`Folder::file`], and when it is larger or cannot be read.
    pub fn read(&self, name: impl AsRef<OsStr>, bytes_max: u64) -> Result<Vec<u8>, OpenError> {
        let (file, metadata) = open_at(&self.fd, plain(name.as_ref())?, Links::Refused, OFlags::RDONLY)?;
        bounded(&file, &metadata, bytes_max)
    }

    /// As [`Folder::read`], as text.
    ///
    /// # Errors
    /// As [`Folder::read`], and when it is not UTF-8.
    pub fn read_text(&self, name: impl AsRef<OsStr>, bytes_max: u64) -> Result<String, OpenError> {
        text(self.read(name, bytes_max)?)
    }

    /// Where a link leads, which is for whoever keeps it and not for opening.
    ///
    /// # Errors
    /// When it is not a link.
    pub fn link_target(&self, name: impl AsRef<OsStr>) -> Result<Vec<u8>, OpenError> {
        let target = readlinkat(&self.fd, plain(name.as_ref())?, Vec::new()).map_err(OpenError::of)?;
        Ok(target.into_bytes())
    }

    /// Renames something in it; what has the new name already is replaced.
    ///
    /// # Errors
    /// When the system says no.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let (from, to) = (plain(OsStr::new(from))?, plain(OsStr::new(to))?);
        Ok(rustix::fs::renameat(&self.fd, from, &self.fd, to)?)
    }

    /// The names in it, in their order.
    ///
    /// # Errors
    /// When there are more than `entries_max`, or they cannot be listed.
    pub fn entries(&self, entries_max: usize) -> Result<Vec<OsString>, OpenError> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.fd).map_err(io::Error::from)? {
            let entry = entry.map_err(io::Error::from)?;
            let name = entry.file_name().to_bytes();
            if matches!(name, b"." | b"..") {
                continue;
            }
            if names.len() == entries_max {
                return Err(OpenError::TooMany { limit: entries_max });
            }
            names.push(OsString::from_vec(name.to_owned()));
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Removes a regular file, or a link itself. Nothing of that name is not an error.
    ///
    /// # Errors
    /// When it is something else, or cannot be removed.
    pub fn remove_file(&self, name: impl AsRef<OsStr>) -> Result<(), OpenError> {
        match self.kind(&name)? {
            None => return Ok(()),
            Some(Kind::File | Kind::Link) => {}
            Some(Kind::Folder | Kind::Other) => return Err(OpenError::NotAFile),
        }
        match unlinkat(&self.fd, plain(name.as_ref())?, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(OpenError::of(error)),
        }
    }

    /// Waits until the disk has the names in it.
    ///
    /// # Errors
    /// When the disk says no.
    pub fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.fd)?)
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// The user that this process acts for.
#[must_use]
pub fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// A name and no way to anywhere else.
pub(crate) fn plain(name: &OsStr) -> Result<&Path, OpenError> {
    let is_plain = !name.is_empty() && name != "." && name != ".." && !name.as_bytes().contains(&b'/');
    if is_plain { Ok(Path::new(name)) } else { Err(OpenError::Missing) }
}

fn kind_of(mode: RawMode) -> Kind {
    match FileType::from_raw_mode(mode) {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Folder,
        FileType::Symlink => Kind::Link,
        _ => Kind::Other,
    }
}

/// A link is told apart from other things that are not folders: the system calls both the same.
fn told_apart(folder: BorrowedFd<'_>, path: &Path, error: Errno) -> OpenError {
    let is_link =
        || statat(folder, path, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|found| kind_of(found.st_mode) == Kind::Link);
    match error {
        Errno::NOTDIR | Errno::LOOP if is_link() => OpenError::Link,
        other => OpenError::of(other),
    }
}
