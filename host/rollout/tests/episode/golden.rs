//! The same model, the same session and a clock that gives the same times: the same bytes.

use crate::support::{Lab, Line, code};
use std::path::Path;

/// Set to write the golden file anew.
const BLESS: &str = "ASSAY_BLESS";

fn lab() -> Lab {
    let replies = [
        "Let me think about it first.".to_owned(),
        code("print look\nrandom\nerror warning"),
        format!("{}And then\n{}", code("write answer 43"), code("run_tests")),
        code("ask What comes after 41?\nraise ValueError: 41"),
        code("sub_agent change the notes"),
        code("burn 99000000000"),
        code("write answer 42\nrun_tests\nfinish It is 42 now."),
    ];
    Lab::new(&replies.each_ref().map(String::as_str))
        .helper(vec![Line::Say("42.".to_owned()), Line::Say(code("write notes new\nfinish The notes are new."))])
}

#[test]
fn the_same_bytes_every_time() {
    let (one, other) = (lab(), lab());
    one.run();
    other.run();
    for name in ["ep-1", "ep-1.1"] {
        let bytes = one.sinks.bytes(name);
        assert!(bytes == other.sinks.bytes(name), "{name} differs between two runs");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/episode/golden/{name}.jsonl"));
        if std::env::var_os(BLESS).is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &bytes).unwrap();
        }
        let golden = std::fs::read(&path).unwrap();
        assert!(
            bytes == golden,
            "{name} is not the golden file; if it should differ, run the tests once with {BLESS}=1"
        );
    }
}
