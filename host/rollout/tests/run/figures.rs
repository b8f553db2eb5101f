//! Figures against values computed by hand or by simulation.

use assay_model::{Seed, Stream};
use assay_rollout::run::{EpisodeRecord, EpisodeResult, Figures, figures};
use assay_trace::Outcome;

/// Records of tasks, each with the results of its samples: a reward, or none for unscored.
fn records(tasks: &[Vec<Option<f64>>]) -> Vec<EpisodeRecord> {
    let mut records = Vec::new();
    for (task, samples) in tasks.iter().enumerate() {
        for (sample, reward) in samples.iter().enumerate() {
            let result = match reward {
                Some(reward) => EpisodeResult::Scored {
                    reward: *reward,
                    outcome: if *reward == 1.0 { Outcome::Success } else { Outcome::Failure },
                },
                None => EpisodeResult::Unscored,
            };
            records.push(EpisodeRecord {
                id: format!("t{task}.s{sample}"),
                task: format!("t{task}"),
                sample: sample as u32 + 1,
                attempt: 1,
                seed: Seed(1),
                result,
                reason: if reward.is_some() { "finished" } else { "no test engine" }.to_owned(),
                steps: 2,
                deeds: assay_rollout::run::Deeds { cells: 1, code_bytes: 4, tools: [("finish".to_owned(), 1)].into() },
                tokens: (sample == 0).then_some(10),
                cost_microdollars: None,
                known: None,
                earlier: assay_rollout::run::Spending::default(),
                flags: if sample == 0 { ["x".to_owned()].into() } else { [].into() },
                duration_ns: 5,
                hash: None,
            });
        }
    }
    records
}

fn of(tasks: &[Vec<Option<f64>>]) -> Figures {
    figures(&records(tasks))
}

const WON: Option<f64> = Some(1.0);
const LOST: Option<f64> = Some(0.0);

#[test]
fn counts_leave_nothing_out() {
    let figures = of(&[vec![WON, LOST, None], vec![None]]);
    assert_eq!((figures.episodes, figures.solved, figures.failed), (4, 1, 1));
    assert_eq!(figures.unscored["no test engine"], 2);
    assert_eq!((figures.tokens, figures.tokens_unknown, figures.cost_unknown), (20, 2, 4));
    assert_eq!((figures.steps, figures.flags["x"]), (8, 2));
    assert_eq!((figures.deeds.cells, figures.deeds.code_bytes, figures.deeds.tools["finish"]), (4, 16, 4));
    let nothing = of(&[vec![None]]);
    assert!(nothing.reward.is_none() && nothing.pass_at.is_empty());
}

#[test]
fn pass_at_k_is_the_unbiased_estimator() {
    // n = 4 with c = 1: pass@1 = 1/4, pass@2 = 1 − C(3,2)/C(4,2) = 1/2, pass@4 = 1; n = 4 with c = 0: 0.
    let figures = of(&[vec![WON, LOST, LOST, LOST], vec![LOST; 4]]);
    let found: Vec<_> = figures.pass_at.iter().map(|pass| (pass.k, pass.value.estimate)).collect();
    assert_eq!(found, [(1, 0.125), (2, 0.25), (4, 0.5)]);
    // Tasks with fewer scored samples than k are not in pass@k.
    let figures = of(&[vec![WON, WON, LOST], vec![WON, None]]);
    let three = figures.pass_at.last().expect("k = 3");
    assert_eq!((three.k, three.value.tasks, three.value.episodes), (3, 1, 3));
    // Large counts neither overflow nor lose their digits: 1 − C(9990, 10) / C(10000, 10), by logarithms of the gamma function.
    let mut many = vec![LOST; 9_990];
    many.extend([WON; 10]);
    let pass = of(&[many]).pass_at;
    let eight = pass.iter().find(|pass| pass.k == 8).expect("k = 8").value.estimate;
    assert!((eight - 0.007_973_9).abs() < 1e-6, "{eight}");
}

#[test]
fn an_interval_is_never_a_point() {
    // All solved says little about few tasks.
    let all = of(&[vec![WON], vec![WON], vec![WON]]).reward.expect("scored");
    assert_eq!((all.estimate, all.high), (1.0, Some(1.0)));
    assert!((all.low.expect("low") - 0.438_5).abs() < 1e-3, "Wilson for 3 of 3: {all:?}");
    // Ten samples of one task are still one task.
    let one = of(&[vec![WON; 10]]).reward.expect("scored");
    assert!(one.low.expect("low") < 0.25, "{one:?}");
    // Independent samples: Wilson for 50 of 100 is 0.404 to 0.596.
    let tasks: Vec<_> = (0..100).map(|i| vec![if i % 2 == 0 { WON } else { LOST }]).collect();
    let half = of(&tasks).reward.expect("scored");
    assert!((half.low.expect("low") - 0.403_6).abs() < 2e-3 && (half.high.expect("high") - 0.596_4).abs() < 2e-3);
    // The same, ten times over: more samples of the same tasks, no more tasks.
    let tasks: Vec<_> = (0..100).map(|i| vec![if i % 2 == 0 { WON } else { LOST }; 10]).collect();
    let again = of(&tasks).reward.expect("scored");
    assert!((again.low.expect("low") - half.low.expect("low")).abs() < 2e-3, "{again:?}");
    // Rewards that are not fractions, of one task: nothing is known of other tasks.
    assert_eq!(of(&[vec![Some(3.5), Some(2.0)]]).reward.expect("scored").low, None);
}

#[test]
fn intervals_hold_as_often_as_they_say() {
    // 40 tasks of 4 samples, each task with a chance of its own, of mean 1/2. Nominal 95 %.
    let mut random = Stream::new(Seed(1), "figures", "coverage");
    let (rounds, mut held) = (2_000, 0_i32);
    for _ in 0..rounds {
        let tasks: Vec<Vec<Option<f64>>> = (0..40)
            .map(|_| {
                let chance = random.unit();
                (0..4).map(|_| if random.unit() < chance { WON } else { LOST }).collect()
            })
            .collect();
        let reward = of(&tasks).reward.expect("scored");
        held += i32::from(reward.low <= Some(0.5) && Some(0.5) <= reward.high);
    }
    let share = f64::from(held) / f64::from(rounds);
    assert!((0.93..0.97).contains(&share), "{share}");
}
