//! The codes: ids are unique and well-formed, and the documentation is what the code says.

use crate::support::root;
use assay_validator::{Code, findings_markdown};

/// Set to write the documentation instead of comparing it.
const BLESS: &str = "ASSAY_BLESS";

#[test]
fn ids_are_unique_consecutive_and_found_again() {
    for letter in ['S', 'P', 'D', 'C', 'B'] {
        let codes: Vec<Code> = Code::ALL.iter().copied().filter(|code| code.id().starts_with(letter)).collect();
        for (index, code) in codes.iter().enumerate() {
            assert_eq!(code.id(), format!("{letter}{:03}", index + 1), "{}", code.name());
            assert_eq!(Code::from_id(code.id()), Some(*code));
        }
    }
    let mut names: Vec<&str> = Code::ALL.iter().map(|code| code.name()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Code::ALL.len(), "two codes have one name");
}

#[test]
fn findings_reference_is_up_to_date() {
    let path = root().join("docs/findings.md");
    let generated = findings_markdown();
    if std::env::var_os(BLESS).is_some() {
        std::fs::write(&path, &generated).expect("the page can be written");
    }
    let stored = std::fs::read_to_string(&path).expect("docs/findings.md exists");
    assert!(stored == generated, "docs/findings.md is stale: run the tests of this crate with {BLESS}=1");
}
