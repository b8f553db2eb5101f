//! Inputs made to hurt: depth, numbers, loops, names, and patterns.

use crate::operation::NOW;
use assay_tree::patch::{apply, diff};
use assay_tree::{Content, DEPTH_MAX, Limits, NAME_MAX, PATH_MAX, Tree, TreeError};

const LIMITS: Limits = Limits { bytes_max: 1 << 20, inodes_max: 1_000_000 };

#[test]
fn a_million_entries_are_all_there_can_be() {
    let mut tree = Tree::new(LIMITS);
    let full = TreeError::NoSpace { max: 1_000_000, unit: "files and directories" };
    for directory in 0..1_000 {
        tree.mkdir(format!("{directory}").as_bytes(), NOW).expect("there is room");
        for file in 0..999 {
            tree.create(format!("{directory}/{file}").as_bytes(), NOW).expect("there is room");
        }
    }
    assert_eq!(tree.used().inodes, 1_000_000);
    let before = tree.digest();
    for refused in
        [tree.create(b"x", NOW), tree.put(b"x", b"".into(), NOW), tree.mkdir(b"x", NOW), tree.symlink(b"t", b"x", NOW)]
    {
        assert_eq!(refused, Err(full.clone()));
    }
    let mut fork = tree.fork();
    fork.unlink(b"7/7", NOW).expect("it is there");
    fork.create(b"x", NOW).expect("there is room again");
    assert_eq!(tree.digest(), before);
    assert_eq!(fork.walk(b"/").expect("it is a directory").count(), 1_000_000);
}

#[test]
fn depth_is_limited_by_every_way_there_is() {
    let mut tree = Tree::new(LIMITS);
    let deep = |levels: usize| "d/".repeat(levels).into_bytes();
    let too_deep = TreeError::NameTooLong { max: DEPTH_MAX, unit: "levels of directories" };
    tree.mkdir_all(&deep(DEPTH_MAX), NOW).expect("this deep is allowed");
    assert_eq!(tree.mkdir(&deep(DEPTH_MAX + 1), NOW), Err(too_deep.clone()));
    assert_eq!(tree.create(&[&deep(DEPTH_MAX)[..], b"x"].concat(), NOW), Err(too_deep.clone()));
    // By moving what is deep below something else, again and again.
    tree.mkdir(b"top", NOW).expect("there is room");
    assert_eq!(tree.rename(b"d", b"top/d", NOW), Err(too_deep));
    tree.rmdir(&deep(DEPTH_MAX), NOW).expect("it is empty");
    tree.rename(b"d", b"top/d", NOW).expect("now it fits");
    assert_eq!(tree.digest(), tree.fork().digest());
    assert!(diff(&Tree::new(LIMITS), &tree).expect("nothing is to be loaded").is_empty());
}

#[test]
fn names_and_paths_have_their_lengths() {
    let mut tree = Tree::new(LIMITS);
    let name = vec![b'n'; NAME_MAX];
    tree.create(&name, NOW).expect("the longest name");
    let long_name = TreeError::NameTooLong { max: NAME_MAX, unit: "bytes in a name" };
    let long_path = TreeError::NameTooLong { max: PATH_MAX - 1, unit: "bytes in a path" };
    for path in [[&name[..], b"n"].concat(), [b"missing/", &name[..], b"n/x"].concat()] {
        let error = tree.create(&path, NOW).expect_err("the name is too long");
        assert!(error == long_name || error == TreeError::NotFound, "{error}");
    }
    let slashes = [&b"/".repeat(PATH_MAX - 2)[..], b"x"].concat();
    assert_eq!(tree.create(&slashes, NOW), Ok(()), "the longest path");
    assert_eq!(tree.stat(&[&slashes[..], b"/"].concat()), Err(long_path.clone()));
    assert_eq!(tree.symlink(&b"t".repeat(PATH_MAX), b"l", NOW), Err(long_path));
    for path in [&b"a\0b"[..], b"\0"] {
        assert_eq!(tree.create(path, NOW).map_err(|error| error.errno_name()), Err("EINVAL"));
    }
    assert_eq!(tree.create(b"", NOW), Err(TreeError::NotFound));
}

#[test]
fn symlink_bombs_end_at_forty() {
    let mut tree = Tree::new(LIMITS);
    // Each leads twice through the one before: 2^30 steps if nobody counted.
    tree.mkdir(b"l0", NOW).expect("there is room");
    for link in 1..=30 {
        let before = format!("l{}", link - 1);
        tree.symlink(format!("{before}/../{before}").as_bytes(), format!("l{link}").as_bytes(), NOW)
            .expect("there is room");
    }
    assert_eq!(tree.stat(b"l30"), Err(TreeError::Loop));
    for (target, path) in [("self", "self"), ("two", "one"), ("one", "two"), ("x/more", "x")] {
        tree.symlink(target.as_bytes(), path.as_bytes(), NOW).expect("there is room");
    }
    for path in ["self", "one", "two/x", "x", "self/../l0"] {
        assert_eq!(tree.stat(path.as_bytes()), Err(TreeError::Loop), "{path}");
        assert_eq!(tree.put(path.as_bytes(), b"".into(), NOW), Err(TreeError::Loop), "{path}");
    }
    // Forty in a row are followed, one more is not.
    tree.create(b"c0", NOW).expect("there is room");
    for link in 1..=41 {
        tree.symlink(format!("c{}", link - 1).as_bytes(), format!("c{link}").as_bytes(), NOW).expect("there is room");
    }
    assert!(tree.stat(b"c40").is_ok());
    assert_eq!(tree.stat(b"c41"), Err(TreeError::Loop));
    // Long targets, each expanded into the next.
    let long = [&b"./".repeat(2_000)[..], b"p0"].concat();
    tree.symlink(&long, b"p0", NOW).expect("there is room");
    assert_eq!(tree.stat(b"p0"), Err(TreeError::Loop));
}

#[test]
fn nothing_is_above_the_root() {
    let mut tree = Tree::new(LIMITS);
    tree.mkdir(b"a", NOW).expect("there is room");
    tree.create(b"etc", NOW).expect("there is room");
    for (target, path) in [("/etc", "a/absolute"), ("../../../../etc", "a/relative"), ("/../..", "a/up")] {
        tree.symlink(target.as_bytes(), path.as_bytes(), NOW).expect("there is room");
    }
    let etc = tree.stat(b"etc");
    for path in ["../../etc", "/../etc", "a/absolute", "a/relative", "a/up/etc", "a/../../a/../etc"] {
        assert_eq!(tree.stat(path.as_bytes()), etc, "{path}");
    }
}

#[test]
fn directories_do_not_go_into_themselves() {
    let mut tree = Tree::new(LIMITS);
    tree.mkdir_all(b"a/b/c", NOW).expect("there is room");
    tree.symlink(b"a/b", b"l", NOW).expect("there is room");
    let before = tree.digest();
    for (from, to) in
        [("a", "a/b/c/d"), ("a", "a/x"), ("a/b", "l/c/x"), ("a", "l/c"), ("a/b/c/../..", "x"), ("/", "x"), ("a", "/")]
    {
        let refused = tree.rename(from.as_bytes(), to.as_bytes(), NOW).map_err(|error| error.errno_name());
        assert_eq!(refused, Err("EINVAL"), "{from} to {to}");
    }
    assert_eq!(tree.rename(b"a/b/c", b"a", NOW), Err(TreeError::NotEmpty));
    assert_eq!(tree.digest(), before);
}

#[test]
fn bytes_are_limited_and_holes_cost_only_quota() {
    let max = 1 << 40;
    let mut tree = Tree::new(Limits { bytes_max: max, inodes_max: 9 });
    let full = TreeError::NoSpace { max, unit: "bytes" };
    tree.create(b"x", NOW).expect("there is room");
    for offset in [max, u64::MAX - 1, u64::MAX] {
        assert_eq!(tree.write(b"x", offset, b"yy", NOW), Err(full.clone()));
    }
    assert_eq!(tree.truncate(b"x", u64::MAX, NOW), Err(full.clone()));
    tree.truncate(b"x", 1 << 30, NOW).expect("a hole of a gibibyte takes no memory to speak of");
    assert_eq!(tree.read(b"x", (1 << 30) - 2, 9).expect("it is here"), b"\0\0");
    assert_eq!(tree.put(b"y", Content::stored(assay_tree::Digest::of(b""), max), NOW), Err(full));
    assert_eq!(tree.used().bytes, 1 << 30);
    tree.truncate(b"x", 0, NOW).expect("there is room");
    assert_eq!(tree.used().bytes, 0);

    // A patch has the same limit.
    let small = Tree::new(Limits { bytes_max: 3, inodes_max: 9 });
    let patch = b"diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+four\n";
    let error = apply(&small, patch, NOW).err().expect("it does not fit");
    assert_eq!(error.to_string(), "x, line 1 of the patch: no space left: at most 3 bytes");
}

#[test]
fn comparing_takes_a_bounded_number_of_steps() {
    let large = Limits { bytes_max: 1 << 30, ..LIMITS };
    let lines = |step: u32| (0..150_000_u32).map(|line| format!("{}\n", line * step)).collect::<String>();
    let (mut base, mut target) = (Tree::new(large), Tree::new(large));
    // Each second line is another one.
    base.put(b"sparse", lines(2).into_bytes().into(), NOW).expect("there is room");
    target.put(b"sparse", lines(1).into_bytes().into(), NOW).expect("there is room");
    // Twenty thousand pairs that may be renames, of some thousand lines each.
    for file in 0..140_u32 {
        let text: String = (0..5_000_u32).map(|line| format!("{:x}\n", line.wrapping_mul(file + 7_919))).collect();
        base.put(format!("old{file}").as_bytes(), text.clone().into_bytes().into(), NOW).expect("there is room");
        target.put(format!("new{file}").as_bytes(), (text + "more\n").into_bytes().into(), NOW).expect("there is room");
    }
    let started = std::time::Instant::now();
    let patch = assay_tree::patch::diff(&base, &target).expect("contents are here");
    assert!(!patch.is_empty());
    // Line by line it would take many minutes.
    assert!(started.elapsed().as_secs() < 100, "{:?}", started.elapsed());
}

#[test]
fn what_has_changed_is_counted_without_keeping_its_paths() {
    let base = Tree::new(LIMITS);
    let mut target = Tree::new(LIMITS);
    target.mkdir(b"many", NOW).expect("there is room");
    for file in 0..2_000 {
        target.put(format!("many/{file}").as_bytes(), b"x".into(), NOW).expect("there is room");
    }
    // Deeper than any one path could name.
    let chain = format!("top/{}", vec!["d".repeat(100); 10].join("/"));
    for _ in 0..30 {
        target.mkdir_all(chain.as_bytes(), NOW).expect("there is room");
        target.rename(b"many", format!("{chain}/many").as_bytes(), NOW).expect("it moves");
        target.rename(b"top", b"many", NOW).expect("it moves");
    }
    let bytes = assay_tree::patch::changed_bytes(&base, &target);
    assert!(bytes > 2_000 * 30 * 1_000, "paths count: {bytes}");
}
