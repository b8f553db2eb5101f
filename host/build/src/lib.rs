//! Source to WebAssembly component: rustc in a jail, the embedded SDK, component wrapping.
