//! Generated from `wit/`: the traits that `cli.rs` and `files/` implement.
//!
//! Absent on purpose: anything with a connection to the machine. Sockets, HTTP and threads have no interface here at all.

wasmtime::component::bindgen!({
    path: "wit",
    world: "python-host",
    imports: { default: trappable },
    require_store_data_send: true,
    trappable_error_type: { "wasi:filesystem/types.error-code" => super::files::FilesError },
    with: {
        "wasi:io/error": wasmtime_wasi_io::bindings::wasi::io::error,
        "wasi:io/poll": wasmtime_wasi_io::bindings::wasi::io::poll,
        "wasi:io/streams": wasmtime_wasi_io::bindings::wasi::io::streams,
        "wasi:filesystem/types.descriptor": super::files::Descriptor,
        "wasi:filesystem/types.directory-entry-stream": super::files::Listing,
        "wasi:cli/terminal-input.terminal-input": super::cli::NoTerminal,
        "wasi:cli/terminal-output.terminal-output": super::cli::NoTerminal,
    },
});
