//! Validation with exactly the proposals that the engine has, and the names of the proposals that made it fail.

use super::survey::Survey;
use super::{function_place, place};
use crate::code::Code;
use crate::finding::{Finding, Findings};
use wasmparser::{BinaryReaderError, Validator, WasmFeatures, types::Types};

/// What Rust emits for `wasm32-unknown-unknown`, and components without asynchrony. `REFERENCE_TYPES` is needed for its encoding only: the
/// table operators are refused by the survey, `externref` by the absence of `GC_TYPES`.
const ALLOWED: WasmFeatures = WasmFeatures::MUTABLE_GLOBAL
    .union(WasmFeatures::SATURATING_FLOAT_TO_INT)
    .union(WasmFeatures::SIGN_EXTENSION)
    .union(WasmFeatures::REFERENCE_TYPES)
    .union(WasmFeatures::CALL_INDIRECT_OVERLONG)
    .union(WasmFeatures::MULTI_VALUE)
    .union(WasmFeatures::BULK_MEMORY)
    .union(WasmFeatures::BULK_MEMORY_OPT)
    .union(WasmFeatures::FLOATS)
    .union(WasmFeatures::COMPONENT_MODEL);

/// Proposals with the names by which people know them.
const PROPOSALS: &[(&str, WasmFeatures)] = &[
    ("SIMD", WasmFeatures::SIMD),
    ("relaxed SIMD", WasmFeatures::RELAXED_SIMD),
    ("threads", WasmFeatures::THREADS),
    ("shared-everything threads", WasmFeatures::SHARED_EVERYTHING_THREADS),
    ("tail calls", WasmFeatures::TAIL_CALL),
    ("multiple memories", WasmFeatures::MULTI_MEMORY),
    ("64-bit memory", WasmFeatures::MEMORY64),
    ("exceptions", WasmFeatures::EXCEPTIONS),
    ("legacy exceptions", WasmFeatures::LEGACY_EXCEPTIONS),
    ("extended constant expressions", WasmFeatures::EXTENDED_CONST),
    ("typed function references", WasmFeatures::FUNCTION_REFERENCES),
    ("garbage collection", WasmFeatures::GC.union(WasmFeatures::GC_TYPES)),
    ("memory control", WasmFeatures::MEMORY_CONTROL),
    ("custom page sizes", WasmFeatures::CUSTOM_PAGE_SIZES),
    ("stack switching", WasmFeatures::STACK_SWITCHING),
    ("wide arithmetic", WasmFeatures::WIDE_ARITHMETIC),
    ("component values", WasmFeatures::CM_VALUES),
    ("nested component names", WasmFeatures::CM_NESTED_NAMES),
    ("asynchronous components", WasmFeatures::CM_ASYNC),
    ("fixed-length lists", WasmFeatures::CM_FIXED_LENGTH_LISTS),
    ("component garbage collection", WasmFeatures::CM_GC),
];

/// The types of a valid component; otherwise what is wrong is among the findings.
pub(super) fn validate(bytes: &[u8], survey: &Survey, findings: &mut Findings) -> Option<Types> {
    let error = match run(bytes, ALLOWED) {
        Ok(types) => {
            if let Some((offset, message)) = &survey.broken {
                // The survey reads less strictly than the validator, so this is a fault of ours: refuse.
                findings.push(Finding::new(Code::InvalidComponent, place("component", *offset), message));
            }
            return Some(types);
        }
        Err(error) => error,
    };
    // Valid with everything: each proposal without which it is not valid is one that it uses. Otherwise at least the first obstacle
    // may be a proposal: then the error changes with it.
    let valid_with_all = run(bytes, WasmFeatures::all()).is_ok();
    let known = PROPOSALS.iter().filter(|(_, flags)| !ALLOWED.contains(*flags));
    let used: Vec<_> = known
        .filter_map(|(name, flags)| {
            let without = || run(bytes, WasmFeatures::all().difference(*flags)).err();
            let with = || run(bytes, ALLOWED.union(*flags)).err();
            let changed = |other: Option<BinaryReaderError>| {
                other.is_none_or(|other| (other.offset(), other.message()) != (error.offset(), error.message()))
            };
            let uses = if valid_with_all { without() } else { changed(with()).then(|| error.clone()) };
            uses.map(|error| {
                finding(Code::ForbiddenProposal, &error, survey, &format!("uses {name}")).observed(error.message())
            })
        })
        .collect();
    if used.is_empty() && valid_with_all {
        let message = "uses a proposal that is switched off";
        findings.push(finding(Code::ForbiddenProposal, &error, survey, message).observed(error.message()));
    } else if used.is_empty() {
        findings.push(finding(Code::InvalidComponent, &error, survey, &format!("not valid: {}", error.message())));
    }
    for finding in used {
        findings.push(finding);
    }
    None
}

fn run(bytes: &[u8], features: WasmFeatures) -> Result<Types, BinaryReaderError> {
    Validator::new_with_features(features).validate_all(bytes)
}

fn finding(code: Code, error: &BinaryReaderError, survey: &Survey, message: &str) -> Finding {
    let offset = error.offset();
    let place = match survey.function_at(offset) {
        Some(function) => function_place(function, offset),
        None => place("component", offset),
    };
    Finding::new(code, place, message)
}
