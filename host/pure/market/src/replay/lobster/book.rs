//! The recorded book while it is read: what the files say rests, beside what rests at an exchange that has been sent what the recording will send.
//!
//! Each resting order of ours stands for recorded shares at its price. Mostly it is one recorded order; but the files show more shares than they
//! name orders, and shares are executed out of turn, and then an order of ours may hold more shares than recorded while another at that price
//! holds less. Invariant, after each row outside a halt: at every price, both hold the same number of shares.

use super::level::{Entry, Level};
use super::message::{BookRow, Kind, Message, Shown};
use super::replica::{Replica, TAKERS, resting};
use super::{LobsterSettings, RecordedHalt};
use crate::replay::{Findings, RECORDED_MAX};
use crate::rows::{DataError, Row};
use crate::{AgentIndex, OPEN_ORDERS_MAX};
use assay_model::{Display, PostOnly, Price, QUANTITY_MAX, Qualifiers, Reason, Request, RequestId, RequestKind, Side};
use assay_model::{Nanos, Terms, Time, TimeInForce};
use std::collections::BTreeMap;

/// What reading amounts to.
pub(super) struct Finished {
    pub(super) requests: Vec<(Time, AgentIndex, Request)>,
    pub(super) halts: Vec<RecordedHalt>,
    pub(super) findings: Findings,
}

/// See the module documentation.
pub(super) struct Tracked {
    settings: LobsterSettings,
    /// By side and distance from the best price there can be.
    sides: [BTreeMap<i64, Level>; 2],
    /// Where each known order rests.
    places: BTreeMap<i64, (Side, Price)>,
    /// What was in view after the last row, bids and offers.
    view: [Shown; 2],
    is_halted: bool,
    halts: Vec<RecordedHalt>,
    /// From the open on.
    replica: Option<Replica>,
    /// Levels at which the exchange may not hold what is recorded.
    touched: Vec<(Side, Price)>,
    pub(super) findings: Findings,
}

fn key(side: Side, price: Price) -> i64 {
    -side.sign() * price.cents()
}

impl Tracked {
    /// The book before the first message: what is shown after it, less what it did.
    pub(super) fn before(
        first: &Message,
        after: &BookRow,
        row: &Row<'_>,
        settings: &LobsterSettings,
    ) -> Result<Self, DataError> {
        let mut tracked = Self {
            settings: *settings,
            sides: [BTreeMap::new(), BTreeMap::new()],
            places: BTreeMap::new(),
            // Whatever is shown after the first message is made up of what is shown.
            view: [after.bids.clone(), after.asks.clone()],
            is_halted: false,
            halts: Vec::new(),
            replica: None,
            touched: Vec::new(),
            findings: Findings::default(),
        };
        for side in [Side::Buy, Side::Sell] {
            for (price, shares) in &after.side_of(side).levels {
                tracked.level(side, *price).add(None, *shares);
            }
        }
        if let Some(price) = first.price {
            match first.kind {
                Kind::Submit => {
                    let lacking = tracked.level(first.side, price).take_unknown(first.size);
                    if lacking > 0 {
                        let expected = "the order that the first message enters, among the levels shown";
                        return Err(row.unexpected(
                            None,
                            format!("{} shares at its price", first.size - lacking),
                            expected,
                        ));
                    }
                }
                Kind::Reduce | Kind::Delete | Kind::Execute => tracked.level(first.side, price).add(None, first.size),
                _ => {}
            }
        }
        tracked.findings.revealed = tracked.sides.iter().flat_map(BTreeMap::values).map(Level::recorded).sum();
        Ok(tracked)
    }

    fn level(&mut self, side: Side, price: Price) -> &mut Level {
        self.touched.push((side, price));
        self.sides[side as usize].entry(key(side, price)).or_default()
    }

    fn best(&self, side: Side) -> Option<i64> {
        let best = self.sides[side as usize].iter().find(|(_, level)| level.recorded() > 0);
        best.map(|(key, _)| -side.sign() * key)
    }

    /// Whether what happens goes into the recording at once.
    fn is_live(&self) -> bool {
        self.replica.is_some() && !self.is_halted
    }

    /// Takes in a message of before the close.
    pub(super) fn apply(&mut self, message: &Message, row: &Row<'_>) -> Result<(), DataError> {
        let at = self.settings.midnight + message.time;
        if at >= self.settings.open {
            self.begin(row)?;
            self.findings.messages += 1;
        } else {
            self.findings.messages_outside += 1;
        }
        let size = message.size;
        match (message.kind, message.price) {
            (Kind::Submit, Some(price)) => self.submit(message, price, row)?,
            (Kind::Reduce | Kind::Delete, Some(price)) => {
                self.take(message, price, row)?;
            }
            (Kind::Execute, Some(price)) => {
                let id = self.take(message, price, row)?;
                if self.is_live() {
                    self.findings.executed += size;
                    self.execute(at, id, message, price, row)?;
                } else if self.replica.is_some() {
                    self.findings.crosses_left_out += size;
                }
            }
            (Kind::ExecuteHidden, price) if self.replica.is_some() => self.execute_hidden(at, message, price, row)?,
            (Kind::Cross, _) if self.replica.is_some() => self.findings.crosses_left_out += size,
            (Kind::Halt, _) if !self.is_halted => {
                self.is_halted = true;
                self.halts.push(RecordedHalt { from: at, until: None });
            }
            (Kind::Resume, _) if self.is_halted => {
                self.is_halted = false;
                if let Some(halt) = self.halts.last_mut() {
                    halt.until = Some(at);
                }
                self.touch_all();
            }
            _ => {}
        }
        // What a halt has left is put right once its last row has been compared.
        if message.kind == Kind::Resume { Ok(()) } else { self.settle(at, row) }
    }

    /// Sends the book as it is at the open, unless that has been done. Later books are compared with the file and so cannot be crossed; that from
    /// before the first message is made up of what the file shows after it.
    fn begin(&mut self, row: &Row<'_>) -> Result<(), DataError> {
        if self.replica.is_none() {
            if let (Some(bid), Some(ask)) = (self.best(Side::Buy), self.best(Side::Sell))
                && bid >= ask
                && !self.is_halted
            {
                let seen = format!("a bid at {} and an offer at {} in the book before it", bid * 100, ask * 100);
                return Err(row.unexpected(None, seen, "bids below offers, outside of a halt"));
            }
            self.replica = Some(Replica::new(self.settings.open));
            self.touch_all();
            self.settle(self.settings.open, row)?;
        }
        Ok(())
    }

    fn touch_all(&mut self) {
        self.touched.clear();
        for side in [Side::Buy, Side::Sell] {
            let prices = self.sides[side as usize].keys().map(|key| (side, Price::clamped(-side.sign() * key)));
            self.touched.extend(prices);
        }
    }

    fn submit(&mut self, message: &Message, price: Price, row: &Row<'_>) -> Result<(), DataError> {
        let Message { id, size, side, .. } = *message;
        if self.places.contains_key(&id) {
            return Err(row.unexpected(Some("order id"), format!("`{id}`"), "an id that no resting order has"));
        }
        if let Some(best) = self.best(side.opposite()).filter(|best| side.sign() * (price.cents() - best) >= 0)
            && !self.is_halted
        {
            let expected = format!("one that does not trade with the best order of the other side, at {}", best * 100);
            return Err(row.unexpected(Some("price"), format!("`{}`", price.cents() * 100), &expected));
        }
        self.places.insert(id, (side, price));
        self.level(side, price).add(Some(id), size);
        Ok(())
    }

    /// Takes the shares of a cancel or an execution off the book; the order, if it is a known one.
    fn take(&mut self, message: &Message, price: Price, row: &Row<'_>) -> Result<Option<i64>, DataError> {
        let Message { id, size, side, kind, .. } = *message;
        let known = self.places.get(&id).copied();
        if let Some((_, rests_at)) = known.filter(|place| *place != (side, price)) {
            let expected = format!("{} and the direction with which order {id} was entered", rests_at.cents() * 100);
            return Err(row.unexpected(Some("price"), format!("`{}`", price.cents() * 100), &expected));
        }
        let level = self.level(side, price);
        let (mut lacking, mut gone) = (size, false);
        if let Some(entry) = level.entries.iter_mut().find(|entry| known.is_some() && entry.id == Some(id)) {
            let taken = size.min(entry.recorded);
            if (taken < size || (kind == Kind::Delete && taken < entry.recorded)) && !level.is_loose {
                let what = if kind == Kind::Delete { "" } else { "at most " };
                let expected = format!("{what}{}, what is left of order {id}", entry.recorded);
                return Err(row.unexpected(Some("size"), format!("`{size}`"), &expected));
            }
            entry.recorded -= taken;
            lacking -= taken;
            gone = kind == Kind::Delete || entry.recorded == 0;
            if gone {
                // What was thought to be left of it belongs to somebody else.
                entry.id = None;
            }
        }
        let unknown = level.unknown();
        let (lacking, forgotten) =
            if level.is_loose { level.take_any(lacking) } else { (level.take_unknown(lacking), Vec::new()) };
        if lacking > 0 {
            let expected = format!(
                "an order that rests at this price, or at most {unknown} shares of orders that were there before"
            );
            let seen = format!("`{id}` with {size} shares");
            return Err(row.unexpected(Some("order id"), seen, &expected));
        }
        for gone in gone.then_some(id).into_iter().chain(forgotten) {
            self.places.remove(&gone);
        }
        Ok(known.map(|_| id))
    }

    /// Makes the taker anew and sees whom it meets.
    fn execute(
        &mut self,
        at: Time,
        id: Option<i64>,
        message: &Message,
        price: Price,
        row: &Row<'_>,
    ) -> Result<(), DataError> {
        let side = message.side;
        let terms = Terms::limit(side.opposite(), price.cents(), message.size).with(TimeInForce::ImmediateOrCancel);
        self.send(at, TAKERS, RequestKind::Order(terms), row)?;
        let fills = self.replica.as_mut().map(Replica::take_fills).unwrap_or_default();
        for (request, at_price, shares) in fills {
            let level = self.level(side, at_price);
            if let Some(entry) = level.entries.iter_mut().find(|entry| entry.request == Some(request)) {
                entry.entered -= shares;
                // An order that is gone has lost its name already.
                if entry.id.is_some() && entry.id != id {
                    self.findings.out_of_order += shares;
                }
            }
        }
        Ok(())
    }

    /// A hidden order, gone after a nanosecond, and its taker; where the exchange would match it with nobody else.
    fn execute_hidden(
        &mut self,
        at: Time,
        message: &Message,
        price: Option<Price>,
        row: &Row<'_>,
    ) -> Result<(), DataError> {
        let Message { size, side, .. } = *message;
        let is_free = |price: &Price| {
            let sign = side.sign();
            let behind_best = self.best(side).is_none_or(|best| sign * (price.cents() - best) > 0);
            let before_other = self.best(side.opposite()).is_none_or(|best| sign * (best - price.cents()) > 0);
            behind_best && before_other
        };
        let fits = (1..=QUANTITY_MAX).contains(&size) && self.is_live();
        let Some(price) = price.filter(|price| fits && is_free(price)) else {
            self.findings.hidden_left_out += size;
            return Ok(());
        };
        self.findings.executed_hidden += size;
        let hidden = Terms::limit(side, price.cents(), size)
            .shown_as(Display::Hidden)
            .post_only(PostOnly::Reject)
            .good_till(at + Nanos(1));
        let taker = Terms::limit(side.opposite(), price.cents(), size).with(TimeInForce::ImmediateOrCancel);
        self.send(at, resting(side), RequestKind::Order(hidden), row)?;
        self.send(at, TAKERS, RequestKind::Order(taker), row)?;
        if let Some(replica) = &mut self.replica {
            replica.take_fills();
        }
        Ok(())
    }

    fn send(&mut self, at: Time, agent: AgentIndex, kind: RequestKind, row: &Row<'_>) -> Result<RequestId, DataError> {
        let Some(replica) = &mut self.replica else { return Ok(RequestId(0)) };
        if replica.requests() >= RECORDED_MAX {
            let expected = format!("at most {RECORDED_MAX} requests in the session");
            return Err(row.unexpected(None, "one more".to_owned(), &expected).hint("replay a part of the day"));
        }
        replica.send(at, agent, kind).map_err(|reason| {
            let (seen, expected) = match reason {
                Reason::TooManyOpenOrders => {
                    ("more resting orders".to_owned(), format!("at most {OPEN_ORDERS_MAX} on a side"))
                }
                reason => (format!("a request that the exchange refuses ({reason:?})"), "one that it takes".to_owned()),
            };
            row.unexpected(None, seen, &expected)
        })
    }

    /// Makes the exchange hold what is recorded at each level touched: takes off what is too much everywhere, then enters what is missing, so
    /// that nothing trades on the way.
    fn settle(&mut self, at: Time, row: &Row<'_>) -> Result<(), DataError> {
        if !self.is_live() {
            // Before the open all levels are touched anyway, and at the end of a halt again.
            self.touched.clear();
            return Ok(());
        }
        let touched = std::mem::take(&mut self.touched);
        for (side, price) in &touched {
            self.trim(at, *side, *price, row)?;
        }
        for (side, price) in &touched {
            self.fill_up(at, *side, *price, row)?;
            let levels = &mut self.sides[*side as usize];
            if let Some(level) = levels.get_mut(&key(*side, *price)) {
                level.entries.retain(|entry| entry.recorded > 0 || entry.entered > 0);
                if level.entries.is_empty() {
                    levels.remove(&key(*side, *price));
                }
            }
        }
        Ok(())
    }

    fn trim(&mut self, at: Time, side: Side, price: Price, row: &Row<'_>) -> Result<(), DataError> {
        let Some(level) = self.sides[side as usize].get(&key(side, price)) else { return Ok(()) };
        let entered: u64 = level.entries.iter().map(|entry| entry.entered).sum();
        let there = level.entries.iter().filter(|entry| entry.request.is_some());
        let mut excess = entered.saturating_sub(there.map(|entry| entry.recorded).sum());
        let mut index = 0;
        while excess > 0 {
            let Some(entry) =
                self.sides[side as usize].get(&key(side, price)).and_then(|level| level.entries.get(index))
            else {
                break;
            };
            let by = excess.min(entry.entered.saturating_sub(entry.recorded));
            if let (Some(order), 1..) = (entry.request, by) {
                let whole = by == entry.entered;
                let kind = if whole { RequestKind::Cancel { order } } else { RequestKind::Reduce { order, by } };
                self.send(at, resting(side), kind, row)?;
                excess -= by;
                if let Some(entry) =
                    self.sides[side as usize].get_mut(&key(side, price)).and_then(|level| level.entries.get_mut(index))
                {
                    entry.entered -= by;
                }
            }
            index += 1;
        }
        Ok(())
    }

    fn fill_up(&mut self, at: Time, side: Side, price: Price, row: &Row<'_>) -> Result<(), DataError> {
        let Some(level) = self.sides[side as usize].get_mut(&key(side, price)) else { return Ok(()) };
        let there = level.entries.iter().filter(|entry| entry.request.is_some());
        let (recorded, entered) =
            there.fold((0, 0), |(recorded, entered), entry| (recorded + entry.recorded, entered + entry.entered));
        // Shares that a taker has hit here, although by the files it has hit others.
        let mut missing: u64 = recorded.saturating_sub(entered);
        let mut new = Vec::new();
        for (index, entry) in level.entries.iter().enumerate().filter(|(_, entry)| entry.request.is_none()) {
            new.push((index, entry.recorded));
        }
        while missing > 0 {
            let shares = missing.min(QUANTITY_MAX);
            level.entries.push_back(Entry { id: None, recorded: 0, entered: 0, request: None });
            new.push((level.entries.len() - 1, shares));
            missing -= shares;
        }
        for (index, quantity) in new.into_iter().filter(|(_, quantity)| *quantity > 0) {
            let qualifiers = Qualifiers::default();
            let kind = RequestKind::Limit { side, price: price.cents(), quantity, qualifiers };
            let request = self.send(at, resting(side), kind, row)?;
            if let Some(entry) =
                self.sides[side as usize].get_mut(&key(side, price)).and_then(|level| level.entries.get_mut(index))
            {
                (entry.entered, entry.request) = (quantity, Some(request));
            }
        }
        Ok(())
    }

    /// Compares with what the order book file shows after the message. What was in view before must agree; what was not is believed.
    pub(super) fn compare(&mut self, now: &BookRow, row: &Row<'_>, message: &Message) -> Result<(), DataError> {
        // Where nothing trades, bids may stand above offers.
        if let (Some((ask, _)), Some((bid, _))) = (now.asks.levels.first(), now.bids.levels.first())
            && bid >= ask
            && !self.is_halted
        {
            let seen = format!("`{}`", bid.cents() * 100);
            return Err(row.unexpected(Some("bid price 1"), seen, "a price below that of the best ask"));
        }
        // In a halt, at its end and in a cross, anything may change.
        let is_accountable = !self.is_halted && !matches!(message.kind, Kind::Cross | Kind::Resume);
        let view = std::mem::replace(&mut self.view, [now.bids.clone(), now.asks.clone()]);
        for side in [Side::Buy, Side::Sell] {
            let before = &view[side as usize];
            let is_new = |price| message.kind == Kind::Resume || !before.covers(side, price);
            for (price, _) in now.side_of(side).levels.iter().rev().take_while(|(price, _)| is_new(*price)) {
                if let Some(level) = self.sides[side as usize].get_mut(&key(side, *price)) {
                    level.is_loose = true;
                }
            }
            self.compare_side(side, now.side_of(side), is_accountable.then_some(before), row)?;
        }
        self.settle(self.settings.midnight + message.time, row)
    }

    fn compare_side(
        &mut self,
        side: Side,
        now: &Shown,
        before: Option<&Shown>,
        row: &Row<'_>,
    ) -> Result<(), DataError> {
        let levels = self.sides[side as usize].iter().map(|(key, level)| (*key, level.recorded()));
        let ours: Vec<(i64, u64)> = levels
            .filter(|(_, shares)| *shares > 0)
            .take_while(|(key, _)| now.covers(side, Price::clamped(-side.sign() * key)))
            .collect();
        let shown: Vec<(i64, u64)> = now.levels.iter().map(|(price, shares)| (key(side, *price), *shares)).collect();
        if ours == shown {
            return Ok(());
        }
        let find = |levels: &[(i64, u64)], key: i64| {
            levels.binary_search_by_key(&key, |(key, _)| *key).map_or(0, |index| levels[index].1)
        };
        let mut keys: Vec<i64> = ours.iter().chain(&shown).map(|(key, _)| *key).collect();
        keys.sort_unstable();
        keys.dedup();
        for key in keys {
            let (seen, expected) = (find(&shown, key), find(&ours, key));
            let price = Price::clamped(-side.sign() * key);
            if seen == expected {
                continue;
            }
            if before.is_some_and(|before| before.covers(side, price)) {
                let name = if side == Side::Buy { "bid" } else { "ask" };
                let number = shown.partition_point(|(other, _)| *other < key) + 1;
                let at = price.cents() * 100;
                let expected = format!("{expected} shares at that price, by the rows and messages before");
                let column = format!("{name} size {number}");
                return Err(row.unexpected(Some(&column), format!("{seen} shares at {at}"), &expected));
            }
            self.correct(side, price, seen, expected);
        }
        Ok(())
    }

    /// Believes that a level holds other shares than were known.
    fn correct(&mut self, side: Side, price: Price, shown: u64, known: u64) {
        let level = self.level(side, price);
        level.is_loose = true;
        level.add(None, shown.saturating_sub(known));
        let (_, forgotten) = level.take_any(known.saturating_sub(shown));
        for id in forgotten {
            self.places.remove(&id);
        }
        self.findings.revealed += shown.saturating_sub(known);
    }

    /// Ends the session.
    pub(super) fn finish(mut self, row: &Row<'_>) -> Result<Finished, DataError> {
        self.begin(row)?;
        let (open, close) = (self.settings.open, self.settings.close);
        let halts = self.halts.into_iter().filter(|halt| halt.until.is_none_or(|until| until > open));
        let halts = halts
            .map(|halt| RecordedHalt { from: halt.from.max(open), until: halt.until.filter(|until| *until < close) });
        let requests = self.replica.map(Replica::into_requests).unwrap_or_default();
        Ok(Finished { requests, halts: halts.collect(), findings: self.findings })
    }
}
