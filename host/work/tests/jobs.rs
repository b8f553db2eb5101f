//! Jobs with a shell script in the place of `assay`: how they start, wait, print, stop, and what becomes of them when whoever runs them ends.

use assay_rollout::run::{JOURNAL_BYTES_MAX, RunRecord};
use assay_work::jobs::{Job, JobId, Jobs, JobsError, Plan, Program, StartError, State, WAITING_MAX, What};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Far beyond what anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);
/// A command that does what its first word says. `wait` ends as `assay` does: once its standard input has ended.
const SCRIPT: &str = r#"
case "$1" in
  say) shift; echo "$@"; echo "and this" >&2;;
  fail) exit "$2";;
  wait) echo begun; while read -r line; do :; done; echo kept; exit 130;;
  flood) i=0; while [ $i -lt 40000 ]; do echo "line $i with some words to make it longer"; i=$((i+1)); done; echo "the last words";;
  variable) echo "$ASSAY_TEST";;
esac
"#;

/// A folder with the script, and jobs that run it.
struct Ground {
    folder: TempDir,
}

impl Ground {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("script.sh"), SCRIPT).expect("written");
        Self { folder }
    }

    fn open(&self, at_once: usize) -> Result<Jobs, JobsError> {
        let program = Program {
            path: "/bin/sh".into(),
            before: vec![self.folder.path().join("script.sh").to_str().expect("UTF-8").to_owned()],
            environment: vec![("ASSAY_TEST".into(), "told".into())],
        };
        Jobs::open(&self.folder.path().join("work"), program, at_once)
    }

    /// Opens what was just closed. A process that another test of this one is starting holds every open file, the lock too, until it runs its program.
    fn open_again(&self, at_once: usize) -> Jobs {
        let since = Instant::now();
        loop {
            match self.open(at_once) {
                Err(JobsError::Busy(_)) if since.elapsed() < PATIENCE => std::thread::yield_now(),
                opened => return opened.expect("opened"),
            }
        }
    }
}

fn plan(words: &[&str]) -> Plan {
    Plan {
        what: What::Run,
        subject: "maker.rs".to_owned(),
        files: vec![("maker.rs".to_owned(), "fn main() {}".to_owned())],
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        again: None,
        session: None,
        hint: None,
        result: "/nowhere".into(),
    }
}

fn start(jobs: &Jobs, words: &[&str]) -> Job {
    jobs.start("maker", |_| Ok(plan(words))).expect("started")
}

/// Waits until a job stands as it should.
fn wait(jobs: &Jobs, id: &JobId, is_it: impl Fn(&Job) -> bool) -> Job {
    let since = Instant::now();
    loop {
        let job = jobs.find(id).expect("it is there");
        if is_it(&job) {
            return job;
        }
        assert!(since.elapsed() < PATIENCE, "{job:?}\n{}", jobs.output(id).0);
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn end(jobs: &Jobs, id: &JobId) -> (State, String) {
    (wait(jobs, id, |job| job.state.is_end()).state, jobs.output(id).0)
}

/// Waits until a job has said that it has begun.
fn begun(jobs: &Jobs, id: &JobId) {
    wait(jobs, id, |_| jobs.output(id).0.contains("begun"));
}

#[test]
fn a_job_prints_and_ends_as_its_command_does() {
    let ground = Ground::new();
    let jobs = ground.open(2).expect("opened");
    for (words, state, output) in [
        (&["say", "--out=x y", "$HOME"][..], State::Ended { code: Some(0) }, "--out=x y $HOME\nand this\n"),
        (&["fail", "3"], State::Ended { code: Some(3) }, ""),
        (&["variable"], State::Ended { code: Some(0) }, "told\n"),
    ] {
        let job = start(&jobs, words);
        assert_eq!(end(&jobs, &job.id), (state, output.to_owned()), "{words:?}");
        let own = jobs.path().join(job.id.as_str());
        assert_eq!(fs::read_to_string(own.join("maker.rs")).expect("a file"), "fn main() {}");
        assert_eq!(jobs.text(&job.id, "maker.rs", 100).expect("text"), "fn main() {}");
    }
    let flood = start(&jobs, &["flood"]);
    assert_eq!(end(&jobs, &flood.id).0, State::Ended { code: Some(0) });
    let (shown, bytes) = jobs.output(&flood.id);
    assert!(shown.ends_with("the last words\n") && shown.contains("bytes are left out here"), "{shown}");
    assert!((1 << 20..2 << 20).contains(&bytes), "{bytes}");
    let asked = jobs.ask(&["say".to_owned(), "hello".to_owned()], PATIENCE).expect("asked");
    assert_eq!((asked.code, asked.output.contains("hello")), (Some(0), true));
    let asked = jobs.ask(&["wait".to_owned()], Duration::ZERO).expect("asked");
    assert_eq!(asked.code, Some(130), "{}", asked.output);
}

#[test]
fn jobs_wait_for_their_turn_and_can_be_stopped() {
    let ground = Ground::new();
    let jobs = ground.open(1).expect("opened");
    let first = start(&jobs, &["wait"]);
    begun(&jobs, &first.id);
    let second = start(&jobs, &["wait"]);
    let third = start(&jobs, &["say", "third"]);
    assert_eq!(jobs.find(&second.id).expect("there").state, State::Waiting);
    assert!(jobs.stop(&second.id) && !jobs.stop(&second.id));
    assert_eq!(jobs.find(&second.id).expect("there").state, State::Stopped);
    assert!(jobs.stop(&first.id));
    let (state, output) = end(&jobs, &first.id);
    assert_eq!((state, output.as_str()), (State::Stopped, "begun\nkept\n"));
    assert_eq!(end(&jobs, &third.id).0, State::Ended { code: Some(0) });
    let newest: Vec<String> = jobs.list().iter().map(|job| job.id.to_string()).collect();
    assert_eq!(newest, ["3-maker", "2-maker", "1-maker"]);
    assert!(!jobs.stop(&third.id));

    let running = start(&jobs, &["wait"]);
    begun(&jobs, &running.id);
    for _ in 0..WAITING_MAX {
        start(&jobs, &["say", "x"]);
    }
    assert!(matches!(jobs.start("maker", |_| Ok(plan(&["say"]))), Err(StartError::Full)));
    assert!(matches!(jobs.start("maker", |_| Err("no".to_owned())), Err(StartError::Full)));
}

#[test]
fn what_ends_with_its_server_is_resumed_or_lost() {
    let ground = Ground::new();
    let session = ground.folder.path().join("session");
    fs::create_dir(&session).expect("made");
    fs::write(session.join("log.jsonl"), "").expect("written");
    let jobs = ground.open(2).expect("opened");
    assert!(matches!(ground.open(2), Err(JobsError::Busy(_))));
    let lost = start(&jobs, &["wait"]);
    let resumed = jobs
        .start("maker", |_| {
            let again = Some(vec!["say".to_owned(), "again".to_owned()]);
            Ok(Plan { what: What::Refine, again, session: Some(session.clone()), ..plan(&["wait"]) })
        })
        .expect("started");
    assert_eq!(jobs.of_session(&session).map(|job| job.id), Some(resumed.id.clone()));
    for job in [&lost, &resumed] {
        begun(&jobs, &job.id);
    }
    let waiting = start(&jobs, &["say", "late"]);
    jobs.close();
    assert!(matches!(jobs.start("maker", |_| Ok(plan(&["say"]))), Err(StartError::Closing)));
    drop(jobs);

    let jobs = ground.open_again(2);
    assert_eq!(end(&jobs, &lost.id).0, State::Lost);
    let (state, output) = end(&jobs, &resumed.id);
    assert_eq!(state, State::Ended { code: Some(0) }, "{output}");
    assert!(output.contains("begun") && output.ends_with("kept\nagain\nand this\n"), "{output}");
    assert_eq!(jobs.find(&resumed.id).expect("there").resumes, 1);
    assert_eq!(end(&jobs, &waiting.id).0, State::Ended { code: Some(0) });
    assert!(jobs.of_session(&session).is_none());
}

#[test]
fn what_resumes_goes_on_when_somebody_asks() {
    let ground = Ground::new();
    let jobs = ground.open(1).expect("opened");
    let again = |words: &[&str]| {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        let plan = Plan { what: What::World, again: Some(words), ..plan(&["wait"]) };
        jobs.start("desk", |_| Ok(plan)).expect("started")
    };
    let job = again(&["say", "the rest"]);
    begun(&jobs, &job.id);
    assert!(matches!(jobs.go_on(&job.id), Err(StartError::Plan(_))), "it runs");
    assert!(jobs.stop(&job.id));
    assert_eq!(end(&jobs, &job.id).0, State::Stopped);
    jobs.go_on(&job.id).expect("it goes on");
    let (state, output) = end(&jobs, &job.id);
    assert_eq!((state, output.as_str()), (State::Ended { code: Some(0) }, "begun\nkept\nthe rest\nand this\n"));
    assert!(matches!(jobs.go_on(&job.id), Err(StartError::Plan(_))), "nothing is left");
    // One that does not resume can only be begun anew.
    let other = start(&jobs, &["fail", "4"]);
    end(&jobs, &other.id);
    assert!(!jobs.can_go_on(&jobs.find(&other.id).expect("there")) && jobs.go_on(&other.id).is_err());
    // What has given its answer, be it no, has nothing left; what failed for want of something has.
    for (code, expected) in [("1", false), ("2", false), ("3", false), ("4", true), ("130", true)] {
        let again = Some(vec!["say".to_owned()]);
        let job =
            jobs.start("gate", |_| Ok(Plan { what: What::Gate, again, ..plan(&["fail", code]) })).expect("started");
        end(&jobs, &job.id);
        assert_eq!(jobs.can_go_on(&jobs.find(&job.id).expect("there")), expected, "{code}");
    }
    // Nobody begins while another process works in its folder.
    let folder = ground.folder.path().join("result");
    fs::create_dir(&folder).expect("made");
    let lock = fs::File::create(folder.join("lock")).expect("made");
    lock.lock().expect("locked");
    let job = jobs.start("desk", |_| Ok(Plan { what: What::World, result: folder, ..plan(&["say", "late"]) }));
    let job = job.expect("started");
    wait(&jobs, &job.id, |job| job.state == State::Running);
    assert_eq!(jobs.printed(&job.id), 0);
    lock.unlock().expect("unlocked");
    assert_eq!(end(&jobs, &job.id), (State::Ended { code: Some(0) }, "late\nand this\n".to_owned()));
}

/// A run of two episodes, as its folder has it with some of its results.
fn run_folder(path: &Path, results: &[&str]) {
    let settings = BTreeMap::from([("samples".to_owned(), serde_json::Value::from(2))]);
    let record = RunRecord::new(settings, BTreeMap::from([("t".to_owned(), "0".to_owned())]));
    fs::create_dir_all(path).expect("made");
    fs::write(path.join("run.json"), serde_json::to_vec(&record).expect("JSON")).expect("written");
    fs::write(path.join("results.jsonl"), results.concat()).expect("written");
}

#[test]
fn a_run_that_lacks_results_goes_on_even_if_it_was_done() {
    const ONE: &str = "{\"id\":\"t.s1\",\"task\":\"t\",\"sample\":1,\"attempt\":1,\"seed\":1,\"result\":\"unscored\",\"reason\":\"\",\"steps\":0,\"tokens\":null,\"cost_microdollars\":null,\"flags\":[],\"duration_ns\":1,\"hash\":null}\n";
    let two = ONE.replace("t.s1", "t.s2").replace("\"sample\":1", "\"sample\":2");
    let ground = Ground::new();
    let jobs = ground.open(1).expect("opened");
    for (number, (what, results, is_held, expected)) in [
        (What::Rollout, &[ONE, two.as_str()][..], false, false),
        (What::Rollout, &[ONE], false, true),
        (What::World, &[], false, true),
        // The same episode twice, and a line that is none.
        (What::World, &[ONE, ONE, "no record\n"], false, true),
        (What::World, &[ONE], true, false),
        // Whatever lies there, a verdict has been given.
        (What::Gate, &[ONE], false, false),
    ]
    .into_iter()
    .enumerate()
    {
        let folder = ground.folder.path().join(format!("result-{number}"));
        let again = Some(vec!["say".to_owned(), "the rest".to_owned()]);
        let plan = Plan { what, again, result: folder.clone(), ..plan(&["say"]) };
        let job = jobs.start("desk", |_| Ok(plan)).expect("started");
        assert_eq!(end(&jobs, &job.id).0, State::Ended { code: Some(0) });
        run_folder(&folder, results);
        let lock = fs::File::create(folder.join("lock")).expect("made");
        if is_held {
            lock.lock().expect("locked");
        }
        assert_eq!(jobs.can_go_on(&jobs.find(&job.id).expect("there")), expected, "{number}");
        assert_eq!(jobs.go_on(&job.id).is_ok(), expected, "{number}");
        end(&jobs, &job.id);
    }
    // What has grown since it was looked at is looked at again, and of what is too large nothing is said.
    let folder = ground.folder.path().join("growing");
    let again = Some(vec!["say".to_owned(), "the rest".to_owned()]);
    let plan = Plan { what: What::Rollout, again, result: folder.clone(), ..plan(&["say"]) };
    let job = jobs.start("desk", |_| Ok(plan)).expect("started");
    end(&jobs, &job.id);
    for (results, bytes, expected) in
        [(&[ONE][..], None, true), (&[ONE, two.as_str()], None, false), (&[ONE], Some(JOURNAL_BYTES_MAX + 1), false)]
    {
        run_folder(&folder, results);
        if let Some(bytes) = bytes {
            let journal = fs::File::options().write(true).open(folder.join("results.jsonl")).expect("it is there");
            journal.set_len(bytes).expect("set");
        }
        for _ in 0..2 {
            assert_eq!(jobs.can_go_on(&jobs.find(&job.id).expect("there")), expected, "{results:?} {bytes:?}");
        }
    }
}

#[test]
fn ids_are_names_of_folders_and_nothing_else() {
    let ground = Ground::new();
    let jobs = ground.open(1).expect("opened");
    let job = jobs.start("../../a b/ü", |own| Ok(Plan { result: own.to_owned(), ..plan(&["say"]) })).expect("started");
    assert_eq!(job.id.as_str(), "1-------a-b--");
    assert_eq!(job.result, jobs.path().join(job.id.as_str()));
    for (text, expected) in [
        ("1-maker", true),
        ("1-../x", false),
        ("+1-maker", false),
        ("1", false),
        ("..", false),
        ("01-maker", false),
        ("-1-x", false),
    ] {
        assert_eq!(text.parse::<JobId>().is_ok(), expected, "{text}");
    }
    // What somebody else has put there is no job.
    end(&jobs, &job.id);
    drop(jobs);
    let strange = ground.folder.path().join("work/7-strange");
    fs::create_dir(&strange).expect("made");
    fs::write(strange.join("job.json"), "{\"id\":\"8-other\"}").expect("written");
    assert_eq!(ground.open_again(1).list().len(), 1);
}
