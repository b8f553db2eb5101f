//! What patches look like, case by case, and what applying them does to ids and empty directories.

use crate::operation::NOW;
use crate::patch_trees::{Leaf, Leaves, build};
use assay_tree::patch::{apply, diff};
use assay_tree::{Kind, TreeError};

fn file(text: &str) -> Leaf {
    Leaf::File(text.into(), false)
}

fn leaves<const N: usize>(all: [(&str, Leaf); N]) -> Leaves {
    all.into_iter().map(|(path, leaf)| (path.as_bytes().to_vec(), leaf)).collect()
}

#[track_caller]
fn check<const N: usize, const M: usize>(base: [(&str, Leaf); N], target: [(&str, Leaf); M], patch: &str) {
    let (base, target) = (build(&leaves(base)), build(&leaves(target)));
    let written = diff(&base, &target).expect("nothing is to be loaded");
    assert_eq!(String::from_utf8_lossy(&written), patch);
    assert_eq!(apply(&base, &written, NOW).expect("it fits").digest(), target.digest());
}

#[test]
fn sections_are_those_of_git() {
    let many = |last: &str| file(&format!("{}{last}\n", "same\n".repeat(9)));
    check([("a", file("x\n"))], [("a", file("x\n"))], "");
    check(
        [("a b", file("one\r\ntwo\r\n"))],
        [("a b", file("one\r\n2"))],
        "diff --git a/a b b/a b\nindex 4e349b596c5c9d38a82829fafbaf52281c21e319..096d29bf0d1896a8f89182b9b7fad167dec733e5 100644\n\
         --- a/a b\t\n+++ b/a b\t\n@@ -1,2 +1,2 @@\n one\r\n-two\r\n+2\n\\ No newline at end of file\n",
    );
    check(
        [("old", many("one"))],
        [("new", many("two"))],
        "diff --git a/old b/new\nsimilarity index 91%\nrename from old\nrename to new\n\
         index 17f5db955ae7712fa7f0c435930356d2630de831..947fa1fc9d75a6773616363b84962a6f8308629b 100644\n\
         --- a/old\n+++ b/new\n@@ -7,4 +7,4 @@\n same\n same\n same\n-one\n+two\n",
    );
}

#[test]
fn modes_names_and_links() {
    check(
        [("x", Leaf::File(b"x\n".to_vec(), false))],
        [("x", Leaf::File(b"x\n".to_vec(), true))],
        "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n",
    );
    check(
        [("x", file(""))],
        [("x", Leaf::Symlink(b"t".to_vec()))],
        "diff --git a/x b/x\ndeleted file mode 100644\n\
         index e69de29bb2d1d6434b8b29ae775ad8c2e48c5391..0000000000000000000000000000000000000000\n\
         diff --git a/x b/x\nnew file mode 120000\n\
         index 0000000000000000000000000000000000000000..32f64f4d836716819dc5fa9a1e09a29b428881df\n\
         --- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+t\n\\ No newline at end of file\n",
    );
    check(
        [],
        [("\"\n\\é", file(""))],
        "diff --git \"a/\\\"\\n\\\\\\303\\251\" \"b/\\\"\\n\\\\\\303\\251\"\nnew file mode 100644\n\
         index 0000000000000000000000000000000000000000..e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\n",
    );
    check(
        [("a/x", file("x\n"))],
        [("b/x", file("x\n"))],
        "diff --git a/a/x b/b/x\nsimilarity index 100%\nrename from a/x\nrename to b/x\n",
    );
}

#[test]
fn a_changed_file_stays_the_same_file_and_emptied_directories_go() {
    let base = build(&leaves([("d/e/x", file("x\n")), ("y", file("y\n"))]));
    let mut target = base.fork();
    target.write(b"y", 0, b"z", NOW).expect("it is there");
    target.unlink(b"d/e/x", NOW).expect("it is there");
    let patch = diff(&base, &target).expect("nothing is to be loaded");
    let applied = apply(&base, &patch, NOW).expect("it fits");
    assert_eq!(applied.stat(b"y").expect("it is there").id, base.stat(b"y").expect("it is there").id);
    assert_eq!(applied.stat(b"d"), Err(TreeError::NotFound));
    assert_eq!(target.stat(b"d/e").map(|stat| stat.kind), Ok(Kind::Directory), "which a patch does not see");
    assert!(diff(&applied, &target).expect("nothing is to be loaded").is_empty());
}

#[test]
fn mails_and_old_modes_are_read() {
    let base = build(&leaves([("x", file("1\n\n2\n"))]));
    let patch = b"From: someone\nSubject: [PATCH] y\n\n---\n x | 2 +-\n\ndiff --git a/x b/x\nindex 1..2 100664\n--- a/x\n+++ b/x\n\
                  @@ -1,3 +1,3 @@ fn main() {\n 1\n\n-2\n+3\n-- \n2.47.3\n\n";
    let applied = apply(&base, patch, NOW).expect("it fits");
    assert_eq!(&*applied.read_all(b"x").expect("it is there"), b"1\n\n3\n");
}
