//! The sandbox through its boundary: guests in, verdicts out.

mod calls;
mod determinism;
mod hostile;
mod outcomes;
mod profile;
mod store;
mod support;
mod thinking;

/// What may go where between threads, checked by the compiler.
const _: () = {
    const fn goes_anywhere<T: Send>() {}
    const fn is_shared<T: Send + Sync>() {}
    goes_anywhere::<assay_sandbox::Instance>();
    is_shared::<assay_sandbox::Program>();
    is_shared::<assay_sandbox::Sandbox>();
};
