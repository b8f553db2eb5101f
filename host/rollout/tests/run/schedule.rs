//! What runs when, how often, and what a second start makes of it.

use assay_rollout::SampleRate;
use assay_rollout::run::{
    EpisodeSpec, RunEnd, RunFolder, RunRecord, Stop, TroubleKind, episode_seed, plan, read_journal,
};

use std::io;

use crate::support::{Act, SEED, drive, files, names, open, record, trouble, verdict};

fn journal(path: &std::path::Path) -> Vec<String> {
    let text = std::fs::read_to_string(path.join("results.jsonl")).expect("a journal");
    text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON")["id"].to_string()).collect()
}

#[test]
fn samples_are_interleaved_and_seeds_are_their_own() {
    let tasks = names(3);
    let plan_of = |samples| plan(&tasks, samples, SEED).expect("a small plan");
    let ids: Vec<String> = plan_of(2).iter().map(|spec| spec.id()).collect();
    assert_eq!(ids, ["t1.s1", "t2.s1", "t3.s1", "t1.s2", "t2.s2", "t3.s2"]);
    let seeds: std::collections::BTreeSet<_> = plan_of(50).iter().map(|spec| spec.seed).collect();
    assert_eq!(seeds.len(), 150);
    // A stored run must keep its seeds: this number may never change.
    assert_eq!(episode_seed(SEED, "t1", 1).0, SEED_OF_T1_S1);
    assert_eq!(plan_of(1)[0].next_attempt().id(), "t1.s1.a2");
}
const SEED_OF_T1_S1: u64 = 12_367_797_029_027_642_406;

#[test]
fn finished_episodes_are_not_repeated() {
    let home = tempfile::tempdir().expect("a folder");
    let mut folder = open(home.path(), 3, 2, false).expect("a new folder");
    let (end, told) = drive(&mut folder, 1, &Stop::new(), |spec| if spec.sample == 1 { Act::Solve } else { Act::Fail });
    assert_eq!(end, RunEnd::Complete);
    assert_eq!(told.iter().filter(|line| line.starts_with("finished")).count(), 6);
    drop(folder);
    let mut folder = open(home.path(), 3, 2, true).expect("the same folder");
    assert_eq!(folder.finished().filter(|record| record.is_solved()).count(), 3);
    assert_eq!(drive(&mut folder, 1, &Stop::new(), |_| Act::Panic), (RunEnd::Complete, vec![]));
    assert_eq!(journal(home.path()).len(), 6);
    drop(folder);
    assert!(!home.path().join("lock").exists());
}

#[test]
fn an_episode_that_is_named_twice_runs_once() {
    let home = tempfile::tempdir().expect("a folder");
    let tasks = names(3);
    let once = plan(&tasks, 2, SEED).expect("a small plan");
    let twice: Vec<EpisodeSpec> = once.iter().chain(once.iter().rev()).cloned().collect();
    let mut folder = RunFolder::open(home.path(), &record(&tasks, "scripted"), &twice, false).expect("a new folder");
    let (end, told) = drive(&mut folder, 1, &Stop::new(), |_| Act::Solve);
    assert_eq!(end, RunEnd::Complete);
    assert_eq!(told.iter().filter(|line| line.starts_with("began")).count(), 6);
    assert_eq!(journal(home.path()).len(), 6);
}

/// A trajectory's file, open at its end.
struct OnDisk(std::fs::File);

impl io::Write for OnDisk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl assay_trace::Durable for OnDisk {
    fn sync(&mut self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn truncate(&mut self, bytes: u64) -> io::Result<()> {
        self.0.set_len(bytes)
    }
}

#[test]
fn a_trajectory_that_changed_after_its_end_is_named_and_its_result_stands() {
    let home = tempfile::tempdir().expect("a folder");
    drive(&mut open(home.path(), 5, 1, false).expect("a new folder"), 1, &Stop::new(), |_| Act::Solve);
    let file = |task: &str| home.path().join(format!("episodes/{task}.s1.jsonl"));
    let text = |task: &str| std::fs::read_to_string(file(task)).expect("a trajectory");
    // One is shortened by a line, one is gone, one is another's, one was scored again.
    let whole = text("t1");
    let shorter = whole.trim_end().rfind('\n').expect("lines") + 1;
    std::fs::write(file("t1"), &whole[..shorter]).expect("writable");
    std::fs::remove_file(file("t2")).expect("it is there");
    std::fs::write(file("t3"), text("t4")).expect("writable");
    let loaded = assay_trace::read(text("t5").as_bytes()).expect("a trajectory");
    let assay_trace::Record::Verdict(again) = verdict(false) else { panic!("a verdict") };
    let end = std::fs::File::options().append(true).open(file("t5")).expect("writable");
    assay_trace::rescore(OnDisk(end), &loaded, again).expect("a second score");
    let again = open(home.path(), 5, 1, false).expect("the same folder");
    assert_eq!(again.changed(), ["t1.s1", "t2.s1", "t3.s1"]);
    assert_eq!((again.finished().count(), again.pending().len()), (5, 0));
}

#[test]
fn a_sampled_run_keeps_what_is_worth_a_look() {
    let home = tempfile::tempdir().expect("a folder");
    let tasks = names(40);
    let plan = plan(&tasks, 1, SEED).expect("a small plan");
    let sampled = record(&tasks, "scripted").keeping(SampleRate::per_mille(300));
    let opened = |record: &RunRecord| RunFolder::open(home.path(), record, &plan, false);
    let mut folder = opened(&sampled.clone().named("first".to_owned())).expect("a new folder");
    let is_failure = |spec: &EpisodeSpec| spec.task.ends_with('7');
    drive(&mut folder, 1, &Stop::new(), move |spec| if is_failure(spec) { Act::Fail } else { Act::Solve });
    let expected: Vec<String> = folder
        .finished()
        .filter(|record| !record.is_solved() || SampleRate::per_mille(300).takes(&record.id))
        .map(|record| format!("episodes/{}.jsonl", record.id))
        .collect();
    let kept = || files(home.path()).into_iter().filter(|name| name.starts_with("episodes/")).collect::<Vec<_>>();
    assert!(expected.len() > 4 && expected.len() < 36, "{expected:?}");
    assert_eq!((kept().len(), kept().iter().all(|name| expected.contains(name))), (expected.len(), true));
    drop(folder);
    // What a crash left between the journal's line and the removal goes with the next start, and the results stay.
    let gone = plan.iter().map(EpisodeSpec::id).find(|id| !expected.contains(&format!("episodes/{id}.jsonl")));
    std::fs::write(home.path().join(format!("episodes/{}.jsonl", gone.expect("one of them"))), "left").expect("a file");
    let folder = opened(&sampled.named("second".to_owned())).expect("the same folder");
    assert_eq!((folder.finished().count(), folder.pending().len(), kept().len()), (40, 0, expected.len()));
    assert_eq!(folder.name(), Some("first"), "the name that it began with");
    assert_eq!(folder.finished().filter_map(|record| folder.trajectory(record)).count(), expected.len());
    drop(folder);
    let refusal = opened(&record(&tasks, "scripted")).expect_err("another rate").to_string();
    assert!(refusal.contains("keep_logs was 300 of 1000, now it is 1000 of 1000"), "{refusal}");
}

#[test]
fn passing_trouble_is_tried_again_and_lasting_trouble_is_not() {
    for (kind, attempts, times, reason) in [
        (TroubleKind::Passing, 3, 3, "Passing trouble"),
        (TroubleKind::Passing, 1, 1, "Passing trouble"),
        (TroubleKind::Lasting, 3, 1, "Lasting trouble"),
        (TroubleKind::Bug, 3, 1, "Bug trouble"),
    ] {
        let home = tempfile::tempdir().expect("a folder");
        let mut folder = open(home.path(), 1, 1, false).expect("a new folder");
        let (end, told) = drive(&mut folder, attempts, &Stop::new(), move |_| Act::Trouble(kind));
        assert_eq!(end, RunEnd::Complete);
        assert_eq!(told.iter().filter(|line| line.starts_with("began")).count(), times, "{told:?}");
        let records: Vec<_> = folder.finished().cloned().collect();
        assert_eq!((records.len(), records[0].reason.as_str(), records[0].reward()), (1, reason, None));
        drop(folder);
        // Not again by itself; again, under a name of its own, when asked.
        assert!(open(home.path(), 1, 1, false).expect("the folder").pending().is_empty());
        let mut folder = open(home.path(), 1, 1, true).expect("the folder");
        assert_eq!(folder.pending()[0].spec.attempt as usize, times + 1);
        let (_, told) = drive(&mut folder, 1, &Stop::new(), |_| Act::Solve);
        assert_eq!(told.last(), Some(&format!("finished t1.s1.a{}", times + 1)));
        let records = read_journal(&home.path().join("results.jsonl")).expect("a journal");
        assert_eq!(records.iter().map(|record| record.reward()).collect::<Vec<_>>(), [Some(1.0)]);
        assert_eq!(journal(home.path()).len(), 2);
    }
}

#[test]
fn a_panic_takes_nobody_with_it() {
    let home = tempfile::tempdir().expect("a folder");
    let mut folder = open(home.path(), 5, 1, false).expect("a new folder");
    let (end, _) = drive(&mut folder, 2, &Stop::new(), |spec| match spec.task.as_str() {
        "t2" => Act::Panic,
        "t4" => Act::NoScore,
        _ => Act::Solve,
    });
    assert_eq!(end, RunEnd::Complete);
    let reasons: Vec<_> =
        folder.finished().filter(|record| record.reward().is_none()).map(|record| record.reason.clone()).collect();
    assert!(reasons[0].contains("panicked: on purpose"), "{reasons:?}");
    assert!(reasons[1].contains("without a score"), "{reasons:?}");
    assert_eq!(folder.finished().filter(|record| record.is_solved()).count(), 3);
}

#[test]
fn trouble_for_all_lets_what_is_under_way_end_and_begins_nothing_more() {
    for kind in [TroubleKind::Fatal, TroubleKind::Budget] {
        let home = tempfile::tempdir().expect("a folder");
        let mut folder = open(home.path(), 20, 1, false).expect("a new folder");
        let (end, told) = drive(&mut folder, 2, &Stop::new(), move |spec| match spec.task.as_str() {
            "t1" => Act::Trouble(kind),
            _ => Act::Solve,
        });
        assert_eq!(end, RunEnd::Failed(trouble(kind)));
        // The one that had no way to begin is undone; whatever else had begun was paid for, and counts.
        let begun = told.iter().filter(|line| line.starts_with("began")).count();
        assert_eq!(folder.finished().count(), begun - 1, "{told:?}");
        drop(folder);
        let mut folder = open(home.path(), 20, 1, false).expect("the folder");
        assert_eq!((folder.finished().count(), folder.pending().len()), (begun - 1, 21 - begun));
        assert_eq!(files(&home.path().join("episodes")).len(), begun - 1);
        assert_eq!(drive(&mut folder, 1, &Stop::new(), |_| Act::Solve).0, RunEnd::Complete);
        assert_eq!(journal(home.path()).len(), 20);
    }
}

#[test]
fn a_stop_undoes_what_runs_and_keeps_what_finished() {
    let home = tempfile::tempdir().expect("a folder");
    let mut folder = open(home.path(), 20, 1, false).expect("a new folder");
    let stop = Stop::new();
    let asked = stop.clone();
    let (end, told) = drive(&mut folder, 1, &stop, move |spec| match spec.task.as_str() {
        "t1" => Act::Solve,
        // Reached only once the first has finished and made room.
        "t9" => {
            asked.stop();
            Act::Hang
        }
        _ => Act::Hang,
    });
    assert_eq!(end, RunEnd::Stopped);
    assert_eq!(told.iter().filter(|line| line.starts_with("began")).count(), 9);
    assert_eq!(journal(home.path()), ["\"t1.s1\""]);
    drop(folder);
    let folder = open(home.path(), 20, 1, false).expect("the folder");
    assert_eq!(folder.pending().len(), 19);
    assert_eq!(files(home.path()), ["episodes/t1.s1.jsonl", "results.jsonl", "run.json"]);
}
