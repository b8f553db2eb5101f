//! Where two runs of a seed part: the first order that differs, and what the exchange saw around it.

use super::controls::token;
use super::layout::Frame;
use crate::id::FolderId;
use crate::recording::Refused;
use crate::text;
use assay_model::{OrderId, Request, RequestKind, Side};
use assay_store::{Run, RunId};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Map, Value};

/// How far a chart reaches on either side of a moment, in its own intervals.
const INTERVALS_BESIDE: u64 = 20;

/// The seed whose course a report draws.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Drawn {
    /// The seed.
    pub seed: u64,
    /// Width of an interval.
    pub step_ns: u64,
}

/// Where two runs part in one seed.
pub(crate) struct Parted {
    pub seed: u64,
    /// Seeds in which they differ, as far as they are listed.
    pub seeds: Vec<u64>,
    /// In how many they do, of how many that both have.
    pub of: (usize, usize),
    pub told: Told,
}

/// What can be said of it.
pub(crate) enum Told {
    /// Both left the same events.
    Same,
    /// The events of one or both are nowhere.
    Missing([Option<Missing>; 2]),
    /// They are there, and cannot be read.
    Unreadable(String),
    Found(Box<Found>),
}

/// Events of a seed that are nowhere.
pub(crate) struct Missing {
    /// The command that records them.
    pub command: String,
    /// Whether a job could.
    pub can_be_made_again: bool,
    /// Tables that would be theirs, and are passed over.
    pub refused: Vec<Refused>,
}

/// An order, or another request, at its time.
pub(crate) struct Order {
    pub at_ns: u64,
    pub request: Request,
}

/// A row of the table of orders, and the rows beside it.
pub(crate) type Around = (u64, Vec<Map<String, Value>>);

/// The orders themselves. Of each pair, the first is that of A.
pub(crate) struct Found {
    pub same: u64,
    /// The first of those, from 1, that came a little earlier or later in one of the runs.
    pub shifted: Option<u64>,
    pub is_cut: bool,
    /// The last that are the same.
    pub before: Vec<Order>,
    pub first: [Option<Order>; 2],
    pub around: [Option<Around>; 2],
    /// Where the tables are.
    pub folders: [(FolderId, String); 2],
    pub drawn: [Option<Drawn>; 2],
}

pub(crate) fn parted(frame: Frame<'_>, runs: [&Run; 2], parted: &Parted) -> Markup {
    let Parted { seed, seeds, of: (differing, shared), told } = parted;
    html! {
        h2 id="orders" { "First different order" }
        p {
            @if *differing == 0 { "Both runs left the same events in " (text::counted(*shared, "seed", "seeds")) ": every order, fill and quote is the same." }
            @else { "The events differ in " (text::count(*differing as u64)) " of " (text::counted(*shared, "seed", "seeds")) "." }
        }
        @if *differing > 0 {
            (choice(runs, *seed, seeds, *differing))
            @match told {
                Told::Same => { p { "In seed " (seed) " both left the same events: every order, fill and quote is the same." } }
                Told::Missing(missing) => (unrecorded(frame, runs, *seed, missing)),
                Told::Unreadable(why) => { p class="notice" { "The recorded orders of seed " (seed) " cannot be read: " (text::words(why)) } }
                Told::Found(found) => (first(frame, runs, *seed, found)),
            }
        }
    }
}

/// Another seed.
fn choice(runs: [&Run; 2], seed: u64, seeds: &[u64], differing: usize) -> Markup {
    let [a, b] = runs.map(|run| run.id);
    html! {
        form class="filter" method="get" action="/compare#orders" {
            input type="hidden" name="a" value=(a);
            input type="hidden" name="b" value=(b);
            label { "seed"
                select name="seed" {
                    @if !seeds.contains(&seed) { option value=(seed) selected { (seed) } }
                    @for one in seeds { option value=(one) selected[*one == seed] { (one) } }
                }
            }
            button { "Show" }
        }
        @if differing > seeds.len() {
            p class="small" { (text::counted(differing - seeds.len(), "more seed", "more seeds")) " can be named in the address: " code { "&seed=N" } }
        }
    }
}

fn unrecorded(frame: Frame<'_>, runs: [&Run; 2], seed: u64, missing: &[Option<Missing>; 2]) -> Markup {
    html! {
        p { "Orders can be compared once the events of seed " (seed) " are recorded. Runs are deterministic, so each can be made again:" }
        @for ((side, run), missing) in ["A", "B"].into_iter().zip(runs).zip(missing) {
            @if let Some(Missing { command, can_be_made_again, refused }) = missing {
                h3 { "Events of " (side) }
                @for Refused { folder, why } in refused {
                    p class="notice" { "The tables of " (source(frame, folder)) " are passed over: " (text::words(why)) "." }
                }
                pre tabindex="0" { (text::words(command)) }
                @if *can_be_made_again && frame.can_start {
                    form class="inline" method="post" action="/compare/record" {
                        (token(frame.form.unwrap_or_default()))
                        input type="hidden" name="run" value=(run.id);
                        input type="hidden" name="seed" value=(seed);
                        button { "Record seed " (seed) " of " (side) }
                    }
                }
            }
        }
        p class="small" { "Then load this page again. A folder that a command writes is found if " code { "assay serve" } " was started with " code { "--runs" } " and a folder above it; of a job, it always is." }
    }
}

fn first(frame: Frame<'_>, runs: [&Run; 2], seed: u64, found: &Found) -> Markup {
    let Found { same, shifted, is_cut, before, first, .. } = found;
    let [a, b] = first;
    html! {
        p class="lead" {
            @if *is_cut { "The first " (text::count(*same)) " orders are the same. No more are compared here." }
            @else if a.is_none() && b.is_none() { "Both sent the same " (text::counted(*same, "order", "orders")) " at the same times. The events differ in what else was recorded." }
            @else if *same == 0 { "The first order of seed " (seed) " differs." }
            @else { (text::counted(*same, "order is", "orders are")) " the same, then they differ." }
        }
        @match shifted {
            Some(number) => p class="small" { "From order " (text::count(*number)) " on, they come up to a millisecond earlier or later in one of the runs: what a strategy computes takes simulated time." },
            None => p class="small" { "Until the first order that differs reached the exchange, both markets were the same." },
        }
        p class="small" {
            "The rows of A are those of " (source(frame, &found.folders[0])) ", the rows of B those of " (source(frame, &found.folders[1])) "."
        }
        @if a.is_some() || b.is_some() {
            div class="scroll" tabindex="0" role="group" aria-label="Orders" { table class="aside" {
                thead { tr { th scope="col" { "" } th scope="col" { "Time" } th scope="col" { "A" } th scope="col" { "B" } } }
                tbody {
                    @for order in before {
                        tr { td { "same" } td { (text::clock(order.at_ns)) } td { (words(&order.request)) } td { (words(&order.request)) } }
                    }
                    @for (place, order) in first.iter().enumerate() {
                        @if let Some(order) = order {
                            tr {
                                td class="doubtful" { @if place == 0 { "only A" } @else { "only B" } }
                                td { (text::clock(order.at_ns)) }
                                @if place == 0 { td { strong { (words(&order.request)) } } td {} } @else { td {} td { strong { (words(&order.request)) } } }
                            }
                        }
                    }
                    @for (place, order) in first.iter().enumerate() {
                        @if order.is_none() { tr { td { "" } td { "" } @if place == 0 { td { "sent no more" } td {} } @else { td {} td { "sent no more" } } } }
                    }
                }
            } }
            @for (place, side) in ["A", "B"].into_iter().enumerate() { (moment(frame, (runs[place].id, side), seed, found, place)) }
        }
    }
}

/// The folder whose tables were read.
fn source(frame: Frame<'_>, (folder, name): &(FolderId, String)) -> Markup {
    frame.link(&crate::place::Place::Report(*folder), &text::name(name))
}

/// What the exchange saw at that moment in one of the runs, and where else it can be looked at.
fn moment(frame: Frame<'_>, (run, side): (RunId, &str), seed: u64, found: &Found, place: usize) -> Markup {
    let (Some(order), Some((row, rows))) = (&found.first[place], &found.around[place]) else { return html! {} };
    let (folder, name) = &found.folders[place];
    let from = row.saturating_sub(25);
    html! {
        h3 { "The moment in " (side) }
        p {
            @if let Some(drawn) = found.drawn[place].filter(|drawn| drawn.seed == seed) {
                a href=(chart(run, drawn, order.at_ns)) { "In the charts" } " · "
            }
            @if frame.is_served() { a href={ "/api/runs/" (folder) "/tables/orders?from=" (from) "&count=50" } { "50 rows of the table of orders as JSON" } " · " }
            (frame.link(&crate::place::Place::Report(*folder), &text::name(name)))
        }
        details open {
            summary { "What reached and left the exchange" }
            (messages(rows, *row))
        }
    }
}

/// Rows of the table of orders; the one that differs is marked.
fn messages(rows: &[Map<String, Value>], own: u64) -> Markup {
    let cell = |row: &Map<String, Value>, name: &str| match row.get(name) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(word)) => text::name(word),
        Some(value) => text::name(&value.to_string()),
    };
    let cents =
        |row: &Map<String, Value>| row.get("price").and_then(Value::as_i64).map(text::price).unwrap_or_default();
    html! {
        div class="scroll" tabindex="0" role="group" aria-label="Messages" { table {
            thead { tr { th class="number" scope="col" { "Row" } th scope="col" { "Time" } th scope="col" { "Who" } th scope="col" { "Message" } th scope="col" { "Side" } th class="number" scope="col" { "Price" } th class="number" scope="col" { "Shares" } th scope="col" { "Reason" } } }
            tbody {
                @for row in rows {
                    @let is_own = row.get("is_own").and_then(Value::as_bool) == Some(true);
                    @let is_it = row.get("row").and_then(Value::as_u64) == Some(own);
                    tr class=[is_it.then_some("selected")] {
                        td class="number" { (cell(row, "row")) }
                        td { (cell(row, "time").trim_end_matches('Z').rsplit('T').next().unwrap_or_default()) }
                        td { @if is_own { strong { "the strategy" } } @else { "agent " (cell(row, "agent")) } }
                        td { (cell(row, "message").replace('_', " ")) @if is_it { " ← differs" } }
                        td { (cell(row, "side")) }
                        td class="number" { (cents(row)) }
                        td class="number" { (cell(row, "quantity")) }
                        td { (cell(row, "reason").replace('_', " ")) }
                    }
                }
            }
        } }
    }
}

/// The charts of a run around a moment.
fn chart(run: RunId, drawn: Drawn, at_ns: u64) -> String {
    let beside = drawn.step_ns.saturating_mul(INTERVALS_BESIDE);
    let (from, to) = (at_ns.saturating_sub(beside), at_ns.saturating_add(beside));
    format!("/runs/{run}?from={from}&to={to}#charts")
}

/// A request in words. Numbers alone come from outside.
pub(crate) fn words(request: &Request) -> String {
    let side = |side: Side| if side == Side::Buy { "buy" } else { "sell" };
    let shares = |quantity: u64| text::count(quantity);
    let own = |order: OrderId| format!("order {}", order.0);
    match request.kind {
        RequestKind::Limit { side: on, price, quantity, qualifiers } => {
            let hidden = if qualifiers.hidden { ", hidden" } else { "" };
            let post_only = if qualifiers.post_only { ", post only" } else { "" };
            format!("{} {} at {}{hidden}{post_only}", side(on), shares(quantity), text::price(price))
        }
        RequestKind::Market { side: on, quantity } => format!("{} {} at market", side(on), shares(quantity)),
        RequestKind::Cancel { order } => format!("cancel {}", own(order)),
        RequestKind::CancelAll => "cancel all".to_owned(),
        RequestKind::Modify { order, price, quantity } => {
            format!("change {} to {} at {}", own(order), shares(quantity), text::price(price))
        }
        RequestKind::Reduce { order, by } => format!("take {} off {}", shares(by), own(order)),
        RequestKind::Replace { order, price, quantity } => {
            format!("replace {} by {} at {}", own(order), shares(quantity), text::price(price))
        }
        RequestKind::Order(terms) => {
            let price = if terms.price == 0 { "market".to_owned() } else { text::price(terms.price.into()) };
            let lives = format!("{:?}", terms.time_in_force);
            format!("{} {} at {price}, {lives}", side(terms.side), shares(terms.quantity.into()))
        }
    }
}
