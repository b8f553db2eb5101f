//! The page of one run: verdict, tables, charts, findings, log and source in a single HTML file.
//!
//! Invariants: the page needs no network, no script and no other file, and its content security policy forbids all three; every text
//! that came from the strategy is escaped and its control characters are made visible; every list has a named limit, and says
//! how much more there is in `run.json`. The page is a function of the record alone.

mod charts;
mod format;
mod page;
mod replay;
mod result;
mod sections;

pub use page::render;
