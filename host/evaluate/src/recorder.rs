//! The port through which a trial's episodes are kept as data.
//!
//! A recorder only listens: nothing here returns anything to the trial, so what is measured cannot depend on whether, or how well, it
//! is recorded. What fails while recording is the recorder's to tell, to whoever made it.
//!
//! ```text
//! begin(seed) ──► episode(strategy) ── events ──► episode(baseline) ── events ──► keep
//!                                  └ dropped: nothing of this try is kept
//! ```

use assay_market::EventSink;
use assay_model::{LogLine, Seed};

/// Which of the two episodes of a seed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EpisodeKind {
    /// With the strategy.
    Strategy = 0,
    /// With the inert trader in its place.
    Baseline = 1,
}

impl EpisodeKind {
    /// Both, in the order in which they run.
    pub const ALL: [Self; 2] = [Self::Strategy, Self::Baseline];

    /// Its name in data.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Strategy => "strategy",
            Self::Baseline => "baseline",
        }
    }
}

/// Keeps what happens in the episodes of a trial.
pub trait Recorder: Sync {
    /// Begins one try at a seed. A seed that infrastructure failed is tried again, after the first try has been dropped.
    fn begin(&self, seed: Seed) -> Box<dyn SeedRecorder + '_>;
}

/// Keeps one try at one seed: nothing of it, unless [`keep`](Self::keep) is called.
pub trait SeedRecorder {
    /// Begins an episode; its events go to the sink. The episode before it has ended.
    fn episode(&mut self, kind: EpisodeKind) -> &mut dyn EventSink;

    /// What the trader of the episode logged, once it has ended.
    fn log(&mut self, lines: &[LogLine]);

    /// The seed is scored: both episodes count.
    fn keep(self: Box<Self>);
}
