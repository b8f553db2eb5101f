//! From episodes to a summary: outcomes, limits hit, usage, and each measure with its paired difference.

use crate::convert::group_name;
use crate::outcome::outcome_name;
use crate::record::{
    CallbackSummary, CountRecord, DearestCall, EpisodeRecord, MeasureRecord, MeasureSummary, StopCauseRecord,
    SummaryRecord, UsageSummary,
};
use crate::statistics::{CONFIDENCE, EvidenceRecord, TailRecord, Told, difference, evidence, moments};
use assay_market::metrics::{KPIS, Kpi};
use assay_market::{
    OPEN_ORDERS_MAX, REQUESTS_IN_FLIGHT_MAX, REQUESTS_PER_EPISODE_MAX, WAKEUPS_PENDING_MAX, WAKEUPS_PER_EPISODE_MAX,
};
use assay_model::{Budget, LOG_BYTES_MAX};
use assay_sandbox::{Callback, FuelHistogram, FuelScope, Limit, Outcome, Usage};

/// One scored seed: what goes into the record, and what the summary needs besides.
#[derive(Debug)]
pub(crate) struct Scored {
    pub(crate) record: EpisodeRecord,
    /// Fuel of single calls, by callback.
    pub(crate) fuel_by_call: [FuelHistogram; Callback::ALL.len()],
    /// Lines that found no room in the sandbox.
    pub(crate) log_lines_dropped: u64,
    /// Wake-ups asked for beyond the market's limits.
    pub(crate) wakeups_ignored: u64,
    /// Orders rejected because too many rested already.
    pub(crate) rejections_too_many_open: u64,
    pub(crate) backtrace: Option<String>,
    pub(crate) strategy_seconds: f64,
    pub(crate) baseline_seconds: f64,
}

/// Summary of scored episodes in seed order.
pub(crate) fn summarise(episodes: &[Scored], budget: &Budget) -> SummaryRecord {
    let records: Vec<&EpisodeRecord> = episodes.iter().map(|episode| &episode.record).collect();
    let mut measures = rows(KPIS.iter().map(|info| info.key), &records);
    let evidence = evidence_of(KPIS.iter().map(|info| group_name(info.group)), &records, &mut measures);
    SummaryRecord {
        confidence: CONFIDENCE,
        outcomes: count(episodes.iter().map(|episode| (outcome_name(&episode.record), episode.record.seed))),
        limits_hit: count(episodes.iter().flat_map(limits_hit)),
        measures,
        usage: usage(episodes, budget),
        evidence,
    }
}

/// What an episode says of a measure; one that has no entry for it has no value either.
fn told(measure: Option<&MeasureRecord>) -> Told<'_> {
    measure.map_or(Err(None), |measure| measure.value.ok_or(measure.missing.as_deref()))
}

/// A row for each of these measures, before any correction. It looks at nothing but what is recorded, so that a reader of the record comes to the same.
pub(crate) fn rows<'k>(keys: impl Iterator<Item = &'k str>, episodes: &[&EpisodeRecord]) -> Vec<MeasureSummary> {
    let paths: Vec<&str> = episodes.iter().map(|episode| episode.path()).collect();
    let row = |key: &str| {
        let strategy: Vec<_> = episodes.iter().map(|episode| told(episode.measures.get(key))).collect();
        let baseline: Vec<_> = episodes.iter().map(|episode| told(episode.baseline_measures.get(key))).collect();
        MeasureSummary {
            key: key.to_owned(),
            strategy: moments(&strategy, &paths),
            baseline: moments(&baseline, &paths),
            difference: difference(&strategy, &baseline, &paths),
        }
    };
    keys.map(row).collect()
}

/// What the figures rest on; corrects the differences of `rows`, whose groups are in the same order. As [`rows`], of what is recorded alone.
pub(crate) fn evidence_of<'g>(
    groups: impl Iterator<Item = &'g str>,
    episodes: &[&EpisodeRecord],
    rows: &mut [MeasureSummary],
) -> EvidenceRecord {
    let mut distinct: Vec<&str> = episodes.iter().map(|episode| episode.path()).collect();
    distinct.sort_unstable();
    distinct.dedup();
    let pnl = episodes
        .iter()
        .filter_map(|episode| Some((episode.seed, episode.path(), episode.measures.get(Kpi::Pnl.info().key)?.value?)));
    let tail = TailRecord::of(&pnl.collect::<Vec<_>>());
    let mut differences: Vec<_> = groups.zip(rows.iter_mut().map(|row| &mut row.difference)).collect();
    evidence(&mut differences, episodes.len() as u64, distinct.len() as u64, tail)
}

/// The limits that one episode ran into, each with its size and the seed.
fn limits_hit(episode: &Scored) -> Vec<(String, u64)> {
    let sandbox = match &episode.record.outcome {
        Outcome::OutOfFuel { callback, scope, limit } => {
            let scope = match scope {
                FuelScope::Callback => "fuel of one callback",
                FuelScope::Episode => "fuel of the episode",
            };
            Some(format!("{scope} ({limit}) in {callback}"))
        }
        Outcome::OutOfMemory { callback, limit_bytes, .. } => {
            Some(format!("memory ({limit_bytes} bytes) in {callback}"))
        }
        Outcome::LimitExceeded { callback, limit, allowed } => {
            let limit = match limit {
                Limit::Requests => "requests in one callback",
                Limit::Wakeups => "wake-ups in one callback",
                Limit::TableElements => "table entries",
                Limit::HostCallBytes => "bytes in one host call",
                Limit::ProcessorTime => "milliseconds of processor time in one callback",
            };
            Some(format!("{limit} ({allowed}) in {callback}"))
        }
        Outcome::Finished | Outcome::Trapped { .. } | Outcome::Rejected { .. } | Outcome::Infrastructure { .. } => None,
    };
    let market = match episode.record.stopped.map(|stop| stop.cause) {
        Some(StopCauseRecord::RequestsInFlight) => Some(format!("requests in flight ({REQUESTS_IN_FLIGHT_MAX})")),
        Some(StopCauseRecord::RequestsPerEpisode) => {
            Some(format!("requests in the episode ({REQUESTS_PER_EPISODE_MAX})"))
        }
        Some(StopCauseRecord::Ruined) => Some("maintenance margin".to_owned()),
        Some(StopCauseRecord::CallbackFailed) | None => None,
    };
    let wakeups = (episode.wakeups_ignored > 0)
        .then(|| format!("wake-ups ({WAKEUPS_PENDING_MAX} pending, {WAKEUPS_PER_EPISODE_MAX} in the episode)"));
    let open_orders = (episode.rejections_too_many_open > 0).then(|| format!("open orders ({OPEN_ORDERS_MAX})"));
    let log = (episode.log_lines_dropped > 0).then(|| format!("log ({LOG_BYTES_MAX} bytes)"));
    [sandbox, market, open_orders, wakeups, log].into_iter().flatten().map(|what| (what, episode.record.seed)).collect()
}

/// Counts equal texts, most frequent first, then as they came up.
fn count(all: impl Iterator<Item = (String, u64)>) -> Vec<CountRecord> {
    let mut counts: Vec<CountRecord> = Vec::new();
    for (what, seed) in all {
        match counts.iter_mut().find(|count| count.what == what) {
            Some(count) => count.seeds += 1,
            None => counts.push(CountRecord { what, seeds: 1, first_seed: seed }),
        }
    }
    counts.sort_by_key(|count| std::cmp::Reverse(count.seeds));
    counts
}

fn usage(episodes: &[Scored], budget: &Budget) -> UsageSummary {
    let callback = |callback: Callback| {
        let used = episodes.iter().map(|episode| episode.record.usage.of(callback));
        let (calls, fuel) = used.fold((0, 0), |(calls, fuel), used| (calls + used.calls, fuel + used.fuel));
        let mut by_call = FuelHistogram::default();
        episodes.iter().for_each(|episode| by_call.add(&episode.fuel_by_call[callback as usize]));
        // The last of the greatest, counted from the end: the first.
        let dearest = episodes.iter().map(|episode| (episode.record.usage.of(callback), episode.record.seed)).rev();
        let dearest = dearest.max_by_key(|(used, _)| used.fuel_max).filter(|_| calls > 0);
        let fuel_limit = match callback {
            Callback::Initialize => budget.fuel_initialize,
            _ => budget.fuel_callback,
        };
        CallbackSummary {
            callback,
            calls,
            fuel,
            fuel_mean: (calls > 0).then(|| fuel as f64 / calls as f64),
            fuel_p50: by_call.percentile(50),
            fuel_p99: by_call.percentile(99),
            fuel_max: dearest.map_or(0, |(used, _)| used.fuel_max),
            dearest: dearest.map(|(used, seed)| DearestCall { seed, at_ns: used.fuel_max_at_ns }),
            fuel_limit,
        }
    };
    let usages = || episodes.iter().map(|episode| &episode.record.usage);
    UsageSummary {
        fuel: usages().map(Usage::fuel).sum(),
        fuel_episode_max: usages().map(Usage::fuel).max().unwrap_or_default(),
        callbacks: Callback::ALL.map(callback).into(),
        host_calls: usages().map(|usage| usage.host_calls).sum(),
        memory_bytes_peak: usages().map(|usage| usage.memory_bytes_peak).max().unwrap_or_default(),
        log_lines_dropped: episodes.iter().map(|episode| episode.record.log_lines_dropped).sum(),
    }
}
