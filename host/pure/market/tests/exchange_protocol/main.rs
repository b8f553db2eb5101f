//! What the exchange says, word for word: each rule of the order protocol, and each defect known from other simulators.
//!
//! Whatever the case, the audit of the differential test listens: each request ends exactly once, and no share is lost.

mod auctions;
#[path = "../exchange_differential/audit.rs"]
mod audit;
mod changes;
mod floor;
mod icebergs;
mod limits;
mod plain;
mod reasons;
mod sessions;
mod terms;
mod waiting;
