//! What fuzzing has kept, through the same functions that it calls: every input ends, and none breaks a promise.

use assay_tests::{assay_binary, root};
use std::collections::BTreeSet;
use std::fs;

// Libraries of the fuzzing workspace.
#[path = "../../fuzz/src/calls.rs"]
#[expect(unreachable_pub, reason = "of a library elsewhere")]
mod calls;
#[path = "../../fuzz/src/cells.rs"]
#[expect(unreachable_pub, reason = "of a library elsewhere")]
mod cells;
#[path = "../../fuzz/src/gate.rs"]
#[expect(unreachable_pub, reason = "of a library elsewhere")]
mod gate;
#[path = "../../fuzz/src/market.rs"]
#[expect(unreachable_pub, reason = "of a library elsewhere")]
mod market;
#[path = "../../fuzz/src/records.rs"]
#[expect(unreachable_pub, reason = "of a library elsewhere")]
mod records;
#[path = "../../fuzz/src/refine.rs"]
#[expect(unreachable_pub, reason = "of a library elsewhere")]
mod refine;
#[path = "../../fuzz/src/rollout.rs"]
#[expect(unreachable_pub, reason = "of a library elsewhere")]
mod rollout;
#[path = "../../fuzz/src/search.rs"]
#[expect(unreachable_pub, reason = "of a library elsewhere")]
mod search;
#[path = "../../fuzz/src/source.rs"]
#[expect(unreachable_pub, reason = "of a library elsewhere")]
mod source;
#[path = "../../fuzz/src/sql.rs"]
#[expect(unreachable_pub, reason = "of a library elsewhere")]
mod sql;
#[path = "../../fuzz/src/strangers.rs"]
#[expect(unreachable_pub, reason = "of a library elsewhere")]
mod strangers;
#[path = "../../fuzz/src/strategy.rs"]
#[expect(unreachable_pub, reason = "of a library elsewhere")]
mod strategy;
#[path = "../../fuzz/src/world.rs"]
#[expect(unreachable_pub, reason = "of a library elsewhere")]
mod world;

/// The name of a target's folder, and what it calls.
type Target = (&'static str, fn(&[u8]));
/// The targets.
const TARGETS: [Target; 25] = [
    ("calls", calls::calls),
    ("cells", cells::cells),
    ("component", strategy::component),
    ("database", sql::database),
    ("event_log", market::event_log),
    ("exchange", market::exchange),
    ("folder", strangers::folder),
    ("foreign_trace", records::foreign_trace),
    ("lobster", market::lobster),
    ("module", strategy::module),
    ("names", calls::names),
    ("patch", records::patch),
    ("policy", gate::policy),
    ("refine_log", refine::refine_log),
    ("reply", rollout::reply),
    ("scenario", market::scenario),
    ("search", search::search),
    ("source", source::source),
    ("sql", sql::sql),
    ("tarball", rollout::tarball),
    ("task_row", records::task_row),
    ("test_log", records::test_log),
    ("trajectory", records::trajectory),
    ("verdict", gate::verdict),
    ("world", world::world),
];
/// Bytes of the whole corpus: it is to be read by everyone who clones this.
const CORPUS_BYTES_MAX: usize = 1 << 20;

#[test]
fn the_whole_corpus_holds() {
    strategy::use_helper(assay_binary().to_path_buf());
    let corpus = root().join("fuzz/corpus");
    let mut bytes_read = 0;
    for (name, target) in TARGETS {
        let folder = corpus.join(name);
        let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let inputs: BTreeSet<_> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
        assert!(inputs.len() > 1, "{name} has no corpus");
        for input in inputs {
            let bytes = fs::read(&input).expect("a readable input");
            bytes_read += bytes.len();
            // The name of the input is what one needs, should it panic.
            let outcome = std::panic::catch_unwind(|| target(&bytes));
            assert!(outcome.is_ok(), "{}", input.display());
        }
    }
    assert!(bytes_read < CORPUS_BYTES_MAX, "{bytes_read} bytes: minimise the corpus");
    let folders = fs::read_dir(&corpus).expect("a readable folder").count();
    assert_eq!(folders, TARGETS.len(), "a folder without a target");
}
