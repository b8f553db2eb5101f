//! What the exchange says, word for word: each rule of the order protocol, and each defect known from other simulators.
//!
//! Whatever the case, the audit of the differential test listens: each request ends exactly once, and no share is lost.

mod auctions;
mod auctions_apart;
#[path = "../exchange_differential/audit.rs"]
mod audit;
mod buying_power;
mod changes;
mod floor;
mod icebergs;
mod limits;
mod plain;
mod reasons;
mod self_trades;
mod sessions;
mod sight;
mod terms;
mod waiting;
mod waiting_changes;
