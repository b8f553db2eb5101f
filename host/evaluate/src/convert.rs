//! From what the market, the sandbox and the checks say to what the record says.

use crate::record::{
    DepthRecord, FillRecord, FindingRecord, MeasureDefinition, MeasureMap, MeasureRecord, RangeRecord, RecordingRecord,
    ScenarioRecord, SeriesRecord, SignatureRecord, StopCauseRecord,
};
use assay_market::metrics::{
    Better, DepthMap, FillMark, Group, KPIS, KpiInfo, Measure, Measures, Range, Series, SignaturePoint, Unit,
};
use assay_market::replay::Recording;
use assay_market::{Scenario, StopCause};
use assay_model::Liquidity;
use assay_validator::{Finding, Severity};

impl From<&Finding> for FindingRecord {
    fn from(finding: &Finding) -> Self {
        let severity = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        Self {
            code: finding.code.id().to_owned(),
            severity: severity.to_owned(),
            place: finding.place.to_string(),
            observed: finding.observed.clone(),
            limit: finding.limit.clone(),
            message: finding.message.clone(),
            hint: finding.hint.clone(),
        }
    }
}

/// What the scenario says of itself, for whoever reads the record.
fn described(scenario: &Scenario) -> String {
    let Scenario { summary, gives_away, .. } = scenario;
    if gives_away.is_empty() { summary.clone() } else { format!("{summary}. It gives profit away: {gives_away}") }
}

impl From<&Scenario> for ScenarioRecord {
    fn from(scenario: &Scenario) -> Self {
        Self {
            name: scenario.name.clone(),
            summary: described(scenario),
            hash: blake3::hash(scenario.to_toml().as_bytes()).to_hex().to_string(),
            text: scenario.to_toml().to_owned(),
            symbols: scenario.symbols().map(str::to_owned).collect(),
            recording: scenario.replay.as_ref().map(|replay| RecordingRecord::from(&*replay.recording)),
            fundamental_series_hash: scenario.fundamental_series.as_ref().map(|series| series.hash().to_string()),
            starting_cash: Some(scenario.starting_cash),
        }
    }
}

impl From<&Recording> for RecordingRecord {
    fn from(recording: &Recording) -> Self {
        Self {
            hash: recording.hash().to_string(),
            requests: recording.requests().len() as u64,
            participants: recording.participants(),
            halts: recording.halts().len() as u64,
            findings: recording.findings().copied(),
        }
    }
}

impl From<Measure> for MeasureRecord {
    fn from(measure: Measure) -> Self {
        match measure {
            Measure::Value(value) => Self { value: Some(value), missing: None },
            Measure::Missing(missing) => Self { value: None, missing: Some(missing.to_string()) },
        }
    }
}

/// All measures of one episode by key.
#[must_use]
pub(crate) fn measure_map(measures: &Measures) -> MeasureMap {
    KPIS.iter().map(|info| (info.key.to_owned(), measures[info.kpi].into())).collect()
}

impl From<StopCause> for StopCauseRecord {
    fn from(cause: StopCause) -> Self {
        match cause {
            StopCause::Broke => Self::CallbackFailed,
            StopCause::RequestsInFlight => Self::RequestsInFlight,
            StopCause::RequestsPerEpisode => Self::RequestsPerEpisode,
            StopCause::Ruined => Self::Ruined,
        }
    }
}

impl From<Range> for RangeRecord {
    fn from(Range { last, min, max }: Range) -> Self {
        Self { last, min, max }
    }
}

impl From<FillMark> for FillRecord {
    fn from(fill: FillMark) -> Self {
        Self {
            at_ns: fill.at.0,
            price: fill.price.cents(),
            quantity: fill.quantity,
            side: fill.side,
            maker: fill.liquidity == Liquidity::Maker,
        }
    }
}

impl From<SignaturePoint> for SignatureRecord {
    fn from(SignaturePoint { seconds, returns, volatility }: SignaturePoint) -> Self {
        Self { step_seconds: seconds, returns, volatility }
    }
}

impl From<DepthMap> for DepthRecord {
    fn from(DepthMap { step, price_low, price_step, columns }: DepthMap) -> Self {
        Self { step_ns: step.0, price_low, price_step, columns }
    }
}

impl SeriesRecord {
    /// The record of an episode's series.
    #[must_use]
    pub fn new(seed: u64, strategy: Series, baseline: &Series) -> Self {
        Self {
            seed,
            start_ns: strategy.start.0,
            step_ns: strategy.step.0,
            mid: strategy.mid.into(),
            baseline_mid: baseline.mid.last.clone(),
            bid: strategy.bid,
            ask: strategy.ask,
            spread: strategy.spread.into(),
            volume: strategy.volume,
            volume_own: strategy.volume_own,
            position: strategy.position.into(),
            pnl: strategy.pnl.into(),
            drawdown: strategy.drawdown.into(),
            fills: strategy.fills.into_iter().map(FillRecord::from).collect(),
            fills_total: strategy.fills_total,
            order_flow: strategy.order_flow,
            signature: strategy.signature.into_iter().map(SignatureRecord::from).collect(),
            baseline_signature: baseline.signature.iter().copied().map(SignatureRecord::from).collect(),
            depth: strategy.depth.map(DepthRecord::from),
        }
    }
}

/// The catalogue as data.
#[must_use]
pub(crate) fn measure_definitions() -> Vec<MeasureDefinition> {
    let definition = |info: &KpiInfo| MeasureDefinition {
        key: info.key.to_owned(),
        title: info.title.to_owned(),
        group: group_name(info.group).to_owned(),
        unit: unit_name(info.unit).to_owned(),
        better: better_name(info.better).to_owned(),
        definition: info.definition.to_owned(),
    };
    KPIS.iter().map(definition).collect()
}

/// The group of the measure with this key, within which its differences are corrected; empty for one that is not in the catalogue.
#[must_use]
pub fn family_of(measure: &str) -> &'static str {
    KPIS.iter().find(|info| info.key == measure).map_or("", |info| group_name(info.group))
}

pub(crate) const fn group_name(group: Group) -> &'static str {
    match group {
        Group::Profit => "profit",
        Group::Inventory => "inventory",
        Group::Orders => "orders",
        Group::Execution => "execution",
        Group::Market => "market",
    }
}

const fn unit_name(unit: Unit) -> &'static str {
    match unit {
        Unit::Cents => "cents",
        Unit::CentsPerShare => "cents_per_share",
        Unit::Shares => "shares",
        Unit::Count => "count",
        Unit::Ratio => "ratio",
        Unit::Fraction => "fraction",
        Unit::BasisPoints => "basis_points",
        Unit::Seconds => "seconds",
    }
}

const fn better_name(better: Better) -> &'static str {
    match better {
        Better::Higher => "higher",
        Better::Lower => "lower",
        Better::Neutral => "neutral",
    }
}
