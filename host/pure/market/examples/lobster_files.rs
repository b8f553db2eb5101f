//! Writes the file pair of `examples/replay`: a made-up market in LOBSTER's format, because real files may not be passed on.
//!
//! `cargo run -p assay-market --example lobster_files -- <folder>`

#[path = "../tests/replay_lobster/naive.rs"]
mod naive;

#[expect(clippy::disallowed_methods, reason = "an example is a program")]
fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).map_or_else(|| ".".into(), std::path::PathBuf::from);
    let files = naive::generate(naive::Shape::EXAMPLE);
    std::fs::write(folder.join("messages.csv"), files.messages)?;
    std::fs::write(folder.join("orderbook.csv"), files.orderbook)
}
