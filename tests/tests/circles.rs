//! Modules of a crate whose arrows form a circle cannot be read one after the other. This finds the circles among the children of each module; those that
//! remain are listed, and the list may only become shorter.
//!
//! An arrow is a path in the source: `crate::a::b`, `super::c`, a name that a module re-exports. A child may use what its parent defines, as that is how
//! a module is divided; tests inside of crates do not count.

use assay_tests::root;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};

/// The circles that are known: the crate's folder, the parent, its children.
const KNOWN: &[&str] = &[
    // The host's imports are calls of the one type that `exchange` is written against. Moving them gives every component other names and the SDK another
    // hash, which verdicts and kept builds hold: to be done with the next change of the SDK that does so anyway.
    "guest-sdk/rust abi exchange strategy",
    // Recursion: an agent's code may call for a sub-agent, which is an agent.
    "host/rollout agent host_calls step sub_agent",
];

type Module = Vec<String>;

/// What a file says about other modules.
#[derive(Default)]
struct Found {
    /// Paths, as they are written.
    paths: Vec<Vec<String>>,
    /// What names mean that are used under another module's: the name, and the path behind it.
    exports: BTreeMap<String, Vec<String>>,
}

impl Found {
    fn tree(&mut self, tree: &syn::UseTree, before: &[String]) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.tree(&path.tree, &with(&path.ident)),
            syn::UseTree::Name(name) if name.ident == "self" => self.used(before.to_vec(), before.last().cloned()),
            syn::UseTree::Name(name) => self.used(with(&name.ident), Some(name.ident.to_string())),
            syn::UseTree::Rename(name) => self.used(with(&name.ident), Some(name.rename.to_string())),
            syn::UseTree::Glob(_) => self.used(before.to_vec(), None),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.tree(tree, before)),
        }
    }

    fn used(&mut self, path: Vec<String>, name: Option<String>) {
        if let Some(name) = name {
            self.exports.insert(name, path.clone());
        }
        self.paths.push(path);
    }
}

fn is_of_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Ident>().is_ok_and(|what| what == "test")
    })
}

impl<'ast> Visit<'ast> for Found {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_of_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if !is_of_tests(&item.attrs) {
            self.tree(&item.tree, &[]);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.paths.push(path.segments.iter().map(|part| part.ident.to_string()).collect());
        visit::visit_path(self, path);
    }
}

/// The modules of a crate, by where they are.
struct Crate(BTreeMap<Module, Found>);

impl Crate {
    fn read(source: &Path) -> Self {
        let mut found = BTreeMap::new();
        let mut folders = vec![source.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).expect("a folder of sources is readable") {
                let path = entry.expect("an entry is readable").path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|ending| ending == "rs") {
                    let text = std::fs::read_to_string(&path).expect("a source is text");
                    let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                    let mut here = Found::default();
                    here.visit_file(&file);
                    found.insert(module(source, &path), here);
                }
            }
        }
        found.retain(|module, _| !module.iter().any(|part| part == "tests" || part == "bin"));
        Self(found)
    }

    /// The module that a path leads to from another, through names that modules pass on.
    fn target(&self, from: &Module, path: &[String], depth: u8) -> Option<Module> {
        let mut at = from.clone();
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" => (at, rest) = (Module::new(), &path[1..]),
            "self" => rest = &path[1..],
            "super" => {}
            // A name of this module's own: a child, or what a use brought here.
            first if self.0.contains_key(&[from.as_slice(), &[first.to_owned()]].concat()) => {}
            _ => return None,
        }
        while let Some((first, after)) = rest.split_first() {
            let inside = [at.as_slice(), std::slice::from_ref(first)].concat();
            if first == "super" {
                at.pop()?;
            } else if self.0.contains_key(&inside) {
                at = inside;
            } else {
                let passed = self.0.get(&at).and_then(|found| found.exports.get(first));
                return match passed {
                    Some(path) if depth < 8 && at != *from => self.target(&at, path, depth + 1).or(Some(at)),
                    _ => Some(at),
                };
            }
            rest = after;
        }
        Some(at)
    }

    /// Arrows between the children of each module.
    fn arrows(&self) -> BTreeMap<Module, BTreeMap<&str, BTreeSet<String>>> {
        let mut arrows: BTreeMap<Module, BTreeMap<&str, BTreeSet<String>>> = BTreeMap::new();
        for (from, found) in &self.0 {
            for target in found.paths.iter().filter_map(|path| self.target(from, path, 0)) {
                let shared = from.iter().zip(&target).take_while(|(one, other)| one == other).count();
                if let (Some(one), Some(other)) = (from.get(shared), target.get(shared)) {
                    let parent = arrows.entry(from[..shared].to_vec()).or_default();
                    parent.entry(one).or_default().insert(other.clone());
                }
            }
        }
        arrows
    }

    /// The circles, each with its parent and in order.
    fn circles(&self) -> BTreeSet<String> {
        let mut circles = BTreeSet::new();
        for (parent, arrows) in self.arrows() {
            let reach = |start: &str| {
                let (mut seen, mut next) = (BTreeSet::new(), vec![start.to_owned()]);
                while let Some(at) = next.pop() {
                    let after = arrows.get(at.as_str()).into_iter().flatten();
                    next.extend(after.filter(|to| seen.insert((*to).clone())).cloned());
                }
                seen
            };
            let reached: BTreeMap<&str, BTreeSet<String>> = arrows.keys().map(|name| (*name, reach(name))).collect();
            for (name, to) in &reached {
                let circle: Vec<&str> = to
                    .iter()
                    .map(String::as_str)
                    .filter(|other| reached.get(other).is_some_and(|back| back.contains(*name)))
                    .collect();
                if circle.len() > 1 {
                    circles.insert(format!("{} {}", parent.join("::"), circle.join(" ")).trim().to_owned());
                }
            }
        }
        circles
    }
}

/// Where a file is among the modules.
fn module(source: &Path, path: &Path) -> Module {
    let inside = path.strip_prefix(source).expect("it lies there").with_extension("");
    let mut parts: Module = inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        parts.pop();
    }
    parts
}

/// The source folders of all crates.
fn sources() -> Vec<PathBuf> {
    let metadata =
        cargo_metadata::MetadataCommand::new().current_dir(root()).no_deps().exec().expect("cargo knows the workspace");
    let folder =
        |package: cargo_metadata::Package| package.manifest_path.parent().map(|at| at.join("src").into_std_path_buf());
    metadata.packages.into_iter().filter_map(folder).filter(|source| source.is_dir()).collect()
}

#[test]
fn modules_form_no_circle_that_is_not_known() {
    let mut found = BTreeSet::new();
    for source in sources() {
        let name = source.strip_prefix(root()).expect("it lies in the workspace").display().to_string();
        let circles = Crate::read(&source).circles();
        found.extend(circles.into_iter().map(|circle| format!("{} {circle}", name.trim_end_matches("/src"))));
    }
    let known: BTreeSet<String> = KNOWN.iter().map(|&circle| circle.to_owned()).collect();
    let new: Vec<_> = found.difference(&known).collect();
    assert!(new.is_empty(), "new circles, to be opened:\n{new:#?}");
    let gone: Vec<_> = known.difference(&found).collect();
    assert!(gone.is_empty(), "no circles any more, to be taken from the list:\n{gone:#?}");
}

#[test]
fn a_circle_is_seen_through_names_that_are_passed_on() {
    let file = |text: &str| {
        let mut found = Found::default();
        found.visit_file(&syn::parse_file(text).expect("it is Rust"));
        found
    };
    let path = |text: &str| text.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect::<Module>();
    for (cases, expected) in [
        (&[("", "mod a; mod b;"), ("a", "use crate::b::B;"), ("b", "pub struct B;")][..], ""),
        (&[("", "mod a; mod b;"), ("a", "use crate::b::B;"), ("b", "fn f() { super::a::g() }")], "a b"),
        (&[("", "mod a; mod b; pub use a::A;"), ("a", "use super::b;"), ("b", "use crate::A;")], "a b"),
        (&[("", "mod a; mod b;"), ("a", "use super::b;"), ("b", "#[cfg(test)] mod tests { use crate::a::A; }")], ""),
        (
            &[
                ("", "mod m;"),
                ("m", "mod a; mod b; mod c;"),
                ("m::a", "use super::b::x;"),
                ("m::b", "use super::c;"),
                ("m::c", "use crate::m::a;"),
            ],
            "m a b c",
        ),
    ] {
        let modules = cases.iter().map(|(module, text)| (path(module), file(text))).collect();
        let circles: Vec<String> = Crate(modules).circles().into_iter().collect();
        assert_eq!(circles.join(", "), expected, "{cases:?}");
    }
}
