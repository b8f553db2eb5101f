//! Reads the dealers: computes from the tape what they think the share is worth, for their rule is in the scenario file, and takes what they have not moved yet.
//! Which market it is in, it finds by which market's rule explains the prices best.

use assay_sdk::*;

/// What a share moves the dealers' estimate, in cents, and how fast that fades, in the markets that it knows.
const RULES: [(f64, f64); 4] = [(0.0167, 1.0), (0.0167, 0.5), (0.0334, 1.0), (0.0117, 1.0)];
/// How much of a move fades, and over how many seconds.
const FADE: f64 = 0.845;
const TIMES: [f64; 3] = [1.0, 21.9, 480.0];
/// How its position leans against what it takes, in moves a share.
const LEAN: f64 = 0.6;
/// What a share costs to take, in cents.
const FEE: f64 = 0.3;
/// Shares of an order, and the most that it holds.
const LOT: i64 = 300;
const MOST: i64 = 900;
/// Over how many seconds the level behind the dealers' answers is measured, and for how long it only looks.
const MEMORY: f64 = 30.0;
const LOOKS: Duration = Duration::from_secs(90);

/// What the dealers of one market would think.
#[derive(Clone, Copy)]
struct Belief {
    impact: f64,
    pace: f64,
    lasting: f64,
    fading: [f64; 3],
    level: Option<f64>,
    /// Squares of what it did not explain.
    unexplained: f64,
}

impl Belief {
    fn fade(&mut self, elapsed: f64) {
        for (part, time) in self.fading.iter_mut().zip(TIMES) {
            *part *= (-elapsed / (time * self.pace)).exp();
        }
    }

    fn hear(&mut self, net: f64) {
        self.lasting += self.impact * net * (1.0 - FADE);
        self.fading.iter_mut().for_each(|part| *part += self.impact * net * FADE / 3.0);
    }

    /// What the share is worth to the dealers, when it is this much in the middle.
    fn worth(&mut self, middle: f64, elapsed: f64) -> f64 {
        let moved = self.lasting + self.fading.iter().sum::<f64>();
        let level = self.level.unwrap_or(middle - moved);
        let surprise = middle - moved - level;
        self.unexplained += surprise * surprise * elapsed;
        let level = level + surprise * (1.0 - (-elapsed / MEMORY).exp());
        self.level = Some(level);
        level + moved
    }
}

struct Reader {
    beliefs: [Belief; 4],
    at: Option<Time>,
    /// Its order under way.
    working: Option<OrderId>,
    trades_from: Time,
    close: Time,
}

impl Reader {
    /// Lets what fades fade until `to`; the seconds that have passed.
    fn advance(&mut self, to: Time) -> f64 {
        let elapsed = self.at.filter(|at| *at < to).map_or(0.0, |at| (to - at).as_nanos() as f64 * 1e-9);
        self.beliefs.iter_mut().for_each(|belief| belief.fade(elapsed));
        self.at = Some(self.at.map_or(to, |at| at.max(to)));
        elapsed
    }

    fn act(&mut self, exchange: &mut Exchange) {
        for trade in exchange.new_trades() {
            self.advance(trade.at);
            self.beliefs.iter_mut().for_each(|belief| belief.hear(trade.signed() as f64));
        }
        let now = exchange.now();
        let elapsed = self.advance(now);
        let quote = exchange.quote();
        let (Some(bid), Some(ask)) = (quote.bid, quote.ask) else { return };
        let middle = (bid.price.cents() + ask.price.cents()) as f64 / 2.0;
        let worths = self.beliefs.each_mut().map(|belief| (belief.worth(middle, elapsed), *belief));
        let best = worths.iter().min_by(|a, b| a.1.unexplained.total_cmp(&b.1.unexplained));
        let Some(&(worth, belief)) = best else { return };
        if self.working.is_some() || now < self.trades_from {
            return;
        }
        let position = exchange.position();
        let worth = worth - LEAN * belief.impact * position as f64;
        let flat = now >= self.close;
        for (side, near, edge) in [
            (Side::Buy, ask, worth - ask.price.cents() as f64),
            (Side::Sell, bid, bid.price.cents() as f64 - worth),
        ] {
            let room = if flat { -position * side.sign() } else { MOST - position * side.sign() };
            let wants = LOT.min(near.quantity as i64).min(room);
            if (flat || edge > FEE)
                && let Ok(shares) = u64::try_from(wants)
                && let Some(quantity) = Quantity::new(shares)
            {
                let order = Order::limit(side, near.price, quantity).time_in_force(TimeInForce::ImmediateOrCancel);
                self.working = Some(exchange.order(order));
                return;
            }
        }
    }
}

impl Strategy for Reader {
    fn initialize(config: &Config, _: &mut Exchange) -> Self {
        let beliefs = RULES.map(|(impact, pace)| Belief {
            impact,
            pace,
            lasting: 0.0,
            fading: [0.0; 3],
            level: None,
            unexplained: 0.0,
        });
        let trades_from = config.market_open + LOOKS;
        let close = config.market_close - Duration::from_secs(3);
        Reader { beliefs, at: None, working: None, trades_from, close }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        self.act(exchange);
    }

    fn on_market_data(&mut self, _: &Quote, exchange: &mut Exchange) {
        self.act(exchange);
    }

    fn on_order_update(&mut self, update: &OrderUpdate, _: &mut Exchange) {
        if update.ends_order() {
            self.working = self.working.filter(|order| *order != update.order);
        }
    }
}

export!(Reader);
