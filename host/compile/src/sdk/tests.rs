//! The embedded list against the folder.

use std::path::Path;

use super::{FILES, WIT};

#[test]
fn embedded_files_are_the_files_of_the_folder() {
    let sdk = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../guest-sdk");
    let mut found: Vec<_> = std::fs::read_dir(sdk.join("rust/src"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read_to_string(&path).unwrap()))
        .collect();
    found.sort();
    let embedded: Vec<_> = FILES.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    assert_eq!(embedded, found);
    assert_eq!(WIT, std::fs::read_to_string(sdk.join("wit/strategy.wit")).unwrap());
}
