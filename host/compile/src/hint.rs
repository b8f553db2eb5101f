//! What usually mends a compile error of a strategy: the compiler knows Rust, this knows the SDK.
//!
//! A rule looks at the compiler's code and at words of its message; the first that fits is told before the compiler's own help. Invariant: a rule
//! names a type of the SDK or a callback, so that it says nothing about code that has nothing to do with either.

/// A compiler's code, words that the message must all have, and what to do.
type Rule = (&'static str, &'static [&'static str], &'static str);

const PRICE: &str = "a `Price` is made by `Price::new(cents)`, or `Price::floor(x)` and `Price::ceil(x)` from an `f64`; all give an `Option`, so \
    `let Some(price) = Price::new(cents) else { return };`. In a `const`: `Price::of(100_000)`";
const QUANTITY: &str = "a `Quantity` is made by `Quantity::new(shares)` or `Quantity::up_to(shares)` from a `u64`; both give an `Option`, so \
    `let Some(quantity) = Quantity::new(shares) else { return };`. In a `const`: `Quantity::of(100)`";
const NUMBER: &str = "`price.cents()` is an `i64`, `quantity.shares()` a `u64`: compute with these. `price + 2` and `price - 2` are two cents up and \
    down, `a - b` of two prices is the distance in cents; `quote.mid()` is the middle as `Option<f64>`";
const COMPARED: &str = "compare like with like: `price.cents() > 100_000`, `quantity.shares() >= 10`, or two prices";
const UNWRAP: &str = "a side of the quote is `None` when it is empty; take it out first: `let Some(bid) = quote.bid else { return };`, then \
    `bid.price` and `bid.quantity`";
const OPTION: &str = "the value is an `Option`, `None` when there is none; take it out first: `let Some(mid) = quote.mid() else { return };`";
const SHARES: &str = "`Level.quantity`, `Trade.quantity`, `remaining` and `volume` are plain `u64` already; only a `Quantity` has `.shares()`";
const CALLBACKS: &str = "the callbacks are `initialize(config: &Config, exchange: &mut Exchange) -> Self`, `on_tick(&mut self, exchange: &mut Exchange)`, \
    `on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange)`, `on_order_update(&mut self, update: &OrderUpdate, exchange: &mut Exchange)` \
    and `on_simulation_end(&mut self, exchange: &mut Exchange)`; helpers go into an `impl` block of your own";
const SEND: &str = "orders are sent by `exchange.limit(Limit::buy(price, quantity))`, `exchange.market(Side::Buy, quantity)` and \
    `exchange.order(Order::limit(side, price, quantity)…)`";
const TIMES: &str = "`time - earlier` is a `Duration`, `time + duration` a `Time`; compare times with times: `exchange.now() >= config.market_close`";
const KINDS: &str = "the kinds are `Accepted`, `Fill { price, quantity, liquidity }`, `Cancelled { reason }`, `AllCancelled { count }`, `Modified { price }`, \
    `Reduced { by }`, `Triggered` and `Rejected { reason }`; a fill with `update.remaining == 0` was the last";

const RULES: &[Rule] = &[
    ("E0616", &["field `0` of struct `Quantity`"], NUMBER),
    ("E0616", &["field `0` of struct `Price`"], NUMBER),
    (
        "E0616",
        &["field `0` of struct `OrderId`"],
        "`order.number()` is the number; an `OrderId` can be kept, compared and copied as it is",
    ),
    ("E0423", &["Price("], PRICE),
    ("E0423", &["Quantity("], QUANTITY),
    ("E0605", &["`Price` as"], NUMBER),
    ("E0605", &["`Quantity` as"], NUMBER),
    ("E0609", &["on type `Option<Level>`"], UNWRAP),
    ("E0609", &["on type `Option<"], OPTION),
    ("E0599", &["`shares` found for type `u64`"], SHARES),
    ("E0599", &["found for enum `Option<Level>`"], UNWRAP),
    ("E0599", &["found for enum `Option<"], OPTION),
    ("E0599", &["found for struct `Price`"], NUMBER),
    ("E0599", &["found for struct `Quantity`"], NUMBER),
    ("E0599", &["found for enum `UpdateKind`"], KINDS),
    ("E0599", &["`&mut Exchange`"], SEND),
    ("E0061", &["expected `Limit`"], SEND),
    ("E0308", &["expected `Limit`"], SEND),
    ("E0308", &["expected because this is `Price`"], COMPARED),
    ("E0308", &["expected because this is `Quantity`"], COMPARED),
    ("E0308", &["expected because this is `Time`"], TIMES),
    ("E0308", &["expected `Price`, found `Option<Level>`"], UNWRAP),
    ("E0308", &["expected `Price`"], PRICE),
    ("E0308", &["expected `Quantity`"], QUANTITY),
    ("E0308", &["found `Duration`"], TIMES),
    ("E0308", &["found `Price`"], NUMBER),
    ("E0308", &["found `Quantity`"], NUMBER),
    ("E0308", &["expected `i64`, found floating-point number"], NUMBER),
    ("E0308", &["found `Option<Level>`"], UNWRAP),
    ("E0308", &["found `Option<f64>`"], OPTION),
    ("E0369", &["`Option<"], OPTION),
    ("E0369", &["`Price`"], NUMBER),
    ("E0369", &["`Quantity`"], NUMBER),
    ("E0277", &["`Price`"], NUMBER),
    ("E0277", &["`Quantity`"], NUMBER),
    ("E0407", &["trait `Strategy`"], CALLBACKS),
    ("E0050", &["trait `Strategy::"], CALLBACKS),
    ("E0053", &["trait"], CALLBACKS),
    ("E0046", &["missing: `initialize`"], CALLBACKS),
];

/// What usually mends an error with this code, given the whole message as the compiler draws it.
pub(crate) fn hint(code: &str, rendered: &str) -> Option<&'static str> {
    // Types are written out or not, as the compiler likes.
    let text = rendered.replace("assay_sdk::", "");
    let fits = |(of, words, _): &&Rule| *of == code && words.iter().all(|word| text.contains(word));
    RULES.iter().find(fits).map(|(_, _, hint)| *hint)
}
