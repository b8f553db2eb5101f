//! The second line behind the dependency check: what cargo compiles is what reports show.

use toml::{Table, Value};

use super::with_fixed_root;

#[test]
fn cargo_compiles_the_root_whatever_the_manifest_says() {
    let cases = [
        "",
        "[lib]\n",
        "[lib]\npath = \"src/real.rs\"\nname = \"kept\"\n",
        "[lib]\npath = 7\n",
        "lib.path = \"/etc/passwd\"\n",
    ];
    for manifest in cases {
        let before: Table = manifest.parse().expect(manifest);
        let after: Table = with_fixed_root(manifest).parse().expect(manifest);
        assert_eq!(after["lib"]["path"], Value::String("src/lib.rs".to_owned()), "{manifest}");
        let name = |table: &Table| table.get("lib").and_then(|library| library.get("name").cloned());
        assert_eq!(name(&after), name(&before), "{manifest}");
    }
}
