//! Still pays: knows from the tape how dealers answer flow, takes what they have not moved yet, and quotes around what they will quote when they look next.
//!
//! With `--param quotes=0` it only takes. docs/attacks.md says what it earns, and why.
use assay_sdk::*;

parameters! { struct P {
    impact: f64 = 0.0167 in 0.0..=1.0,
    fade: f64 = 0.845 in 0.0..=1.0,
    memory: f64 = 30.0 in 0.1..=1000.0 log,
    gamma: f64 = 0.005 in 0.0..=1.0,
    edge: f64 = 1.0 in -5.0..=20.0,
    take: f64 = 0.5 in -5.0..=50.0,
    size: u64 = 300 in 1..=5000,
    most: i64 = 900 in 1..=5000,
    quotes: i64 = 1 in 0..=1,
    improve: i64 = 1 in 0..=5,
    pace: f64 = 1.0 in 0.1..=10.0,
} }

struct S {
    p: P,
    parts: [f64; 3],
    lasting: f64,
    at: Option<Time>,
    level: Option<f64>,
    mine: [Option<(OrderId, i64, u64, bool)>; 2], // id, price, remaining, moving
    pending: i64, // taker shares in flight
    takes: Vec<(OrderId, i64, u64)>,
    close: Time,
}


impl S {
    fn offset(&self) -> f64 { self.lasting + self.parts.iter().sum::<f64>() }
    fn advance(&mut self, to: Time) -> f64 {
        let Some(at) = self.at else { self.at = Some(to); return 0.0 };
        let dt = if to > at { (to - at).as_nanos() as f64 * 1e-9 } else { 0.0 };
        for (p, t) in self.parts.iter_mut().zip([1.0, 21.9, 480.0].map(|t| t * self.p.pace)) { *p *= (-dt / t).exp(); }
        self.at = Some(if to > at { to } else { at });
        dt
    }
    fn others(&self, side: Side, x: &Exchange) -> Option<(i64, u64)> {
        let own = self.mine[side as usize];
        for l in x.depth(side, 10) {
            let mut q = l.quantity;
            if let Some((_, p, r, _)) = own && p == l.price.cents() { q = q.saturating_sub(r); }
            if q > 0 { return Some((l.price.cents(), q)); }
        }
        None
    }
    fn act(&mut self, x: &mut Exchange) {
        let now = x.now();
        for t in x.new_trades() {
            self.advance(t.at);
            let net = t.signed() as f64 * self.p.impact;
            self.lasting += net * (1.0 - self.p.fade);
            for p in &mut self.parts { *p += net * self.p.fade / 3.0; }
        }
        let dt = self.advance(now);
        let (Some((bid, bq)), Some((ask, aq))) = (self.others(Side::Buy, x), self.others(Side::Sell, x)) else {
            self.cancel(x); return };
        let mid = (bid + ask) as f64 / 2.0;
        let off = self.offset();
        let level = match self.level { None => mid - off, Some(l) => l + (mid - off - l) * (1.0 - (-dt / self.p.memory).exp()) };
        self.level = Some(level);
        let fair = level + off;
        let pos = x.position() + self.pending;
        let r = fair - self.p.gamma * pos as f64;
        let flat = now >= self.close;
        // take
        if self.takes.is_empty() {
            let most = self.p.most;
            if r - (ask as f64) - 0.3 > self.p.take && pos < most || flat && pos < 0 {
                let q = (aq.min(self.p.size) as i64).min(if flat { -pos } else { most - pos }) as u64;
                self.send(Side::Buy, ask, q, x);
            } else if bid as f64 - r - 0.3 > self.p.take && pos > -most || flat && pos > 0 {
                let q = (bq.min(self.p.size) as i64).min(if flat { pos } else { most + pos }) as u64;
                self.send(Side::Sell, bid, q, x);
            }
        }
        if self.p.quotes == 0 || flat { self.cancel(x); return }
        let b = ((r - self.p.edge).floor() as i64).min(bid + self.p.improve).min(ask - 1);
        let a = ((r + self.p.edge).ceil() as i64).max(ask - self.p.improve).max(bid + 1);
        self.quote(Side::Buy, b, pos, x);
        self.quote(Side::Sell, a, pos, x);
    }
    fn send(&mut self, side: Side, price: i64, q: u64, x: &mut Exchange) {
        let (Some(price), Some(q)) = (Price::new(price), Quantity::new(q)) else { return };
        let id = x.order(Order::limit(side, price, q).time_in_force(TimeInForce::ImmediateOrCancel));
        self.takes.push((id, side.sign(), q.shares()));
        self.pending = self.takes.iter().map(|t| t.1 * t.2 as i64).sum();
    }
    fn cancel(&mut self, x: &mut Exchange) {
        for m in &mut self.mine { if let Some((id, _, _, moving)) = m && !*moving { x.cancel(*id); *moving = true; } }
    }
    fn quote(&mut self, side: Side, price: i64, pos: i64, x: &mut Exchange) {
        let room = (self.p.most - side.sign() * pos).max(0) as u64;
        let q = self.p.size.min(room);
        match &mut self.mine[side as usize] {
            Some((id, p, _, moving)) => {
                if *moving { return }
                if q == 0 { x.cancel(*id); *moving = true; }
                else if *p != price {
                    x.cancel(*id); *moving = true;
                }
            }
            None => {
                let (Some(pr), Some(qq)) = (Price::new(price), Quantity::new(q)) else { return };
                let id = x.limit(Limit::new(side, pr, qq).post_only());
                self.mine[side as usize] = Some((id, price, q, false));
            }
        }
    }
}

impl Strategy for S {
    fn initialize(c: &Config, x: &mut Exchange) -> Self {
        S { p: P::read(x), parts: [0.0; 3], lasting: 0.0, at: None, level: None, mine: [None; 2], pending: 0, takes: vec![], close: c.market_close - Duration::from_secs(3) }
    }
    fn on_tick(&mut self, x: &mut Exchange) { self.act(x) }
    fn on_market_data(&mut self, _: &Quote, x: &mut Exchange) { self.act(x) }
    fn on_order_update(&mut self, u: &OrderUpdate, x: &mut Exchange) {
        for m in &mut self.mine {
            if let Some((id, _, rem, moving)) = m && *id == u.order {
                if u.ends_order() { *m = None; break }
                if let UpdateKind::Fill { .. } = u.kind { *rem = u.remaining; }
                if let UpdateKind::Rejected { .. } = u.kind { *moving = false; }
            }
        }
        if let Some(i) = self.takes.iter().position(|t| t.0 == u.order) {
            if let UpdateKind::Fill { .. } = u.kind { self.takes[i].2 = u.remaining; }
            if u.ends_order() { self.takes.remove(i); }
            self.pending = self.takes.iter().map(|t| t.1 * t.2 as i64).sum();
        }
        let _ = x;
    }
}
export!(S);
