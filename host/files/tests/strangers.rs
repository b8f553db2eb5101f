//! Places that somebody else has filled: what is refused, that nothing is waited for, and that nothing outside is touched.

use assay_files::{Existing, Folder, Kind, Links, OpenError, beside, is_draft, open, read, replace};
use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{FileTypeExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::{Duration, Instant};

fn place() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn fifo(path: &Path) {
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).expect("a pipe");
}

#[test]
fn what_is_no_regular_file_is_refused_at_once() {
    let place = place();
    let at = |name: &str| place.path().join(name);
    fifo(&at("pipe"));
    symlink(at("pipe"), at("link-to-pipe")).unwrap();
    symlink("/dev/zero", at("link-to-device")).unwrap();
    fs::create_dir(at("folder")).unwrap();
    let _listener = UnixListener::bind(at("socket")).unwrap();
    let started = Instant::now();
    for name in ["pipe", "link-to-pipe", "link-to-device", "folder", "socket"] {
        for links in [Links::Followed, Links::Refused] {
            let found = open(&at(name), links);
            assert!(matches!(found, Err(OpenError::NotAFile | OpenError::Link)), "{name} {links:?}: {found:?}");
        }
        let folder = Folder::open(place.path(), Links::Refused).unwrap();
        assert!(folder.read(name, 10).is_err(), "{name}");
    }
    assert!(matches!(open(Path::new("/dev/null"), Links::Refused), Err(OpenError::NotAFile)));
    assert!(started.elapsed() < Duration::from_secs(5), "nobody is waited for");
}

#[test]
fn a_link_is_followed_only_for_whoever_named_it() {
    let place = place();
    let at = |name: &str| place.path().join(name);
    fs::write(at("file"), "text").unwrap();
    symlink("file", at("link")).unwrap();
    symlink("nowhere", at("dangling")).unwrap();
    symlink("loop", at("loop")).unwrap();
    assert_eq!(read(&at("link"), Links::Followed, 10).unwrap(), b"text");
    for name in ["link", "dangling", "loop"] {
        assert!(matches!(read(&at(name), Links::Refused, 10), Err(OpenError::Link)), "{name}");
    }
    assert!(read(&at("dangling"), Links::Followed, 10).unwrap_err().is_missing());
    assert!(read(&at("nothing"), Links::Refused, 10).unwrap_err().is_missing());
}

#[test]
fn what_is_too_long_is_not_read() {
    let place = place();
    let path = place.path().join("file");
    fs::write(&path, "12345").unwrap();
    assert_eq!(read(&path, Links::Refused, 5).unwrap(), b"12345");
    assert!(matches!(read(&path, Links::Refused, 4), Err(OpenError::TooLarge { bytes: 5, limit: 4 })));
    // A hole of a terabyte.
    fs::File::options().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
    assert!(matches!(read(&path, Links::Refused, 1 << 20), Err(OpenError::TooLarge { .. })));
    // Says that it is empty, and is not.
    assert!(matches!(read(Path::new("/proc/self/environ"), Links::Refused, 0), Err(OpenError::TooLarge { .. })));
    fs::write(&path, b"ab\xff").unwrap();
    let found = assay_files::read_text(&path, Links::Refused, 10);
    assert!(matches!(found, Err(OpenError::NotUtf8 { offset: 2 })));
}

#[test]
fn no_name_leads_out_of_a_folder() {
    let place = place();
    fs::write(place.path().join("secret"), "text").unwrap();
    fs::create_dir(place.path().join("inside")).unwrap();
    symlink("..", place.path().join("inside/up")).unwrap();
    let folder = Folder::open(&place.path().join("inside"), Links::Refused).unwrap();
    for name in ["../secret", "/etc/passwd", "..", ".", "", "up/secret", "up"] {
        assert!(folder.read(name, 100).is_err(), "{name:?}");
        assert!(folder.folder(name).is_err(), "{name:?}");
        if name != "up" {
            assert!(folder.write(name, b"", 0o600).is_err(), "{name:?}");
            assert!(folder.remove_file(name).is_err(), "{name:?}");
        }
    }
    assert!(matches!(folder.folder("up"), Err(OpenError::Link)));
    assert_eq!(fs::read(place.path().join("secret")).unwrap(), b"text");
}

#[test]
fn an_open_folder_stays_what_it_was() {
    let place = place();
    let (inside, other) = (place.path().join("inside"), place.path().join("other"));
    for folder in [&inside, &other] {
        fs::create_dir(folder).unwrap();
    }
    fs::write(inside.join("file"), "ours").unwrap();
    fs::write(other.join("file"), "theirs").unwrap();
    let folder = Folder::open(&inside, Links::Refused).unwrap();
    // Exchanged between the check and the use.
    fs::rename(&inside, place.path().join("moved")).unwrap();
    symlink(&other, &inside).unwrap();
    assert_eq!(folder.read("file", 10).unwrap(), b"ours");
    folder.write("new", b"x", 0o600).unwrap();
    assert!(!other.join("new").exists());
    assert!(matches!(Folder::open(&inside, Links::Refused), Err(OpenError::Link)));
}

#[test]
fn entries_are_sorted_and_bounded() {
    let place = place();
    for name in ["b", "a", "c"] {
        fs::write(place.path().join(name), "").unwrap();
    }
    let folder = Folder::open(place.path(), Links::Refused).unwrap();
    assert_eq!(folder.entries(3).unwrap(), ["a", "b", "c"]);
    assert!(matches!(folder.entries(2), Err(OpenError::TooMany { limit: 2 })));
    assert_eq!(folder.kind("a").unwrap(), Some(Kind::File));
    assert_eq!(folder.kind("nothing").unwrap(), None);
}

#[test]
fn a_link_is_replaced_and_not_written_through() {
    let place = place();
    let at = |name: &str| place.path().join(name);
    fs::write(at("victim"), "mine").unwrap();
    symlink("victim", at("report")).unwrap();
    replace(&at("report"), b"report", 0o644).unwrap();
    assert_eq!(fs::read(at("victim")).unwrap(), b"mine");
    assert_eq!(fs::read(at("report")).unwrap(), b"report");
    assert!(!at("report").symlink_metadata().unwrap().is_symlink());
    // A link to a device is replaced like any other, a pipe and a folder are left alone.
    symlink("/dev/full", at("device")).unwrap();
    replace(&at("device"), b"report", 0o644).unwrap();
    fifo(&at("pipe"));
    fs::create_dir(at("folder")).unwrap();
    for name in ["pipe", "folder"] {
        assert_eq!(replace(&at(name), b"report", 0o644).unwrap_err().kind(), ErrorKind::InvalidInput, "{name}");
    }
    assert!(at("pipe").symlink_metadata().unwrap().file_type().is_fifo());
    let left = fs::read_dir(place.path()).unwrap().filter(|entry| is_draft(&entry.as_ref().unwrap().file_name()));
    assert_eq!(left.count(), 0, "no draft stays");
    replace(Path::new("/dev/null"), b"report", 0o644).unwrap();
}

#[test]
fn a_new_file_does_not_take_the_place_of_another() {
    let place = place();
    let at = |name: &str| place.path().join(name);
    fs::write(at("file"), "mine").unwrap();
    symlink("nowhere", at("link")).unwrap();
    for name in ["file", "link"] {
        let (folder, name) = beside(&at(name)).unwrap();
        let failed = folder.draft(0o600).unwrap().name(&name, Existing::Kept).unwrap_err();
        assert_eq!(failed.kind(), ErrorKind::AlreadyExists);
    }
    assert!(!at("nowhere").exists());
    let (folder, name) = beside(&at("new")).unwrap();
    folder.draft(0o600).unwrap().name(&name, Existing::Kept).unwrap();
    assert!(at("new").exists());
}

#[test]
fn a_lock_is_no_link_of_any_kind() {
    let place = place();
    fs::write(place.path().join("victim"), "mine").unwrap();
    symlink("victim", place.path().join("soft")).unwrap();
    symlink("new", place.path().join("dangling")).unwrap();
    fs::hard_link(place.path().join("victim"), place.path().join("hard")).unwrap();
    let folder = Folder::open(place.path(), Links::Refused).unwrap();
    for name in ["soft", "dangling"] {
        assert!(matches!(folder.file_to_change(name, 0o644), Err(OpenError::Link)), "{name}");
    }
    let hard = folder.file_to_change("hard", 0o644).unwrap_err();
    assert!(matches!(hard, OpenError::HardLink) && hard.to_string().contains("hard links"), "{hard}");
    assert!(!place.path().join("new").exists());
    folder.file_to_change("lock", 0o644).unwrap();
    folder.file_to_change("lock", 0o644).unwrap();
}

#[test]
fn folders_are_made_but_not_through_links() {
    let place = place();
    let at = |name: &str| place.path().join(name);
    fs::create_dir(at("victim")).unwrap();
    symlink("victim", at("link")).unwrap();
    assert!(Folder::make(&at("link")).unwrap_err().to_string().contains("symbolic link"));
    assert!(matches!(Folder::own(&at("link")), Err(OpenError::Link | OpenError::Io(_))));
    Folder::make(&at("a/b/c")).unwrap();
    Folder::own(&at("own")).unwrap().own_folder("part").unwrap();
    assert!(at("own/part").is_dir());
    symlink(at("victim"), at("own/linked")).unwrap();
    assert!(matches!(Folder::own(&at("own")).unwrap().own_folder("linked"), Err(OpenError::Link)));
    assert_eq!(fs::read_dir(at("victim")).unwrap().count(), 0);
}

#[test]
fn only_files_and_links_are_removed() {
    let place = place();
    let at = |name: &str| place.path().join(name);
    fs::write(at("victim"), "mine").unwrap();
    symlink("victim", at("link")).unwrap();
    fs::create_dir(at("folder")).unwrap();
    let folder = Folder::open(place.path(), Links::Refused).unwrap();
    folder.remove_file("link").unwrap();
    folder.remove_file("nothing").unwrap();
    assert!(folder.remove_file("folder").is_err());
    assert!(at("victim").exists() && at("folder").exists());
    assert!(is_draft(OsStr::new(".assay-draft-0123456789abcdef")));
    for name in [".assay-draft-", ".assay-draft-x", ".assay-draft-0123456789abcdef0", "assay-draft-0123456789abcdef"] {
        assert!(!is_draft(OsStr::new(name)), "{name}");
    }
}
