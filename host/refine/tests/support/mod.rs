//! What simulated markets have in common.

use assay_evaluate::{Confidence, Sample, Tail};
use assay_refine::core::event::Pooled;
use assay_refine::core::state::mean;

/// Two candidates over many seeds together, where points are worth what they are on average: one has these in each block, the other those.
pub(crate) fn pooled(seeds: u32, level: f64, new: &[f64], old: &[f64]) -> Pooled {
    let confidence = Confidence::percent((100.0 * (1.0 - level)).min(99.99)).expect("a confidence");
    let differences = new.iter().zip(old).map(|(new, old)| new - old).collect();
    let at_least = Sample::of_distinct(differences).bound(Tail::Lower, confidence).expect("several blocks");
    let on_scale = |points: &[f64]| mean(points).clamp(1.0, 10.0);
    let (challenger, champion) = (on_scale(new), on_scale(old));
    let at_least = at_least.max(-9.0).min(challenger - champion);
    Pooled { seeds, challenger, champion, at_least, veto: None }
}
