//! Patches that do not fit, or are none: refused with the place, and the tree untouched. Some are hostile.

use crate::operation::NOW;
use crate::patch_trees::{Leaf, Leaves, build, pairs};
use assay_tree::Tree;
use assay_tree::patch::{apply, diff};
use proptest::prelude::*;

fn base() -> Tree {
    let leaves: Leaves = [
        ("src/a.rs", Leaf::File(b"one\ntwo\nthree\nfour\n".to_vec(), false)),
        ("empty", Leaf::File(Vec::new(), false)),
        ("link", Leaf::Symlink(b"src".to_vec())),
    ]
    .into_iter()
    .map(|(path, leaf)| (path.as_bytes().to_vec(), leaf))
    .collect();
    build(&leaves)
}

#[track_caller]
fn check(patch: &str, expected: &str) {
    let tree = base();
    let before = tree.digest();
    let error = apply(&tree, patch.as_bytes(), NOW).err().expect("this patch cannot apply");
    assert_eq!(error.to_string(), expected);
    assert_eq!(tree.digest(), before);
}

#[test]
fn what_does_not_fit_is_named() {
    let hunks = |hunks: &str| format!("diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n{hunks}");
    check(
        &hunks("@@ -1 +1 @@\n-one\n+1\n@@ -3 +3 @@\n-tree\n+3\n"),
        "src/a.rs, hunk 2, line 8 of the patch: line 3 of the file should be \"tree\\n\" but is \"three\\n\"",
    );
    check(
        &hunks("@@ -2 +2 @@\n-one\n+1\n"),
        "src/a.rs, hunk 1, line 5 of the patch: line 2 of the file should be \"one\\n\" but is \"two\\n\"",
    );
    check(
        &hunks("@@ -4,2 +4 @@\n four\n-five\n"),
        "src/a.rs, hunk 1, line 6 of the patch: line 5 of the file should be \"five\\n\" but the file ends there",
    );
    check(&hunks("@@ -9 +9 @@\n-x\n+y\n"), "src/a.rs, hunk 1, line 4 of the patch: the file has only 4 lines");
    check(
        &hunks("@@ -3 +3 @@\n-three\n+3\n@@ -1 +1 @@\n-one\n+1\n"),
        "src/a.rs, hunk 2, line 7 of the patch: malformed patch: the hunk begins before the end of the one above",
    );
    check(
        &hunks("@@ -2 +2 @@\n-two\n+2\n\\ No newline at end of file\n"),
        "src/a.rs, hunk 1, line 4 of the patch: malformed patch: the file goes on after a line that has no newline at its end",
    );
    check(
        &hunks("@@ -1,2 +1 @@\n-one\ndiff --git a/x b/x\n"),
        "src/a.rs, hunk 1, line 6 of the patch: malformed patch: a line of a hunk begins with a space, - or +; the hunk has \
         fewer than its head says",
    );
    check(
        &hunks("@@ -1 +1 @@\n-one\n+1"),
        "src/a.rs, hunk 1, line 6 of the patch: malformed patch: the patch ends in the middle of a line",
    );
    check(
        &hunks("@@ -1 +1 @@\n-one\n"),
        "src/a.rs, hunk 1, line 6 of the patch: malformed patch: the patch ends within a hunk",
    );
    check(
        &hunks("@@ -1 +1 @@\n-one\n+1\n+2\n"),
        "line 7 of the patch: malformed patch: this line belongs to no file (a section begins with diff --git)",
    );
}

#[test]
fn files_must_be_as_the_patch_says() {
    check("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", "x, line 1 of the patch: no such file");
    check(
        "diff --git a/empty b/empty\nnew file mode 100644\n",
        "empty, line 1 of the patch: something else is there already",
    );
    check(
        "diff --git a/src b/src\nnew file mode 100644\n",
        "src, line 1 of the patch: something else is there already",
    );
    check(
        "diff --git a/empty/x b/empty/x\nnew file mode 100644\n",
        "empty/x, line 1 of the patch: something else is there already",
    );
    check(
        "diff --git a/src/a.rs b/src/a.rs\ndeleted file mode 100644\n",
        "src/a.rs, line 1 of the patch: the file has content that the patch does not remove",
    );
    check(
        "diff --git a/link b/link\ndeleted file mode 100644\n",
        "link, line 1 of the patch: it is not of the kind that the patch changes",
    );
    check(
        "diff --git a/src b/src\ndeleted file mode 100644\n",
        "src, line 1 of the patch: it is not of the kind that the patch changes",
    );
    let delete = "diff --git a/empty b/empty\ndeleted file mode 100644\n";
    check(&delete.repeat(2), "empty, line 3 of the patch: malformed patch: the patch has this file twice");
    let binary = "diff --git a/empty b/empty\nindex 1111111111111111111111111111111111111111..2222222222222222222222222222222222222222 \
                  100644\nGIT binary patch\nliteral 0\nHc$@<O00001\n\n";
    check(binary, "empty, line 1 of the patch: the patch was made from another content of this file");
    check(
        "diff --git a/x b/x\nBinary files a/x and b/x differ\n",
        "x, line 2 of the patch: not supported: binary contents were left out; make the patch with git diff --binary",
    );
    check("diff --git a/x b/x\nnew file mode 160000\n", "x, line 2 of the patch: not supported: submodules");
    check("fix it please\n", "line 1 of the patch: malformed patch: there is no diff --git line in it");
}

#[test]
fn nothing_leads_out_of_the_tree() {
    let dots = "line 1 of the patch: malformed patch: a path is relative and has no empty, . or .. component";
    for path in ["../x", "a/../x", "/etc/x", ".", "a//x", "a/"] {
        check(&format!("diff --git a/{path} b/{path}\nnew file mode 100644\n"), &format!("{path}, {dots}"));
    }
    // A file below a symlink, even one that leads to a directory of the tree.
    check(
        "diff --git a/link/x b/link/x\nnew file mode 100644\n",
        "link/x, line 1 of the patch: something else is there already",
    );
    check(
        "diff --git a/link/a.rs b/link/a.rs\nold mode 100644\nnew mode 100755\n",
        "link/a.rs, line 1 of the patch: no such file",
    );
    // A symlink that the patch itself makes.
    let link = "diff --git a/out b/out\nnew file mode 120000\n--- /dev/null\n+++ b/out\n@@ -0,0 +1 @@\n+/etc\n\\ No newline at end of file\n";
    let through = "diff --git a/out/x b/out/x\nnew file mode 100644\n";
    check(&format!("{link}{through}"), "out/x, line 8 of the patch: something else is there already");
    let deep = "d/".repeat(600);
    check(
        &format!("diff --git a/{deep}x b/{deep}x\nnew file mode 100644\n"),
        &format!("{deep}x, line 1 of the patch: file name too long: at most 512 levels of directories"),
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_patches_are_refused_or_give_a_tree(
        (start, target) in pairs(),
        damage in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let tree = build(&start);
        let mut patch = diff(&tree, &build(&target)).expect("nothing is to be loaded");
        for (at, byte) in damage {
            let at = at.index(patch.len() + 1);
            patch.truncate(if byte < 16 { at } else { patch.len() });
            if let Some(there) = patch.get_mut(at) {
                *there = byte;
            }
        }
        let before = tree.digest();
        if let Ok(applied) = apply(&tree, &patch, NOW) {
            prop_assert!(applied.digest() == applied.fork().digest());
        }
        prop_assert_eq!(tree.digest(), before);
    }

    #[test]
    fn arbitrary_bytes_are_no_patch(bytes in proptest::collection::vec(any::<u8>(), 0..200), literal in any::<bool>()) {
        let head: &[u8] = if literal {
            b"diff --git a/empty b/empty\nindex e69de29bb2d1d6434b8b29ae775ad8c2e48c5391..e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\n\
              GIT binary patch\ndelta 9\n"
        } else {
            b"diff --git a/empty b/empty\n"
        };
        let _ = apply(&base(), &[head, &bytes].concat(), NOW);
    }
}
