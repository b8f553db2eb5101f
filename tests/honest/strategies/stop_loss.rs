//! Buys a little when the price has risen for a while, with a protective stop at the exchange, and takes the stop away when it closes the position
//! itself.

use assay_sdk::*;

/// Shares of a position, and where the stop lies below the price paid, in cents.
const LOT: Quantity = Quantity::of(50);
const RISK: i64 = 15;
/// Follows a rise of `RISE` cents over `LOOKS` looks, one look every few seconds.
const RISE: f64 = 4.0;
const LOOKS: usize = 12;
const PERIOD: Duration = Duration::from_secs(5);
/// Looks for which a position is held at most. This long before the close, none is opened or kept.
const HOLD: u32 = 24;
const LAST: Duration = Duration::from_secs(60);

struct StopLoss {
    clock: Timer,
    close: Time,
    mids: Vec<f64>,
    stop: Option<OrderId>,
    held_for: u32,
}

impl Strategy for StopLoss {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        let clock = Timer::start(config.market_open, PERIOD, exchange);
        StopLoss { clock, close: config.market_close, mids: Vec::new(), stop: None, held_for: 0 }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        let quote = exchange.quote();
        let (Some(mid), Some(ask)) = (quote.mid(), quote.ask) else { return };
        self.mids.push(mid);
        let closing = self.close - exchange.now() < LAST;
        if exchange.position() > 0 {
            self.held_for += 1;
            if self.held_for >= HOLD || closing {
                // The stop first, the sale when its end is known: together they would sell twice.
                match self.stop {
                    Some(stop) => _ = exchange.cancel(stop),
                    None => _ = exchange.market(Side::Sell, LOT),
                }
            }
            return;
        }
        self.held_for = 0;
        let Some(before) = self.mids.len().checked_sub(LOOKS).map(|at| self.mids[at]) else { return };
        if mid - before >= RISE && !closing && exchange.open_orders().is_empty() {
            let order = Order::limit(Side::Buy, ask.price, LOT).time_in_force(TimeInForce::FillOrKill);
            exchange.order(order);
        }
    }

    fn on_order_update(&mut self, update: &OrderUpdate, exchange: &mut Exchange) {
        if let UpdateKind::Fill { price, quantity, .. } = update.kind
            && exchange.position() > 0
            && self.stop.is_none()
        {
            self.stop = Some(exchange.order(Order::market(Side::Sell, quantity).stop(price - RISK)));
        }
        if update.ends_order() && self.stop == Some(update.order) {
            self.stop = None;
        }
    }
}

export!(StopLoss);
