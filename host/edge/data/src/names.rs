//! The words that data uses for what are numbers elsewhere. A word's place in its list is its code in a file's dictionary.
//!
//! Invariant: lists of words of an `assay_model` type are in that type's number order.

use assay_market::Session;
use assay_model::{RequestKind, UpdateKind};

pub(crate) const SIDES: &[&str] = &["buy", "sell"];
pub(crate) const LIQUIDITY: &[&str] = &["maker", "taker"];
pub(crate) const TIMES_IN_FORCE: &[&str] =
    &["day", "immediate_or_cancel", "fill_or_kill", "good_till", "at_open", "at_close"];
pub(crate) const DISPLAYS: &[&str] = &["full", "hidden", "iceberg", "comply"];
pub(crate) const POST_ONLY: &[&str] = &["no", "reject", "slide"];
pub(crate) const TRIGGERS: &[&str] = &["none", "stop", "trail"];
pub(crate) const REASONS: &[&str] = &[
    "none",
    "requested",
    "no_liquidity",
    "replaced",
    "market_closed",
    "trader_stopped",
    "would_trade",
    "invalid_price",
    "invalid_quantity",
    "unknown_order",
    "too_many_open_orders",
    "self_trade",
    "market_not_open",
    "outside_band",
    "position_limit",
    "cannot_fill",
    "expired",
    "invalid_terms",
    "no_auction",
    "order_waits",
    "in_auction",
    "loss_limit",
    "buying_power",
    "ruined",
];
/// Requests, then answers.
pub(crate) const MESSAGES: &[&str] = &[
    "limit",
    "market",
    "cancel",
    "cancel_all",
    "modify",
    "reduce",
    "replace",
    "order",
    "accepted",
    "fill",
    "cancelled",
    "all_cancelled",
    "modified",
    "reduced",
    "rejected",
    "triggered",
];
/// How many of [`MESSAGES`] are requests.
pub(crate) const REQUESTS: usize = 8;
pub(crate) const PHASES: &[&str] = &["opened", "call", "continuous", "closed"];

pub(crate) const fn request(kind: &RequestKind) -> u8 {
    match kind {
        RequestKind::Limit { .. } => 0,
        RequestKind::Market { .. } => 1,
        RequestKind::Cancel { .. } => 2,
        RequestKind::CancelAll => 3,
        RequestKind::Modify { .. } => 4,
        RequestKind::Reduce { .. } => 5,
        RequestKind::Replace { .. } => 6,
        RequestKind::Order(_) => 7,
    }
}

pub(crate) const fn update(kind: &UpdateKind) -> u8 {
    match kind {
        UpdateKind::Accepted => 8,
        UpdateKind::Fill { .. } => 9,
        UpdateKind::Cancelled { .. } => 10,
        UpdateKind::CancelledAll { .. } => 11,
        UpdateKind::Modified { .. } => 12,
        UpdateKind::Reduced { .. } => 13,
        UpdateKind::Rejected { .. } => 14,
        UpdateKind::Triggered => 15,
    }
}

pub(crate) const OPENED: u8 = 0;
pub(crate) const CLOSED: u8 = 3;

pub(crate) const fn session(session: Session) -> u8 {
    match session {
        Session::Call => 1,
        Session::Continuous => 2,
    }
}
