//! The page of one run: verdict, tables, charts, findings, log and source in a single HTML file; its summary for a language model; a profile's flame graph.
//!
//! Invariants: the page needs no network, no script and no other file, and its content security policy forbids all three; every text
//! that came from the strategy is escaped and its control characters are made visible; every list has a named limit, and says
//! how much more there is in `run.json`. The page is a function of the record alone.

mod chart_files;
mod charts;
mod compared;
mod flame;
mod format;
mod markets;
mod observation;
mod page;
mod read;
mod replay;
mod result;
mod score;
mod sections;
mod summary;
mod tokens;

pub use chart_files::{chart_csv, chart_svg, chart_values};
pub use charts::{Window, scatter};
pub use flame::flame_graph;
pub use format::visible;
pub use markets::{markets_body, markets_summary, render_markets};
pub use observation::render_observation;
pub use page::{STYLE, body, body_served, charts_section, render};
pub use read::{ReadError, read};
pub use score::traded_too_little;
pub use sections::Manner;
pub use summary::{SUMMARY_TOKENS_MAX, run_summary};
pub use tokens::tokens_at_most;
