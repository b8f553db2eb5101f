//! What must hold of any stream of exchange events, whatever the matching rules.
//!
//! Every order and every other request ends exactly once; shares are neither made nor lost; each trade is one fill on either side; no
//! order trades with its owner's; bids stay below offers, hidden ones included.

use assay_market::{AgentIndex, Event, EventKind};
use assay_model::{Display, OrderId, OrderUpdate, Request, RequestKind, Side, TimeInForce, Trigger, UpdateKind};

/// What is known of a request.
#[derive(Clone, Copy, PartialEq, Debug)]
enum State {
    /// Sent, not answered.
    Asked(RequestKind),
    /// An order that lives: its remaining shares, and its price (none for a market order).
    Live {
        side: Side,
        /// Price-to-comply orders may trade a tick beyond.
        price: Option<i64>,
        slack: i64,
        remaining: u32,
    },
    Ended,
}

/// A fill that a trade has announced.
type Due = (AgentIndex, OrderId, i64, u32);

#[derive(Default)]
pub(crate) struct Audit {
    /// By agent, then by id minus one.
    states: Vec<Vec<State>>,
    due: Vec<Due>,
    /// The order that was cancelled last, its side and slack, which a replace takes over.
    cancelled: Option<(AgentIndex, OrderId, Side, i64)>,
    volume: u64,
    quotes: u64,
    /// The venue has auctions or lets people trade with themselves.
    pub(crate) lenient: bool,
    /// The venue lets people trade with themselves.
    pub(crate) self_trades: bool,
    /// Orders have been sent that may wait outside the book.
    some_wait: bool,
}

impl Audit {
    /// Takes in one event.
    pub(crate) fn event(&mut self, event: &Event) -> Result<(), String> {
        match event.kind {
            EventKind::Request { agent, request } => self.asked(agent, &request),
            EventKind::Update { agent, update } => {
                ensure(update.at == event.at, "an update bears the time of its event")?;
                self.update(agent, &update)
            }
            EventKind::Trade { price, quantity, maker, taker, .. } => {
                ensure(self.self_trades || maker.0 != taker.0, "nobody trades with himself")?;
                ensure(self.due.is_empty(), "both fills of a trade come before the next")?;
                self.volume += u64::from(quantity);
                // Last in, first out: the maker's fill comes first.
                self.due = [taker, maker].map(|(agent, order)| (agent, order, price.cents(), quantity)).to_vec();
                Ok(())
            }
            EventKind::Quote(quote) => {
                self.quotes += 1;
                ensure(quote.sequence == self.quotes, "quotes are numbered without gaps")?;
                ensure(quote.volume == self.volume, "volume is the sum of the trades")?;
                let crossed = quote.bid.zip(quote.ask).is_some_and(|(bid, ask)| bid.price >= ask.price);
                ensure(!crossed, "the visible book is not crossed")
            }
            EventKind::Opened | EventKind::Closed | EventKind::Session(_) => Ok(()),
        }
    }

    /// To be asked between requests: the whole book, hidden orders included, is not crossed and no order hangs between states.
    pub(crate) fn between_requests(&self) -> Result<(), String> {
        let (mut bid, mut ask) = (0, i64::MAX);
        for state in self.states.iter().flatten() {
            match *state {
                State::Live { .. } if self.lenient || self.some_wait => {}
                State::Live { price: None, .. } => return Err("a market order rests".to_owned()),
                State::Live { side: Side::Buy, price: Some(price), .. } => bid = bid.max(price),
                State::Live { side: Side::Sell, price: Some(price), .. } => ask = ask.min(price),
                State::Asked(_) => return Err("a request was not answered at once".to_owned()),
                State::Ended => {}
            }
        }
        ensure(self.due.is_empty(), "every trade has two fills")?;
        ensure(bid < ask, "the whole book is not crossed")
    }

    /// To be asked after the close.
    pub(crate) fn at_the_end(&self) -> Result<(), String> {
        ensure(self.states.iter().flatten().all(|state| *state == State::Ended), "after the close everything has ended")
    }

    fn asked(&mut self, agent: AgentIndex, request: &Request) -> Result<(), String> {
        let agent = agent.0 as usize;
        if self.states.len() <= agent {
            self.states.resize(agent + 1, Vec::new());
        }
        if let RequestKind::Order(terms) = request.kind {
            let auction = matches!(terms.time_in_force, TimeInForce::AtOpen | TimeInForce::AtClose);
            self.some_wait |= auction || terms.trigger != Trigger::None;
        }
        // Streams made smaller after a failure have gaps in their ids.
        let ids = &mut self.states[agent];
        ids.resize(request.id.0 as usize - 1, State::Ended);
        ids.push(State::Asked(request.kind));
        Ok(())
    }

    fn update(&mut self, agent: AgentIndex, update: &OrderUpdate) -> Result<(), String> {
        let OrderUpdate { request, order, remaining, .. } = *update;
        let order_state = self.state(agent, order);
        match update.kind {
            UpdateKind::Accepted => {
                ensure(request == order, "an acceptance is of the order itself")?;
                let Some(State::Asked(kind)) = order_state else {
                    return Err("accepted what was not asked".to_owned());
                };
                let live = self.accepted(agent, kind)?;
                ensure(matches!(live, State::Live { remaining: all, .. } if all == remaining), "accepted in full")?;
                self.set(agent, order, live);
                Ok(())
            }
            UpdateKind::Fill { price, quantity, .. } => {
                ensure(self.due.pop() == Some((agent, order, price.cents(), quantity)), "a fill follows its trade")?;
                let Some(State::Live { side, price: limit, slack, remaining: before }) = order_state else {
                    return Err("filled an order that does not live".to_owned());
                };
                let within = limit.is_none_or(|limit| side.sign() * (limit - price.cents()) + slack >= 0);
                ensure(within, "no fill is worse than the limit")?;
                ensure(before == remaining + quantity, "a fill takes off what traded")?;
                self.set_remaining(agent, order, remaining);
                Ok(())
            }
            UpdateKind::Cancelled { .. } => {
                let Some(State::Live { side, slack, .. }) = order_state else {
                    return Err("cancelled a ghost".to_owned());
                };
                self.cancelled = Some((agent, order, side, slack));
                ensure(remaining == 0, "nothing rests of a cancelled order")?;
                self.set(agent, order, State::Ended);
                self.answered(agent, update)
            }
            UpdateKind::Rejected { .. } => {
                let rests = matches!(order_state, Some(State::Live { remaining: rests, .. }) if rests == remaining);
                ensure(rests || remaining == 0, "a rejection tells what rests")?;
                let asked = matches!(self.state(agent, request), Some(State::Asked(_)));
                ensure(asked, "a request is rejected at most once, and instead of any other answer")?;
                self.set(agent, request, State::Ended);
                Ok(())
            }
            UpdateKind::Modified { price } => {
                let Some(State::Live { side, slack, .. }) = order_state else {
                    return Err("modified a ghost".to_owned());
                };
                let price = Some(price.cents());
                self.set(agent, order, State::Live { side, price, slack, remaining });
                self.answered(agent, update)
            }
            UpdateKind::Reduced { by } => {
                let Some(State::Live { remaining: before, .. }) = order_state else {
                    return Err("reduced a ghost".to_owned());
                };
                ensure(before == remaining + by && remaining > 0, "a reduction takes off what it says")?;
                self.set_remaining(agent, order, remaining);
                self.answered(agent, update)
            }
            UpdateKind::Triggered => {
                ensure(matches!(order_state, Some(State::Live { .. })), "only what lives is triggered")
            }
            UpdateKind::CancelledAll { .. } => {
                let lives = |state: &State| matches!(state, State::Live { .. });
                ensure(!self.states[agent.0 as usize].iter().any(lives), "a cancel-all leaves nothing")?;
                self.answered(agent, update)
            }
        }
    }

    /// Ends the request, if it is another than the order that the update is about.
    fn answered(&mut self, agent: AgentIndex, update: &OrderUpdate) -> Result<(), String> {
        match self.state(agent, update.request) {
            // A replace is answered as an order: accepted next.
            Some(State::Asked(RequestKind::Replace { .. })) => Ok(()),
            Some(State::Asked(_)) => {
                self.set(agent, update.request, State::Ended);
                Ok(())
            }
            _ => ensure(update.request == update.order, "an answer is to an open request"),
        }
    }

    fn accepted(&self, agent: AgentIndex, kind: RequestKind) -> Result<State, String> {
        let mut slack = 0;
        let (side, price, quantity) = match kind {
            RequestKind::Limit { side, price, quantity, .. } => (side, Some(price), quantity),
            RequestKind::Market { side, quantity } => (side, None, quantity),
            RequestKind::Order(terms) => {
                let price = Some(i64::from(terms.price)).filter(|price| *price != 0);
                slack = i64::from(terms.display == Display::Comply);
                (terms.side, price, u64::from(terms.quantity))
            }
            RequestKind::Replace { order: replaced, price, quantity } => match self.cancelled {
                Some((owner, order, side, old_slack)) if (owner, order) == (agent, replaced) => {
                    slack = old_slack;
                    (side, Some(price), quantity)
                }
                _ => return Err("a replaced order ends just before the new one is accepted".to_owned()),
            },
            _ => return Err("only orders are accepted".to_owned()),
        };
        Ok(State::Live { side, price, slack, remaining: quantity as u32 })
    }

    fn state(&self, agent: AgentIndex, id: OrderId) -> Option<State> {
        self.states.get(agent.0 as usize)?.get(usize::try_from(id.0).ok()?.checked_sub(1)?).copied()
    }

    fn set(&mut self, agent: AgentIndex, id: OrderId, state: State) {
        self.states[agent.0 as usize][id.0 as usize - 1] = state;
    }

    fn set_remaining(&mut self, agent: AgentIndex, id: OrderId, left: u32) {
        match &mut self.states[agent.0 as usize][id.0 as usize - 1] {
            State::Live { remaining, .. } if left > 0 => *remaining = left,
            state => *state = State::Ended,
        }
    }
}

fn ensure(holds: bool, rule: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("does not hold: {rule}")) }
}
