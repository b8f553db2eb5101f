//! The tables of the source pass: what is forbidden, what is harmless, and why nothing else is listed.
//!
//! Paths are given beneath `std`; `core` counts as `std`. The longest entry that starts a path decides, so an allowed entry may lie inside
//! a forbidden one.

use crate::code::Code;

/// What the longest matching entry says about a path of the standard library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ruling {
    Refused(Code, &'static str),
    Allowed,
}

use Ruling::{Allowed, Refused};

const FILES: &str = "There are no files. Keep state in the strategy's struct; `log` writes to the report.";
const NETWORK: &str = "There is no network. Everything a strategy can know arrives through its callbacks.";
const PROCESSES: &str = "There are no processes, and a strategy does not end itself: return from the callback instead.";
const ENVIRONMENT: &str = "There is no environment and there are no arguments. Make parameters constants.";
const TERMINAL: &str = "There is no terminal. Use the SDK's `log` to write a line to the report.";
const CLOCK: &str = "Use the `now` that every callback gets; `std::time::Duration` is fine.";
const HOOK: &str = "Remove it; the SDK already reports the panic's message.";
const ALLOCATOR: &str = "Use `Vec`, `Box` and the collections; `std::alloc::Layout` is fine.";
const CATCH: &str = "A panic immediately ends the strategy and cannot be caught. Return early instead.";
const DEFAULT: &str = "";

/// Entries beneath `std`, in any order.
const STANDARD: &[(&[&str], Ruling)] = &[
    (&["fs"], Refused(Code::OutsideWorld, FILES)),
    (&["net"], Refused(Code::OutsideWorld, NETWORK)),
    (&["process"], Refused(Code::OutsideWorld, PROCESSES)),
    (&["env"], Refused(Code::OutsideWorld, ENVIRONMENT)),
    (&["io", "stdin"], Refused(Code::OutsideWorld, TERMINAL)),
    (&["io", "stdout"], Refused(Code::OutsideWorld, TERMINAL)),
    (&["io", "stderr"], Refused(Code::OutsideWorld, TERMINAL)),
    (&["io", "Stdin"], Refused(Code::OutsideWorld, TERMINAL)),
    (&["io", "Stdout"], Refused(Code::OutsideWorld, TERMINAL)),
    (&["io", "Stderr"], Refused(Code::OutsideWorld, TERMINAL)),
    (&["io", "prelude"], Allowed),
    (&["time", "Instant"], Refused(Code::HostClock, CLOCK)),
    (&["time", "SystemTime"], Refused(Code::HostClock, CLOCK)),
    (&["time", "UNIX_EPOCH"], Refused(Code::HostClock, CLOCK)),
    (&["thread"], Refused(Code::Threads, DEFAULT)),
    (&["thread", "LocalKey"], Allowed),
    (&["panic", "set_hook"], Refused(Code::RuntimeHook, HOOK)),
    (&["panic", "take_hook"], Refused(Code::RuntimeHook, HOOK)),
    (&["panic", "update_hook"], Refused(Code::RuntimeHook, HOOK)),
    (&["panic", "catch_unwind"], Refused(Code::NoEffect, CATCH)),
    (&["alloc"], Refused(Code::RuntimeHook, ALLOCATOR)),
    (&["alloc", "Layout"], Allowed),
    (&["alloc", "LayoutError"], Allowed),
    (&["os"], Refused(Code::LowLevel, DEFAULT)),
    (&["ffi"], Refused(Code::LowLevel, DEFAULT)),
    (&["arch"], Refused(Code::LowLevel, DEFAULT)),
    (&["arch", "asm"], Refused(Code::InlineAssembly, DEFAULT)),
    (&["arch", "global_asm"], Refused(Code::InlineAssembly, DEFAULT)),
    (&["arch", "naked_asm"], Refused(Code::InlineAssembly, DEFAULT)),
    (&["intrinsics"], Refused(Code::LowLevel, DEFAULT)),
    (&["include"], Refused(Code::CompileTimeInput, DEFAULT)),
    (&["include_str"], Refused(Code::CompileTimeInput, DEFAULT)),
    (&["include_bytes"], Refused(Code::CompileTimeInput, DEFAULT)),
    (&["option_env"], Refused(Code::CompileTimeInput, DEFAULT)),
];

/// The ruling on a path beneath `std`, `None` when nothing is known against it.
pub(super) fn ruling(path: &[String]) -> Option<(Code, &'static str)> {
    let longest = STANDARD.iter().filter(|(entry, _)| starts_with(path, entry)).max_by_key(|(entry, _)| entry.len());
    match longest {
        Some((_, Refused(code, hint))) => Some((*code, hint)),
        // The built-in macros have several paths, `std::prelude::v1::env` for one.
        _ => path.last().and_then(|last| macro_ruling(last)).map(|code| (code, DEFAULT)),
    }
}

/// Whether something refused lies strictly inside this path, so that a glob or a passed-on name could reach it.
pub(super) fn has_refused_inside(path: &[String]) -> bool {
    let inside = |entry: &[&str]| entry.len() > path.len() && path.iter().zip(entry).all(|(part, known)| part == known);
    STANDARD.iter().any(|(entry, ruling)| inside(entry) && matches!(ruling, Refused(..)))
}

fn starts_with(path: &[String], entry: &[&str]) -> bool {
    path.len() >= entry.len() && path.iter().zip(entry).all(|(part, known)| part == known)
}

/// Roots of the standard library. `alloc` needs `extern crate`, which is refused by itself.
pub(super) fn is_standard_root(name: &str) -> bool {
    matches!(name, "std" | "core")
}

/// What is said about calling a macro of this name, whoever defined it: a macro of the file cannot be told from the built-in one without
/// name resolution.
pub(super) fn macro_ruling(name: &str) -> Option<Code> {
    match name {
        "include" | "include_str" | "include_bytes" | "concat_bytes" | "env" | "option_env" => {
            Some(Code::CompileTimeInput)
        }
        "asm" | "global_asm" | "naked_asm" => Some(Code::InlineAssembly),
        _ => None,
    }
}

/// The same for a bare word that is not a call: names that nobody gives to anything else. `env`, `include` and `asm` are ordinary names.
pub(super) fn word_ruling(name: &str) -> Option<Code> {
    if matches!(name, "include" | "env" | "asm") { None } else { macro_ruling(name) }
}

/// Macros of the standard library, which read their arguments as the compiler does. What any other macro makes of them is unknown.
pub(super) fn is_standard_macro(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "assert",
        "assert_eq",
        "assert_ne",
        "cfg",
        "column",
        "compile_error",
        "concat",
        "dbg",
        "debug_assert",
        "debug_assert_eq",
        "debug_assert_ne",
        "eprint",
        "eprintln",
        "file",
        "format",
        "format_args",
        "line",
        "matches",
        "module_path",
        "panic",
        "print",
        "println",
        "stringify",
        "thread_local",
        "todo",
        "unimplemented",
        "unreachable",
        "vec",
        "write",
        "writeln",
    ];
    NAMES.contains(&name)
}

/// Macros that print or pretend to.
pub(super) fn prints(name: &str) -> bool {
    matches!(name, "print" | "println" | "eprint" | "eprintln" | "dbg")
}

/// Names that are suspicious as a word anywhere among the arguments or in the body of a macro of the file, where they can be put together
/// with a `!` or a `#[…]` from elsewhere.
pub(super) fn is_macro_ingredient(name: &str) -> bool {
    is_standard_root(name) || macro_ruling(name).is_some() || is_ingredient_of_attribute(name)
}

/// Attributes that nobody calls anything else.
fn is_ingredient_of_attribute(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "alloc_error_handler",
        "concat_idents",
        "crate_name",
        "crate_type",
        "debugger_visualizer",
        "export_name",
        "global_allocator",
        "instruction_set",
        "link_name",
        "link_ordinal",
        "link_section",
        "linkage",
        "macro_rules",
        "no_builtins",
        "no_core",
        "no_link",
        "no_main",
        "no_mangle",
        "no_std",
        "panic_handler",
        "panic_runtime",
        "proc_macro_attribute",
        "proc_macro_derive",
        "recursion_limit",
        "target_feature",
        "type_length_limit",
        "windows_subsystem",
    ];
    NAMES.contains(&name)
}

/// Whether brackets that begin with this word would be an attribute that is refused, if a `#` came before them. Those that are ordinary names as
/// well are not ingredients: they matter only where a macro puts an attribute together.
pub(super) fn is_attribute_word(name: &str) -> bool {
    is_ingredient_of_attribute(name) || matches!(name, "used" | "path" | "link" | "feature" | "cfg_attr" | "naked")
}

/// Attributes that are macros, which an import can give another name.
pub(super) fn is_attribute_macro(name: &str) -> bool {
    matches!(name, "global_allocator" | "alloc_error_handler")
}

/// What an attribute of this name does.
pub(super) fn attribute_ruling(name: &str) -> Option<Code> {
    match name {
        "allow"
        | "warn"
        | "deny"
        | "forbid"
        | "expect"
        | "cfg"
        | "cfg_attr"
        | "derive"
        | "doc"
        | "inline"
        | "cold"
        | "must_use"
        | "deprecated"
        | "default"
        | "test"
        | "should_panic"
        | "ignore"
        | "repr"
        | "non_exhaustive"
        | "track_caller"
        | "macro_export"
        | "macro_use"
        | "automatically_derived" => None,
        "no_mangle" | "export_name" | "link" | "link_name" | "link_section" | "link_ordinal" | "linkage" | "used"
        | "no_link" | "no_builtins" | "no_main" | "crate_type" | "crate_name" | "windows_subsystem"
        | "instruction_set" | "naked" => Some(Code::LinkageAttribute),
        "feature" => Some(Code::UnstableFeature),
        "path" => Some(Code::FileModule),
        "global_allocator" | "panic_handler" | "alloc_error_handler" | "panic_runtime" => Some(Code::RuntimeHook),
        "proc_macro" | "proc_macro_derive" | "proc_macro_attribute" => Some(Code::ProceduralMacro),
        _ => Some(Code::UnlistedAttribute),
    }
}

/// Attributes of tools, which only tools read.
pub(super) fn is_tool(name: &str) -> bool {
    matches!(name, "rustfmt" | "clippy" | "diagnostic")
}

/// Traits that the compiler derives itself.
pub(super) fn is_standard_derive(name: &str) -> bool {
    matches!(name, "Clone" | "Copy" | "Debug" | "Default" | "PartialEq" | "Eq" | "PartialOrd" | "Ord" | "Hash")
}

/// What stands in for a crate that models like to reach for; a one-file strategy has `std` and the SDK only.
pub(super) fn foreign_crate(name: &str) -> Option<&'static str> {
    Some(match name {
        "rand" | "rand_core" | "rand_chacha" | "rand_distr" | "fastrand" | "oorandom" | "getrandom" | "nanorand" => {
            "Use the SDK's seeded random numbers: runs must be repeatable."
        }
        "chrono" | "time" | "jiff" => "Use the `now` of the callback; all times are nanoseconds since the epoch.",
        "tokio" | "async_std" | "futures" | "rayon" | "crossbeam" | "smol" => {
            "A strategy is one thread; do the work in the callback."
        }
        "log" | "tracing" | "env_logger" => "Use the SDK's `log`.",
        "libc" | "nix" | "winapi" | "wasi" | "wasm_bindgen" | "js_sys" | "web_sys" => {
            "There is no operating system to call; use the SDK."
        }
        "reqwest" | "ureq" | "hyper" => "There is no network.",
        "anyhow" | "thiserror" | "lazy_static" | "once_cell" | "serde" | "serde_json" | "regex" | "ndarray"
        | "nalgebra" | "statrs" | "num_traits" | "num" | "itertools" | "smallvec" | "arrayvec" | "ordered_float"
        | "rust_decimal" | "hashbrown" | "indexmap" | "libm" | "ta" | "polars" => {
            "A one-file strategy has `std` and `assay_sdk` only; write the few functions you need."
        }
        _ => return None,
    })
}
