//! The crates a strategy may use. Each was read: no build script, no procedural macro, nothing of the outside world, no dependency outside
//! this list with the listed features.

use cargo_metadata::semver::{Comparator, Op, Version, VersionReq};
use std::fmt::Write as _;

/// The SDK, which is taken from the host and not from a registry.
pub(super) const SDK: &str = "assay-sdk";

/// An allowed crate.
pub(super) struct Allowed {
    pub(super) name: &'static str,
    /// The lowest reviewed version; with it every later compatible one is allowed.
    pub(super) from: Version,
    pub(super) features: &'static [&'static str],
    reason: &'static str,
}

/// The whole list. `libm` and `num-traits` are absent because they have build scripts; `f64` has the functions itself.
pub(super) const ALLOWED: &[Allowed] = &[
    Allowed {
        name: "arrayvec",
        from: Version::new(0, 7, 4),
        features: &["default", "std"],
        reason: "vectors of fixed capacity, without allocation in a callback",
    },
    Allowed {
        name: "either",
        from: Version::new(1, 9, 0),
        features: &["default", "std", "use_std"],
        reason: "a value of one of two types; itertools needs it",
    },
    Allowed {
        name: "fnv",
        from: Version::new(1, 0, 7),
        features: &["default", "std"],
        reason: "a fast hash for small keys",
    },
    Allowed {
        name: "itertools",
        from: Version::new(0, 14, 0),
        features: &["default", "use_std", "use_alloc"],
        reason: "windows, groups and sorted iteration",
    },
    Allowed {
        name: "rustc-hash",
        from: Version::new(2, 0, 0),
        features: &["default", "std"],
        reason: "a fast hash for integer keys",
    },
    Allowed {
        name: "smallvec",
        from: Version::new(1, 13, 0),
        features: &["const_generics", "const_new", "union", "write"],
        reason: "vectors that stay on the stack while they are short",
    },
];

/// The entry of a crate; hyphen and underscore are different names, as for cargo.
pub(super) fn find(name: &str) -> Option<&'static Allowed> {
    ALLOWED.iter().find(|allowed| allowed.name == name)
}

impl Allowed {
    /// The reviewed range.
    pub(super) fn range(&self) -> VersionReq {
        let Version { major, minor, patch, .. } = self.from;
        VersionReq { comparators: vec![comparator(Op::Caret, major, minor, patch)] }
    }

    /// Whether every version that the requirement admits was reviewed: a caret, tilde or exact one that starts inside the range cannot
    /// leave it, because the range ends where compatibility does.
    pub(super) fn admits(&self, requirement: &VersionReq) -> bool {
        let inside = |found: &Comparator| {
            let bounded = matches!(found.op, Op::Caret | Op::Tilde | Op::Exact);
            // `^1` may resolve to any 1.x; what counts is the series, the resolver takes the highest.
            let series =
                (found.major, found.major > 0 || found.minor == Some(self.from.minor)) == (self.from.major, true);
            let lowest = Version::new(found.major, found.minor.unwrap_or(0), found.patch.unwrap_or(0));
            let below = matches!(found.op, Op::Exact | Op::Tilde)
                && found.minor.is_some()
                && lowest < self.from
                && found.patch.is_some();
            bounded && series && !below && found.pre.is_empty()
        };
        !requirement.comparators.is_empty() && requirement.comparators.iter().all(inside)
    }
}

fn comparator(op: Op, major: u64, minor: u64, patch: u64) -> Comparator {
    Comparator { op, major, minor: Some(minor), patch: Some(patch), pre: Default::default() }
}

/// The names for a message.
pub(super) fn names() -> String {
    let names: Vec<&str> = ALLOWED.iter().map(|allowed| allowed.name).collect();
    names.join(", ")
}

/// The section of `docs/findings.md` that lists the crates.
pub(crate) fn allowed_crates_markdown() -> String {
    let mut section = String::from(
        "\n## Allowed crates\n\nA one-file strategy uses `std` and `assay_sdk`. A crate may also use:\n\n",
    );
    section.push_str("| crate | versions | features | for |\n|---|---|---|---|\n");
    for allowed in ALLOWED {
        let features = allowed.features.join(", ");
        // Writing to a string cannot fail.
        let _ = writeln!(section, "| `{}` | `{}` | {features} | {} |", allowed.name, allowed.range(), allowed.reason);
    }
    section
}
