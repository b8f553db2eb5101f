//! Scenarios, event logs, recorded markets, and the exchange under any stream of requests.

#[path = "../../host/pure/market/tests/exchange_differential/audit.rs"]
mod audit;

use assay_market::log::{self, decode};
use assay_market::replay::lobster::{LobsterSettings, read};
use assay_market::{
    AgentIndex, Draft, Event, EventKind, EventLog, EventSink, Exchange, FundamentalSeries, Scenario, SelfTrade, Venue,
};
use assay_model::{Request, RequestId, Time};
use audit::Audit;
use std::num::NonZeroU32;

/// Agents of the exchange under test: enough for everyone to trade with someone else, few enough to meet often.
const AGENTS: u32 = 4;
/// Requests of one input, so that each input is quick.
const REQUESTS_MAX: usize = 2_000;
/// Parts two files in one input.
const BETWEEN_FILES: &[u8] = b"\n--\n";

/// A scenario's text is refused with a place in it, or becomes a scenario whose text is kept as it was.
pub fn scenario(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    match Draft::parse(text) {
        Ok(draft) => {
            let (midnight, open, close) = draft.session();
            assert!(midnight <= open && open < close, "a session that does not begin before it ends");
            if draft.replay().is_none() && draft.series().is_none() {
                let scenario = Scenario::parse(text).expect("a draft without data is a scenario");
                let _ = scenario.trader();
            }
        }
        Err(error) => {
            assert!(error.line >= 1 && error.line <= text.lines().count() + 1, "{error} is outside of the text");
            let _ = error.to_string();
        }
    }
}

/// What is read from a log encodes to the same bytes.
pub fn event_log(bytes: &[u8]) {
    let Ok(events) = decode(bytes) else { return };
    let Ok(events) = events.collect::<Result<Vec<_>, log::DecodeError>>() else { return };
    let mut again = EventLog::new(Vec::new());
    events.iter().for_each(|event| again.event(event));
    let (_, written) = again.finish().expect("memory takes every byte");
    assert!(written == bytes, "what was decoded encodes differently");
}

/// Requests, as in an event log but for its header, at an exchange with one rule or another against trading with oneself: the audit of all exchange tests holds after each.
pub fn exchange(bytes: &[u8]) {
    let Some((&rules, records)) = bytes.split_first() else { return };
    let mut log = EventLog::new(Vec::new()).finish().expect("memory takes every byte").1;
    log.extend_from_slice(records);
    let Ok(events) = decode(&log) else { return };
    let requests = events.map_while(Result::ok).filter_map(|event| match event.kind {
        EventKind::Request { agent, request } => Some((event.at, agent, request.kind)),
        _ => None,
    });
    let self_trade = SelfTrade::ALL[usize::from(rules & 3)];
    let mut exchange = Exchange::new(AGENTS).with_venue(Venue { self_trade, ..Venue::default() });
    if rules & 4 != 0 {
        exchange = exchange.telling_depth();
    }
    let mut seen = Audited::default();
    seen.0.lenient = self_trade != SelfTrade::default();
    seen.0.self_trades = self_trade == SelfTrade::Allow;
    let mut ids = [0; AGENTS as usize];
    let mut now = Time(0);
    exchange.open(now, &mut seen);
    for (at, agent, kind) in requests.take(REQUESTS_MAX) {
        // Steps in time and not times: they must not go back, and few inputs would go far otherwise.
        now = Time(now.0.saturating_add(at.0 % 1_000_000_000));
        let agent = agent.0 % AGENTS;
        let id = &mut ids[agent as usize];
        *id += 1;
        exchange.handle(now, AgentIndex(agent), &Request { id: RequestId(*id), kind }, &mut seen);
        seen.0.between_requests().expect("between requests");
    }
    exchange.close(now, &mut seen);
    seen.0.at_the_end().expect("after the close");
}

#[derive(Default)]
struct Audited(Audit);

impl EventSink for Audited {
    fn event(&mut self, event: &Event) {
        self.0.event(event).expect("every event keeps the rules");
    }
}

/// A pair of LOBSTER files is refused with its row, or becomes a recording whose times never go back; the same bytes as a fundamental series.
pub fn lobster(bytes: &[u8]) {
    let at = bytes.windows(BETWEEN_FILES.len()).position(|window| window == BETWEEN_FILES);
    let (messages, book) = match at {
        Some(at) => (&bytes[..at], &bytes[at + BETWEEN_FILES.len()..]),
        None => (bytes, &bytes[..0]),
    };
    let hours = |hours: u64| Time(hours * 3_600_000_000_000);
    let settings =
        LobsterSettings { midnight: hours(0), open: hours(9), close: hours(16), tick_cents: NonZeroU32::MIN };
    if let Ok(recording) = read(messages, book, &settings) {
        let times = || recording.requests().iter().map(|recorded| recorded.at);
        assert!(times().is_sorted(), "times go back");
        assert!(times().all(|at| at < settings.close), "a request after the close");
    }
    if let Ok(series) = FundamentalSeries::read(bytes, settings.midnight, settings.open, settings.close) {
        assert!(series.value_at(settings.open).is_finite());
    }
}
