//! What messages meet on their way: extra latency by kind and by ordered pair, and losses.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_market::{AgentIndex, Event, EventKind, EventSink, Inert, Scenario, Summary, simulate};
use assay_model::{OrderUpdate, Reason, Request, RequestId, RequestKind, Seed, Time, UpdateKind};
use std::collections::{BTreeMap, BTreeSet};

/// The smoke market with these keys under `[network]`, and nothing but what the keys say between an agent and the exchange.
fn smoke(messages: &str) -> Scenario {
    let text = Scenario::preset("smoke").unwrap().to_toml().to_owned();
    let text = text.replace("line_metres = 3_866_660", &format!("line_metres = 0\n{messages}"));
    Scenario::parse(&text).unwrap()
}

#[derive(Default)]
struct Log {
    first_requests: BTreeMap<AgentIndex, Time>,
    requests: BTreeSet<(AgentIndex, RequestId)>,
    ended: BTreeSet<(AgentIndex, RequestId)>,
    /// Orders of value agents, each of which follows on a query.
    orders: usize,
}

impl EventSink for Log {
    fn event(&mut self, event: &Event) {
        match event.kind {
            EventKind::Request { agent, request: Request { id, kind } } => {
                self.first_requests.entry(agent).or_insert(event.at);
                self.orders += usize::from((20..40).contains(&agent.0) && matches!(kind, RequestKind::Limit { .. }));
                if !matches!(kind, RequestKind::CancelAll) {
                    self.requests.insert((agent, id));
                }
            }
            EventKind::Update { agent, update: OrderUpdate { order, remaining, kind, .. } } => match kind {
                UpdateKind::Fill { .. } if remaining == 0 => drop(self.ended.insert((agent, order))),
                UpdateKind::Cancelled { .. } | UpdateKind::Rejected { .. } => drop(self.ended.insert((agent, order))),
                _ => {}
            },
            _ => {}
        }
    }
}

fn run(scenario: &Scenario) -> (Summary, Log) {
    let mut log = Log::default();
    let summary = simulate(scenario, Seed(4), &mut Inert::new(scenario.new_desk(Seed(4))), &mut log);
    (summary, log)
}

#[test]
fn each_kind_and_each_pair_has_its_delay() {
    let (_, plain) = run(&smoke(""));
    // The first requests of agents that were first in the market; what follows depends on what came before.
    let (agent, at) = plain.first_requests.iter().min_by_key(|(_, at)| **at).map(|(agent, at)| (*agent, *at)).unwrap();
    let first = |messages: &str| run(&smoke(messages)).1.first_requests[&agent].since(at).0;
    let cases = [
        ("messages = { request = { delay = \"3us\" } }", 3_000),
        ("messages = { query = { delay = \"5us\" } }", 5_000),
        ("messages = { snapshot = { delay = \"7us\" } }", 7_000),
        (
            "messages = { query = { delay = \"5us\" }, snapshot = { delay = \"7us\" }, request = { delay = \"3us\" } }",
            15_000,
        ),
        (
            "messages = { update = { delay = \"9us\" }, market-data = { delay = \"9us\" }, imbalance = { delay = \"9us\" } }",
            0,
        ),
    ];
    for (messages, expected) in cases {
        assert_eq!(first(messages), expected, "{messages}");
    }
    let pair = |kind: &str| first(&format!("messages = {{ {kind} = {{ pair_spread = \"1ms\" }} }}"));
    let (out, back) = (pair("query"), pair("snapshot"));
    assert!(out <= 1_000_000 && back <= 1_000_000 && out != back, "{out} out, {back} back: pairs are ordered");
    assert_eq!(out, pair("query"), "a pair keeps its own");
}

#[test]
fn what_is_lost_is_never_a_request_or_its_answer() {
    let lossless = run(&smoke("")).1.orders as f64;
    for (kind, share) in [("query", 0.5), ("snapshot", 0.5), ("imbalance", 1.0), ("market-data", 1.0)] {
        let scenario = smoke(&format!("messages = {{ {kind} = {{ loss = 0.5 }} }}"));
        let (summary, log) = run(&scenario);
        assert_eq!(run(&scenario).0, summary, "{kind}: it repeats");
        assert_eq!(log.requests.difference(&log.ended).count(), 0, "{kind}: every order ends");
        let found = log.orders as f64 / lossless;
        assert!((found - share).abs() < 0.1, "{kind}: {found} of {lossless} orders are sent, not {share}");
    }
    assert_eq!(run(&smoke("messages = { query = { loss = 1.0 } }")).1.orders, 0, "nobody hears anything");
}

#[test]
fn what_cannot_be_lost_has_no_key_for_it() {
    let base = Scenario::preset("smoke").unwrap().to_toml().to_owned();
    let fault = |messages: &str| {
        let error = Scenario::parse(&base.replace("[network]", &format!("[network]\n{messages}"))).unwrap_err();
        format!("{error}{}", error.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default())
    };
    let line = 1 + base.lines().position(|line| line == "[network]").unwrap() + 1;
    let cases = [
        ("messages = { request = { loss = 0.1 } }", "request.loss`: unknown key (known keys here: delay, pair_spread)"),
        ("messages = { querys = { loss = 0.1 } }", "querys`: unknown key (did you mean `query`?)"),
        ("messages = { query = { loss = 1.5 } }", "query.loss`: 1.5 is not within 0 to 1"),
        ("messages = { update = { delay = \"2min\" } }", "update.delay`: 2min is not within 0ns to 1min"),
    ];
    for (messages, expected) in cases {
        assert_eq!(fault(messages), format!("line {line}, `network.messages.{expected}"), "{messages}");
    }
}

#[test]
fn an_order_that_ends_the_session_ends_with_a_reason() {
    // A request that is still on its way at the close is answered like any late one.
    struct Late(usize);
    impl EventSink for Late {
        fn event(&mut self, event: &Event) {
            if let EventKind::Update { update, .. } = event.kind {
                self.0 += usize::from(update.kind == UpdateKind::Rejected { reason: Reason::MarketClosed });
            }
        }
    }
    let scenario = smoke("messages = { request = { delay = \"30s\" } }");
    let mut late = Late(0);
    simulate(&scenario, Seed(4), &mut Inert::new(scenario.new_desk(Seed(4))), &mut late);
    assert!(late.0 > 0);
}
