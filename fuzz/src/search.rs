//! Patterns: whatever is asked for ends, answers within its limits, and takes no longer than what it was charged for.

use assay_model::Time;
use assay_tree::search::{FindQuery, Glob, GrepLimits, GrepQuery, Meter, find, grep};
use assay_tree::{Limits, Tree};
use std::time::{Duration, Instant};

/// What one search may cost: as much as a cell has.
const WORK_MAX: u64 = 5_000_000_000;
/// How much slower than a unit a nanosecond's work may be here, with every check on, and what is allowed besides.
const SLOWER: u32 = 100;
const GRACE: Duration = Duration::from_secs(2);
const LIMITS: GrepLimits = GrepLimits { matches_max: 50, output_bytes_max: 4 << 10, line_bytes_max: 100 };

struct Purse(u64);

impl Meter for Purse {
    fn spend(&mut self, work: u64) -> bool {
        self.0 = self.0.saturating_add(work);
        self.0 <= WORK_MAX
    }
}

/// The first byte says how to search, the first line for what, the second in which files; what follows is the file, often.
pub fn search(bytes: &[u8]) {
    let Some((&how, rest)) = bytes.split_first() else { return };
    let mut parts = rest.splitn(3, |byte| *byte == b'\n');
    let mut text = || String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
    let (pattern, glob) = (text(), text());
    let body = parts.next().unwrap_or_default().repeat(1 + usize::from(how >> 3));
    let mut tree = Tree::new(Limits { bytes_max: 64 << 20, inodes_max: 100 });
    let put = |tree: &mut Tree, path: &[u8], body: &[u8]| tree.put(path, body.into(), Time(0)).expect("there is room");
    tree.mkdir(b"d", Time(0)).expect("there is room");
    put(&mut tree, b"d/x.py", &body);
    put(&mut tree, b"y", &body[..body.len().min(100)]);
    let (started, mut purse) = (Instant::now(), Purse(0));
    let glob = Glob::new(&glob).ok();
    if how & 1 == 0 {
        let (literal, ignore_case) = (how & 2 != 0, how & 4 != 0);
        let query =
            GrepQuery { pattern: &pattern, literal, ignore_case, root: b"/", glob: glob.as_ref(), limits: LIMITS };
        if let Ok(found) = grep(&tree, &query, &mut purse) {
            let bytes: usize = found.matches.iter().map(|found| found.path.len() + found.line.len()).sum();
            assert!(found.matches.len() <= LIMITS.matches_max && bytes <= LIMITS.output_bytes_max);
        }
    } else {
        let query = FindQuery { root: b"/", glob: glob.as_ref(), kinds: None, entries_max: 2, output_bytes_max: 6 };
        if let Ok(found) = find(&tree, &query, &mut purse) {
            assert!(found.entries.len() <= 2);
        }
    }
    let allowed = Duration::from_nanos(purse.0.min(WORK_MAX)) * SLOWER + GRACE;
    assert!(started.elapsed() < allowed, "{:?} for {} units", started.elapsed(), purse.0);
}
