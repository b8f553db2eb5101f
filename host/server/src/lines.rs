//! Two texts compared line by line.

use assay_model::Time;
use assay_tree::patch::diff;
use assay_tree::{Content, Limits, Tree};

/// A longer text is not compared.
const SOURCE_BYTES_MAX: usize = 1 << 20;
/// The file in the trees that are compared; nobody sees its name.
const FILE: &[u8] = b"text";

/// The lines in which a text differs from another one, with some around them; `None` where they cannot be told.
pub(crate) fn changes(from: &str, to: &str) -> Option<Vec<String>> {
    if from == to {
        return Some(Vec::new());
    }
    let tree = |text: &str| {
        let limits = Limits { bytes_max: SOURCE_BYTES_MAX as u64, inodes_max: 1 };
        let mut tree = Tree::new(limits);
        tree.put(FILE, Content::from(text.as_bytes()), Time(0)).ok()?;
        Some(tree)
    };
    let patch = diff(&tree(from)?, &tree(to)?).ok()?;
    let text = String::from_utf8_lossy(&patch);
    // What comes before the first place is about files; what is not text has no places.
    let lines: Vec<String> = text.lines().skip_while(|line| !line.starts_with("@@")).map(str::to_owned).collect();
    if lines.is_empty() { None } else { Some(lines) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_compared_line_by_line() {
        assert_eq!(changes("a\n", "a\n"), Some(Vec::new()));
        let lines = changes("one\ntwo\nthree\n", "one\n2\nthree\n").expect("lines");
        assert_eq!(lines, ["@@ -1,3 +1,3 @@", " one", "-two", "+2", " three"]);
        assert_eq!(changes("a\0", "b\0"), None);
        assert_eq!(changes("a", &"x".repeat(SOURCE_BYTES_MAX + 1)), None);
    }
}
