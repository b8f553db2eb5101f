//! Links between the exchange and everyone else, and the queue that messages travel through.
//!
//! Latency is computed from two places on a line, never stored as a matrix; what a kind of message takes besides is computed from the seed, the agent's
//! name and the kind. Invariants: a link's latency depends on the seed and the two names alone; messages of one kind on one link arrive in the order
//! in which they were sent; requests and their answers are never lost.

use assay_model::{Nanos, Stream, SymbolIndex, Time};

use super::message::{Happening, Instruction, Letter, Message};
use super::names::Names;
use super::queue::{Class, Queue};
use super::seats::Seat;
use crate::AgentIndex;
use crate::owner::{EXCHANGE, Owner, STRATEGY};
use crate::scenario::{Jitter, MessageKind, Scenario};

/// Purposes of the random streams of each kind of message.
const LOSS_PURPOSES: [&str; MessageKind::ALL.len()] =
    ["loss-request", "loss-query", "loss-update", "loss-snapshot", "loss-imbalance", "loss-market-data"];
const PAIR_PURPOSES: [&str; MessageKind::ALL.len()] =
    ["pair-request", "pair-query", "pair-update", "pair-snapshot", "pair-imbalance", "pair-market-data"];

const METRES_PER_NANOSECOND: f64 = 0.299_792_458;

/// See the module documentation.
pub(super) struct Network<'s> {
    pub(super) queue: Queue<Happening>,
    pub(super) names: Names<'s>,
    scenario: &'s Scenario,
    /// The exchange's place on the line, in metres.
    exchange_metres: f64,
    /// By participant: who sits at the ends of the links.
    pub(super) seats: Vec<Seat>,
    /// By agent, and empty where nothing is left to chance.
    links: Vec<Link>,
    /// Index of the first strategy; behind it there is nobody else.
    first_trader: AgentIndex,
}

/// What chance decides about the messages of one link.
#[derive(Clone, Default)]
struct Link {
    jitter: Option<Box<LinkJitter>>,
    /// What decides, by kind, whether a message is lost; there from the first message on that could be.
    losses: Option<Box<[Stream; MessageKind::ALL.len()]>>,
}

/// What a link with random latency must remember, outward and back.
#[derive(Clone)]
struct LinkJitter {
    out: Lane,
    back: Lane,
}

#[derive(Clone)]
struct Lane {
    stream: Stream,
    /// When the last message arrives; the next one must not overtake it.
    last_arrival: Time,
}

impl<'s> Network<'s> {
    pub(super) fn new(scenario: &'s Scenario, names: Names<'s>, seats: usize) -> Self {
        let exchange = Owner { seed: names.seed, name: EXCHANGE };
        let settings = &scenario.network;
        let by_chance = settings.jitter.is_some() || settings.messages.iter().any(|kind| kind.loss > 0.0);
        let agents = scenario.trader().0 as usize + seats;
        Self {
            queue: Queue::new(),
            exchange_metres: place(scenario, exchange),
            seats: Seat::of_all(scenario, seats),
            links: vec![Link::default(); if by_chance { agents } else { 0 }],
            names,
            scenario,
            first_trader: scenario.trader(),
        }
    }

    /// Sends an instruction that leaves `agent` at `at`.
    pub(super) fn send_to_exchange(
        &mut self,
        agent: AgentIndex,
        symbol: SymbolIndex,
        at: Time,
        instruction: Instruction,
    ) {
        let kind = match instruction {
            Instruction::Request(_) | Instruction::Stop => MessageKind::Request,
            Instruction::Query { .. } => MessageKind::Query,
        };
        let Some(extra) = self.passage(agent, kind) else { return };
        let arrival = self.arrival(agent, at, |jitter| &mut jitter.out) + extra;
        self.queue.push(arrival, Class::Exchange, Happening::Arrival { agent, symbol, instruction });
    }

    /// Sends a message that leaves the exchange at `at`.
    pub(super) fn send_to_agent(&mut self, agent: AgentIndex, symbol: SymbolIndex, at: Time, message: Message) {
        let kind = match message {
            // The strategy's ticks and everyone's wake-ups take no way; see `wake`.
            Message::Wake | Message::Update(_) => MessageKind::Update,
            Message::Snapshot(_) => MessageKind::Snapshot,
            Message::Imbalance => MessageKind::Imbalance,
            Message::MarketData(_) => MessageKind::MarketData,
        };
        let Some(extra) = self.passage(agent, kind) else { return };
        let arrival = self.arrival(agent, at, |jitter| &mut jitter.back) + extra;
        self.queue.push(arrival, Class::Agent, Happening::Delivery { agent, letter: Letter { symbol, message } });
    }

    /// Wakes `agent` at `at`.
    pub(super) fn wake(&mut self, agent: AgentIndex, at: Time) {
        self.queue.set_timer(at, agent.0);
    }

    /// The least time a message takes between `agent` and the exchange; drawn when the first message needs it.
    #[inline]
    pub(super) fn latency(&mut self, agent: AgentIndex) -> Nanos {
        let drawn = self.seats[agent.0 as usize].latency;
        if drawn == Seat::NOT_DRAWN { self.draw_latency(agent) } else { drawn }
    }

    #[cold]
    fn draw_latency(&mut self, agent: AgentIndex) -> Nanos {
        let index = agent.0 as usize;
        let scenario = self.scenario;
        let is_strategy = agent >= self.first_trader;
        let exchange_metres = self.exchange_metres;
        let (latency, jitter) = self.names.with(agent, |owner| {
            let latency = if is_strategy {
                scenario.latency
            } else {
                // Truncated to whole nanoseconds.
                Nanos(((place(scenario, owner) - exchange_metres).abs() / METRES_PER_NANOSECOND) as u64)
            };
            let lane = |purpose| Lane { stream: owner.stream(purpose), last_arrival: Time(0) };
            let jitter = scenario.network.jitter.is_some();
            (latency, jitter.then(|| Box::new(LinkJitter { out: lane("latency-out"), back: lane("latency-back") })))
        });
        self.seats[index].latency = latency;
        if jitter.is_some() {
            self.links[index].jitter = jitter;
        }
        latency
    }

    /// What a message of this kind takes besides its link's latency; `None` if it is lost.
    #[inline]
    fn passage(&mut self, agent: AgentIndex, kind: MessageKind) -> Option<Nanos> {
        let settings = &self.scenario.network.messages[kind as usize];
        let by_chance = settings.loss > 0.0 || settings.pair_spread != Nanos(0);
        if by_chance { self.draw_passage(agent, kind) } else { Some(settings.delay) }
    }

    #[inline(never)]
    fn draw_passage(&mut self, agent: AgentIndex, kind: MessageKind) -> Option<Nanos> {
        let settings = &self.scenario.network.messages[kind as usize];
        if settings.loss > 0.0 {
            // The latency first: it makes the link.
            self.latency(agent);
            let (names, losses) = (&mut self.names, &mut self.links[agent.0 as usize].losses);
            let streams = losses.get_or_insert_with(|| {
                names.with(agent, |owner| {
                    Box::new(MessageKind::ALL.map(|kind| owner.stream(LOSS_PURPOSES[kind as usize])))
                })
            });
            if streams[kind as usize].unit() < settings.loss {
                return None;
            }
        }
        if settings.pair_spread == Nanos(0) {
            return Some(settings.delay);
        }
        let most = settings.pair_spread.0 + 1;
        let own = self.names.with(agent, |owner| owner.stream(PAIR_PURPOSES[kind as usize]).below(most));
        Some(Nanos(settings.delay.0 + own))
    }

    fn arrival(&mut self, agent: AgentIndex, at: Time, lane: impl FnOnce(&mut LinkJitter) -> &mut Lane) -> Time {
        let least = self.latency(agent);
        let jitter = self.links.get_mut(agent.0 as usize).and_then(|link| link.jitter.as_mut());
        let (Some(curve), Some(jitter)) = (&self.scenario.network.jitter, jitter) else { return at + least };
        let lane = lane(jitter);
        let arrival = at + least + extra(curve, least, &mut lane.stream);
        lane.last_arrival = lane.last_arrival.max(arrival);
        lane.last_arrival
    }
}

/// Where `owner` sits on the line, in metres from its left end.
fn place(scenario: &Scenario, owner: Owner<'_>) -> f64 {
    debug_assert_ne!(owner.name, STRATEGY, "a strategy's latency is given, not drawn");
    scenario.network.line_metres * owner.stream("place").unit()
}

/// The cubic curve of [`Jitter`].
fn extra(curve: &Jitter, least: Nanos, stream: &mut Stream) -> Nanos {
    let x = 1.0 - (1.0 - curve.clip) * stream.unit();
    Nanos((curve.scale / (x * x * x) * (least.0 as f64 / curve.unit)) as u64)
}
