//! `assay rollout` and `assay trace replay` through the binary, with scripted models and no container engine.

use assay_model::{Seed, Stream};
use assay_tests::{assay, show};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

const USAGE: i32 = 2;
const INFRASTRUCTURE: i32 = 4;

/// An engine that answers nobody.
const NO_ENGINE: &str = "unix:///nonexistent/engine.sock";

/// A model that mends the bug, and one that looks and gives up.
const MENDS: &str = r#"{"text": "I look.\n\n```repl\nprint(read_file('calc.py'))\n```", "usage": {"input": 100, "output": 10}}
{"text": "It is wrong.\n\n```repl\nedit('calc.py', 'a - b', 'a + b')\nimport random\nprint(random.random())\n```", "usage": {"input": 200, "output": 20}}
{"text": "Done.\n\n```repl\nfinish('added instead of subtracted')\n```", "usage": {"input": 300, "output": 30}}
"#;
const GIVES_UP: &str = r#"{"text": "I look.\n\n```repl\nprint(read_file('calc.py'))\n```"}
{"text": "No idea.\n\n```repl\nfinish('nothing')\n```"}
"#;

/// A folder with `count` tasks, each with a bug, and two scripts.
fn tasks(count: usize) -> tempfile::TempDir {
    let home = tempfile::tempdir().expect("a temporary folder");
    for number in 1..=count {
        let task = home.path().join(format!("tasks/calc-{number}"));
        std::fs::create_dir_all(task.join("repository")).expect("made");
        let write = |name: &str, text: &str| std::fs::write(task.join(name), text).expect("written");
        write(
            "task.toml",
            &format!(
                "id = \"calc-{number}\"\nlanguage = \"python\"\n\n[image]\nname = \"assay/none:1\"\nfrom = \"present\"\n\n[tests]\n\
                 command = \"python3 -m pytest -rA\"\nparser = \"pytest\"\nfail_to_pass = [\"test_calc.py::test_add\"]\npass_to_pass = []\n"
            ),
        );
        write("problem.md", "`add(1, 2)` gives -1.\n");
        write("repository/calc.py", "def add(a, b):\n    return a - b\n");
        write("repository/test_calc.py", "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n");
        write(
            "gold.patch",
            "diff --git a/calc.py b/calc.py\n--- a/calc.py\n+++ b/calc.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n",
        );
        write("model.jsonl", MENDS);
    }
    std::fs::write(home.path().join("gives-up.jsonl"), GIVES_UP).expect("written");
    home
}

fn rollout(home: &Path, arguments: &[&str], code: i32) -> Output {
    let output =
        assay(home).arg("rollout").args(arguments).args(["--docker-url", NO_ENGINE]).output().expect("assay starts");
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{}", show(&output));
    output
}

fn journal(run: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(run.join("results.jsonl")).unwrap_or_default();
    let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    whole.map(|line| serde_json::from_str(line).expect("a whole line is JSON")).collect()
}

#[test]
fn without_an_engine_an_episode_runs_and_is_unscored() {
    let home = tasks(2);
    let run = ["run", "tasks", "--model", "scripted", "--out", "out"];
    let text = show(&rollout(home.path(), &run, INFRASTRUCTURE));
    for word in ["no test engine", "hint", "docker", "assay rollout grade out", "2/2", "2 episodes have no score"] {
        assert!(text.to_lowercase().contains(&word.to_lowercase()), "{word}\n{text}");
    }
    assert!(!text.contains("mean reward"), "nothing was scored\n{text}");
    let lines = journal(&home.path().join("out"));
    assert!(
        lines.iter().all(|line| line["result"] == "unscored" && line["steps"] == 3 && line["tokens"] == 660),
        "{lines:?}"
    );

    // Again: nothing runs; with the flag, their files are graded again, and no model is asked.
    let again = show(&rollout(home.path(), &run, INFRASTRUCTURE));
    assert!(!again.contains("2/2"), "{again}");
    rollout(home.path(), &[&run[..], &["--retry-unscored"]].concat(), INFRASTRUCTURE);
    let ids: BTreeSet<String> = journal(&home.path().join("out")).iter().map(|line| line["id"].to_string()).collect();
    assert_eq!(ids.len(), 2, "{ids:?}");
    assert!(journal(&home.path().join("out")).iter().all(|line| line["tokens"] == 660), "paid for once");

    // What was done is there, and does the same again, to the bit.
    let trajectory = "out/episodes/calc-1.s1.jsonl";
    let replay = |file: &str| {
        assay(home.path()).args(["trace", "replay", file, "--tasks", "tasks"]).output().expect("assay starts")
    };
    let output = replay(trajectory);
    assert!(output.status.success() && show(&output).contains("equal: 3 cells"), "{}", show(&output));
    // The files after each step, as they were, with what the step changed.
    let files = |step: usize| {
        let (step, tasks) = (format!("--files-at={step}"), ["--tasks", "tasks", "--show", "calc.py"]);
        assay(home.path()).args(["trace", "replay", trajectory, &step]).args(tasks).output().expect("assay starts")
    };
    let views: Vec<Value> = (0..=3)
        .map(|step| {
            let output = files(step);
            assert!(output.status.success(), "{}", show(&output));
            let line = String::from_utf8_lossy(&output.stdout).into_owned();
            serde_json::from_str(line.lines().find(|line| line.starts_with('{')).expect("JSON")).expect("JSON")
        })
        .collect();
    let patch = |view: &Value, which: &str| view[which]["Ok"]["text"].as_str().expect("a patch").to_owned();
    assert_eq!((patch(&views[0], "since_start"), patch(&views[0], "in_step")), (String::new(), String::new()));
    let whole = patch(&views[3], "since_start");
    assert!(whole.contains("+++ b/calc.py") && whole.contains("+    return a + b"), "{whole}");
    let steps: Vec<usize> = (0..=3).filter(|step| !patch(&views[*step], "in_step").is_empty()).collect();
    assert!(!steps.is_empty(), "no step changed anything");
    assert!(views[3]["text"]["text"].as_str().expect("a text").contains("a + b"), "{}", views[3]);
    assert_eq!(views[3]["steps"], 3);
    // Over other files it differs, and says where.
    std::fs::write(home.path().join("tasks/calc-1/repository/calc.py"), "def add(a, b):\n    return  a - b\n")
        .expect("written");
    std::fs::write(
        home.path().join("tasks/calc-1/gold.patch"),
        "diff --git a/calc.py b/calc.py\n--- a/calc.py\n+++ b/calc.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n-    return  a - b\n+    return a + b\n",
    )
    .expect("written");
    let output = replay(trajectory);
    assert!(output.status.code() == Some(1) && show(&output).contains("differs"), "{}", show(&output));
    let output = files(1);
    assert!(output.status.code() == Some(2) && show(&output).contains("base files differs"), "{}", show(&output));
}

#[test]
fn a_program_can_look_on() {
    let home = tasks(2);
    let run = ["run", "tasks", "--model", "scripted", "--out", "out", "--events", "events.jsonl"];
    rollout(home.path(), &run, INFRASTRUCTURE);
    let text = std::fs::read_to_string(home.path().join("events.jsonl")).expect("events");
    let events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    for episode in ["calc-1.s1", "calc-2.s1"] {
        let own: Vec<&Value> = events.iter().filter(|event| event["episode"] == episode).collect();
        let named = |name: &str| own.iter().filter(move |event| event["event"] == name).collect::<Vec<_>>();
        assert_eq!((named("began").len(), named("finished").len()), (1, 1), "{own:?}");
        assert_eq!((&own[0]["event"], &own[own.len() - 1]["event"]), (&"began".into(), &"finished".into()));
        assert_eq!(own[own.len() - 1]["result"]["tokens"], 660);
        let phases: Vec<&str> = named("phase").iter().filter_map(|event| event["phase"].as_str()).collect();
        for phase in ["starting", "model", "cell", "grading", "ended"] {
            assert!(phases.contains(&phase), "{phase}: {phases:?}");
        }
        // The records are those of the trajectory, in its order.
        let trajectory = std::fs::read_to_string(home.path().join(format!("out/episodes/{episode}.jsonl")));
        let lines: Vec<Value> = trajectory
            .expect("a trajectory")
            .lines()
            .skip(1)
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .map(|mut line: Value| {
                line.as_object_mut().expect("an object").remove("_hash");
                line
            })
            .collect();
        let told: Vec<&Value> = named("record").iter().map(|event| &event["record"]).collect();
        assert!(!told.is_empty() && lines.iter().zip(&told).all(|(line, told)| line == *told), "{told:?}");
        assert!(own.windows(2).all(|two| two[0]["at_ns"].as_u64() <= two[1]["at_ns"].as_u64()), "{own:?}");
    }

    // A pipe that nobody reads does not hold the run up, and what was lost is said.
    let pipe = home.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is there").success());
    let unread = ["run", "tasks", "--model", "scripted", "--out", "unread", "--events", "pipe"];
    let said = show(&rollout(home.path(), &unread, INFRASTRUCTURE));
    assert!(said.contains("events were left out") && journal(&home.path().join("unread")).len() == 2, "{said}");
    let mixed = ["run", "tasks", "--model", "scripted", "--out", "mixed", "--events", "-"];
    let said = show(&rollout(home.path(), &mixed, USAGE));
    assert!(said.contains("/dev/fd/3") && !home.path().join("mixed").exists(), "{said}");
}

#[test]
fn untouched_files_are_worth_nothing_and_numbers_have_intervals() {
    let home = tasks(3);
    let run = ["run", "tasks", "--model", "scripted:gives-up.jsonl", "--samples", "2", "--out", "out"];
    let text = show(&rollout(home.path(), &run, 0));
    let figures = ["steps     12 (2.0 an episode)", "code      12 cells of 23 bytes", "calls     6 × finish"];
    for word in ["pass@1", "pass@2", "mean reward", "95 % interval", "6 of 6 episodes", "0.000", "[0.00, 0."]
        .into_iter()
        .chain(figures)
    {
        assert!(text.contains(word), "{word}\n{text}");
    }
    let json = rollout(home.path(), &[&run[..], &["--format", "json"]].concat(), 0);
    let summary: Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!(summary["figures"]["failed"], 6);
    assert_eq!(summary["figures"]["cost_unknown"], 0, "a script is free");
    assert_eq!(summary["episodes"].as_array().map(Vec::len), Some(6));

    // Other settings than before are named; another process is not let in; neither is a stranger's folder.
    for (flags, words) in [
        (&["--steps", "7"][..], "steps was 40, now it is 7"),
        (&["--no-early-stop"], "early_stop was nothing, now it is false"),
        (&["--temperature-step", "0.5"], "temperature_step was nothing, now it is 0.5"),
        (&["--nudge", "Look."], "nudge was nothing, now it is \"Look.\""),
    ] {
        let other = show(&rollout(home.path(), &[&run[..], flags].concat(), USAGE));
        assert!(other.contains(words), "{other}");
    }
    let stranger = ["run", "tasks", "--model", "scripted", "--out", "tasks"];
    assert!(show(&rollout(home.path(), &stranger, USAGE)).contains("not an Assay run"));
}

/// What the store of a folder answers.
#[track_caller]
fn stored(home: &Path, arguments: &[&str]) -> Value {
    let output = assay(home).args(arguments).arg("--json").output().expect("assay starts");
    assert!(output.status.success(), "{arguments:?}\n{}", show(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn a_run_is_one_run_of_the_store_however_often_it_is_gone_on_with() {
    let home = tasks(3);
    let gives_up = ["run", "tasks", "--model", "scripted:gives-up.jsonl", "--samples", "2"];
    let run = [&gives_up[..], &["--out", "out"]].concat();
    rollout(home.path(), &run, 0);
    let first = stored(home.path(), &["show", "latest"]);
    let is = ["kind", "status", "verdict", "strategy"].map(|key| first[key].as_str().unwrap_or_default());
    assert_eq!(is, ["rollout", "completed", "0 of 6 solved", "scripted:gives-up.jsonl"]);
    let command = "assay rollout run tasks --model scripted:gives-up.jsonl --out out --seed 1 --samples 2";
    assert_eq!(first["command"], command);
    let scenario = ["name", "summary"].map(|key| first["scenarios"][0][key].as_str().unwrap_or_default());
    assert_eq!(scenario, ["tasks", "3 bug-fix tasks"]);
    let kpis = first["kpis"].as_array().expect("a list");
    let names: Vec<&str> = kpis.iter().filter_map(|kpi| kpi["measure"].as_str()).collect();
    assert_eq!(names, ["reward", "pass@1", "pass@2"]);
    assert_eq!((kpis[0]["mean"].as_f64(), kpis[0]["n"].as_u64()), (Some(0.0), Some(6)));
    assert!(kpis[0]["low"].as_f64().is_some_and(|low| low < 1e-9) && kpis[0]["high"].as_f64() > Some(0.1), "{kpis:?}");
    assert_eq!(kpis[0]["samples"].as_array().map(Vec::len), Some(3), "a value for each task");
    let trajectories = first["trajectories"].as_array().expect("a list");
    assert_eq!(trajectories.len(), 6);
    for trajectory in trajectories {
        let path = Path::new(trajectory["path"].as_str().expect("a path"));
        assert!(path.is_absolute() && path.is_file(), "{trajectory}");
        assert_eq!((trajectory["outcome"].as_str(), trajectory["score"].as_f64()), (Some("failure"), Some(0.0)));
    }
    // A start that finds nothing to do changes nothing.
    rollout(home.path(), &run, 0);
    assert_eq!(stored(home.path(), &["show", "latest"]), first);
    // The same tasks again are another run; the two are compared task by task.
    rollout(home.path(), &[&gives_up[..], &["--out", "again"]].concat(), 0);
    assert_eq!(stored(home.path(), &["runs", "--kind", "rollout"])["total"], 2);
    let both = stored(home.path(), &["compare", "latest", first["id"].as_str().expect("an id"), "--measure", "reward"]);
    let reward = &both["measures"][0];
    assert_eq!((reward["method"].as_str(), reward["difference"]["n"].as_u64()), (Some("paired"), Some(3)));

    // Without an engine nothing is scored, and what is tried again later is the same run.
    let mends = ["run", "tasks", "--model", "scripted", "--out", "unscored"];
    for more in [&[][..], &["--retry-unscored"]] {
        rollout(home.path(), &[&mends[..], more].concat(), INFRASTRUCTURE);
        let found = stored(home.path(), &["show", "latest"]);
        let is = (found["status"].as_str(), &found["verdict"], found["trajectories"][0]["id"].as_str());
        assert_eq!(is, (Some("failed"), &Value::Null, Some("calc-1.s1")));
        assert!(
            found["error"].as_str().is_some_and(|error| error.contains("3 of 3 episodes have no score")),
            "{found:#}"
        );
        assert_eq!((&found["kpis"], &found["trajectories"][0]["outcome"]), (&serde_json::json!([]), &Value::Null));
        assert_eq!(stored(home.path(), &["runs"])["total"], 3);
    }
    // A store that cannot be written is one warning, and none is asked for where none is wanted.
    for (more, warnings) in [(["--store", "/proc/assay/store.db"], 1), (["--no-store", "--format=table"], 0)] {
        let run = [&gives_up[..], &["--out", if warnings == 0 { "without" } else { "warned" }], &more].concat();
        let text = show(&rollout(home.path(), &run, 0));
        assert_eq!(text.matches("warning").count(), warnings, "{text}");
        assert!(text.contains("6 of 6 episodes finished"), "{text}");
    }
    assert_eq!(stored(home.path(), &["runs"])["total"], 3);
}

#[test]
fn mistakes_are_named_before_anything_begins() {
    let home = tasks(1);
    for (arguments, words) in [
        (&["run", "nowhere", "--model", "scripted"][..], &["nowhere", "hint", "a folder of tasks"][..]),
        (&["run", "tasks", "--model", "opnai:x"], &["unknown provider", "hint"]),
        (&["run", "tasks", "--model", "scripted:nowhere.jsonl"], &["failed to read the script nowhere.jsonl", "hint"]),
        (
            &["run", "tasks", "--model", "cassette:nowhere.jsonl"],
            &["nowhere.jsonl: failed to open the cassette", "hint"],
        ),
        (&["run", "tasks", "--model", "scripted", "--reasoning", "much"], &["--reasoning much", "hint"]),
        (&["run", "tasks", "--model", "scripted", "--record", "tape"], &["--record", "hint"]),
        (
            &["run", "tasks", "--model", "openai-compatible:x", "--model-url", "http://127.0.0.1:1/v1", "--cost", "1"],
            &["the price of `openai-compatible:x` is unknown", "hint"],
        ),
        (&["run", "tasks", "--model", "scripted", "--concurrency", "0"], &["--concurrency 0", "hint"]),
        (&["run", "tasks", "--model", "scripted", "--samples", "0"], &["hint"]),
        (&["run", "tasks", "--model", "scripted", "--steps", "0"], &["--steps 0", "hint"]),
        (&["run", "tasks", "--model", "scripted", "--cost", "0"], &["--cost 0", "hint"]),
        (&["run", "tasks", "--model", "scripted", "--budget-tokens", "0"], &["--budget-tokens 0", "hint"]),
        (&["run", "tasks", "--model", "scripted", "--temperature", "9"], &["--temperature 9", "hint"]),
        (&["run", "tasks", "--model", "scripted", "--time", "soon"], &["soon", "hint"]),
        (&["run", "tasks", "--model", "scripted", "--temperature-step", "3"], &["--temperature-step 3", "hint"]),
        (
            &["run", "tasks", "--model", "scripted", "--temperature", "0,1", "--temperature-step", "1"],
            &["exclude each other"],
        ),
        (&["run", "tasks", "--model", "scripted", "--nudge", " "], &["--nudge is empty", "hint"]),
        (
            &["run", "tasks", "--model", "scripted", "--rule", "r2e_compat"],
            &["1 of 1 tasks cannot be graded", "calc-1: the rule r2e_compat needs a map", "no model was asked"],
        ),
        (&["grade", "nowhere"], &["not an Assay run", "not a folder"]),
        (&["run", "tasks", "--model", "scripted", "--instance-id", "x*"], &["no task is left of the 1", "hint"]),
        (
            &["run", "tasks", "--model", "scripted", "--store", "mysql://h/d"],
            &["`mysql://` is not a supported kind of store", "hint"],
        ),
        (&["debug", "tasks", "--model", "scripted", "--instance-id", "x"], &["no task is left of the 1"]),
    ] {
        let text = show(&rollout(home.path(), arguments, USAGE));
        assert!(words.iter().all(|word| text.contains(word)), "{arguments:?}\n{text}");
    }
    let url = ["rollout", "run", "tasks", "--model", "scripted", "--docker-url", "ftp://x"];
    let refused = assay(home.path()).args(url).output().expect("assay starts");
    let text = show(&refused);
    assert!(refused.status.code() == Some(USAGE) && text.contains("does not name a Docker engine"), "{text}");
    assert!(!home.path().join("rollout").exists(), "a refused command leaves no run behind");
    assert!(!home.path().join(".assay").exists(), "nor a store");
}

#[test]
fn what_a_model_said_is_recorded_and_replayed() {
    let home = tasks(2);
    let recorded = ["run", "tasks", "--model", "scripted:gives-up.jsonl", "--record", "tape.jsonl", "--out", "first"];
    rollout(home.path(), &recorded, 0);
    let tape = std::fs::read_to_string(home.path().join("tape.jsonl")).expect("a cassette");
    assert_eq!(tape.lines().count(), 5, "the model, and two answers in each of two episodes\n{tape}");
    std::fs::remove_file(home.path().join("gives-up.jsonl")).expect("it is there");
    rollout(home.path(), &["run", "tasks", "--model", "cassette:tape.jsonl", "--cost", "1", "--out", "again"], 0);
    let said = |run: &str| {
        let text = std::fs::read_to_string(home.path().join(run).join("episodes/calc-1.s1.jsonl")).expect("kept");
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        lines.filter(|line| line["_type"] == "message").map(|line| line["parts"].to_string()).collect::<Vec<_>>()
    };
    assert_eq!((said("first").len(), said("first")), (5, said("again")));
    // Another question is not in it.
    let other = ["run", "tasks", "--model", "cassette:tape.jsonl", "--seed", "2", "--out", "other"];
    assert!(show(&rollout(home.path(), &other, INFRASTRUCTURE)).contains("contains no answer to request"));
}

#[test]
fn a_changed_trajectory_is_said_when_the_run_goes_on() {
    let home = tasks(1);
    let run = ["run", "tasks", "--model", "scripted:gives-up.jsonl", "--out", "out"];
    assert!(!show(&rollout(home.path(), &run, 0)).contains("warning"));
    std::fs::remove_file(home.path().join("out/episodes/calc-1.s1.jsonl")).expect("it is there");
    let text = show(&rollout(home.path(), &run, 0));
    assert!(text.contains("warning") && text.contains("missing or have changed since: calc-1.s1;"), "{text}");
}

/// Two replies of 20 cents each.
const COSTS: &str = r#"{"text": "I look.\n\n```repl\nprint(read_file('calc.py'))\n```", "usage": {"input": 100000, "output": 0}}
{"text": "No idea.\n\n```repl\nfinish('nothing')\n```", "usage": {"input": 100000, "output": 0}}
"#;
/// An agent for 2 cents, which has a sub-agent for 5 dollars.
const SENDS_OFF: &str = r#"{"about": "add(1, 2)", "text": "```repl\nprint(sub_agent('look'))\n```", "usage": {"input": 5000, "output": 0}}
{"about": "add(1, 2)", "text": "```repl\nfinish('nothing')\n```", "usage": {"input": 5000, "output": 0}}
{"about": "Your task", "text": "```repl\nfinish('seen')\n```", "usage": {"input": 2500000, "output": 0}}
"#;
const PRICES: &str = "version = \"1\"\nsource = \"a test\"\n[models.\"scripted:*\"]\ninput = 2\noutput = 2\n";

/// A folder with tasks, a script and its price: two dollars for a million tokens.
fn priced(count: usize, script: &str) -> tempfile::TempDir {
    let home = tasks(count);
    std::fs::write(home.path().join("script.jsonl"), script).expect("written");
    std::fs::write(home.path().join("prices.toml"), PRICES).expect("written");
    home
}

const PRICED: [&str; 8] =
    ["run", "tasks", "--model", "scripted:script.jsonl", "--prices", "prices.toml", "--out", "out"];

/// What the lines of a journal have cost, in cents.
fn cents(lines: &[Value]) -> u64 {
    lines.iter().filter_map(|line| line["cost_microdollars"].as_u64()).sum::<u64>() / 10_000
}

#[test]
fn a_budget_finishes_what_it_pays_for_and_pays_nothing_twice() {
    let (dollars, tokens) = (["--budget-usd", "2"], ["--budget-tokens", "1000000"]);
    for (concurrency, budget, finished) in [("1", dollars, 5..=5), ("6", dollars, 5..=6), ("1", tokens, 5..=5)] {
        let home = priced(6, COSTS);
        let run = [&PRICED[..], &["--concurrency", concurrency], &budget].concat();
        let output = assay(home.path())
            .arg("rollout")
            .args([&run[..], &["--docker-url", NO_ENGINE]].concat())
            .output()
            .expect("assay starts");
        let (text, lines) = (show(&output), journal(&home.path().join("out")));
        assert!(finished.contains(&lines.len()), "{lines:?}\n{text}");
        assert!(lines.iter().all(|line| line["result"] != "unscored"), "{lines:?}");
        // Requests that were under way may end beyond the budget, and all that was paid is in the lines and in the summary.
        let paid = cents(&lines);
        let cost = format!("cost      ${}.{:02}00\n", paid / 100, paid % 100);
        assert!((200..=240).contains(&paid) && text.contains(&cost), "{cost}\n{text}");
        if lines.len() == 6 {
            assert_eq!(output.status.code(), Some(0), "{text}");
            continue;
        }
        assert_eq!(output.status.code(), Some(USAGE), "{text}");
        for words in ["the budget is spent: 5 of 6 episodes are finished and kept", "to run the other 1, with a budget"]
        {
            assert!(text.contains(words), "{words}\n{text}");
        }
        // With another budget only the last one is paid for.
        rollout(home.path(), &run, 0);
        let again = journal(&home.path().join("out"));
        assert_eq!((again.len(), cents(&again)), (6, paid + 40));
    }
}

#[test]
fn what_a_sub_agent_costs_is_in_every_total() {
    let home = priced(1, SENDS_OFF);
    let text = show(&rollout(home.path(), &PRICED, 0));
    assert!(text.contains("cost      $5.0200") && text.contains("tokens    2.5M"), "{text}");
    let line = &journal(&home.path().join("out"))[0];
    assert_eq!((line["cost_microdollars"].as_u64(), line["tokens"].as_u64()), (Some(5_020_000), Some(2_510_000)));
    let stored = stored(home.path(), &["show", "latest"]).to_string();
    assert!(stored.contains("rollout.json"), "the summary is kept with the run: {stored}");
}

/// Grades a run; there is no engine.
fn grade(home: &Path, run: &str, code: i32) -> String {
    show(&rollout(home, &["grade", run], code))
}

#[test]
fn what_was_done_is_graded_later_without_the_model() {
    let home = tasks(2);
    std::fs::write(home.path().join("mends.jsonl"), MENDS).expect("written");
    let text = show(&rollout(
        home.path(),
        &["run", "tasks", "--model", "scripted:mends.jsonl", "--out", "out"],
        INFRASTRUCTURE,
    ));
    assert!(text.contains("`assay rollout grade out`"), "{text}");
    // The model is gone, and nothing misses it; the engine is still away.
    std::fs::remove_file(home.path().join("mends.jsonl")).expect("it is there");
    assert!(grade(home.path(), "out", INFRASTRUCTURE).contains("no test engine"));
    let lines = journal(&home.path().join("out"));
    let is_paid_once = |line: &Value| line["tokens"] == 660 && line["attempt"] == 1 && line["result"] == "unscored";
    assert!(lines.len() == 4 && lines.iter().all(is_paid_once), "{lines:?}");
    let trajectory = home.path().join("out/episodes/calc-1.s1.jsonl");
    let text = std::fs::read_to_string(&trajectory).expect("kept");
    let kinds: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let end: Vec<&str> = kinds[kinds.len() - 4..].iter().filter_map(|line| line["_type"].as_str()).collect();
    assert!(text.contains("\"kind\":\"graded_later\"") && end.last() == Some(&"score"), "{end:?}");
    let verified = assay(home.path()).args(["trace", "verify"]).arg(&trajectory).output().expect("assay starts");
    assert!(verified.status.success(), "{}", show(&verified));

    // Tasks that changed would be graded by other tests.
    std::fs::write(home.path().join("tasks/calc-2/problem.md"), "Another.\n").expect("written");
    assert!(grade(home.path(), "out", USAGE).contains("the task calc-2 has changed since the run began"));
    assert!(grade(home.path(), "tasks", USAGE).contains("not an Assay run"));
}

#[test]
fn what_was_being_graded_at_a_crash_is_graded_later() {
    let home = tasks(2);
    let run = ["run", "tasks", "--model", "scripted:gives-up.jsonl", "--out", "out"];
    rollout(home.path(), &run, 0);
    // A crash took the score of one and the line of both.
    let first = home.path().join("out/episodes/calc-1.s1.jsonl");
    let text = std::fs::read_to_string(&first).expect("kept");
    let score = text.trim_end().rfind('\n').expect("lines") + 1;
    std::fs::write(&first, &text[..score + 20]).expect("written");
    std::fs::write(home.path().join("out/results.jsonl"), "").expect("written");
    std::fs::remove_file(home.path().join("gives-up.jsonl")).expect("it is there");
    assert!(grade(home.path(), "out", 0).contains("2 of 2 episodes finished"));
    let mut ids: Vec<String> = journal(&home.path().join("out")).iter().map(|line| line["id"].to_string()).collect();
    ids.sort();
    assert_eq!(ids, ["\"calc-1.s1\"", "\"calc-2.s1\""]);
    assert!(grade(home.path(), "out", 0).contains("no episode has anything left to grade"));
}

#[test]
fn one_episode_can_be_watched_and_steered() {
    let home = tasks(2);
    let debug = ["debug", "tasks", "--instance-id", "calc-2", "--model", "scripted"];
    let text = show(&rollout(home.path(), &debug, INFRASTRUCTURE));
    for word in ["assistant", "def add(a, b)", "state ", "100 tokens in, 10 out", "unscored", "no test engine"] {
        assert!(text.contains(word), "{word}\n{text}");
    }
    let both = show(&rollout(home.path(), &["debug", "tasks", "--model", "scripted"], USAGE));
    assert!(both.contains("2 tasks match") && both.contains("--instance-id"), "{both}");

    // Piped: go on, go on, say something, edit the next cell, stop.
    let editor = home.path().join("editor");
    std::fs::write(&editor, "#!/bin/sh\necho \"print('edited by hand')\" > \"$1\"\n").expect("written");
    let mut child = assay(home.path())
        .args(["rollout"])
        .args(debug)
        .args(["--interactive", "--docker-url", NO_ENGINE, "--out", "one"])
        .env("VISUAL", format!("sh {}", editor.display()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("assay starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    stdin.write_all(b"\n\nm look at the sign\n\ne\ns\n").expect("assay reads");
    drop(stdin);
    let output = child.wait_with_output().expect("assay ends");
    let text = show(&output);
    assert_eq!(output.status.code(), Some(INFRASTRUCTURE), "{text}");
    for word in ["look at the sign", "edited by hand", "supervised", "cancelled"] {
        assert!(text.contains(word), "{word}\n{text}");
    }
    let trajectory = std::fs::read_to_string(home.path().join("one/episodes/calc-2.s1.jsonl")).expect("it is kept");
    assert!(trajectory.contains("edited by hand"));
}

const EPISODES: usize = 200;
const KILLS: u64 = 20;

/// What a run says has finished, until it was said `most` times or it ends.
fn finished(child: &mut Child, most: usize) -> Vec<String> {
    let lines = BufReader::new(child.stderr.as_mut().expect("it is piped")).lines().map_while(Result::ok);
    let ids = lines.filter_map(|line| {
        let (place, rest) = line.split_once(' ')?;
        place.contains('/').then(|| rest.split(' ').next().unwrap_or_default().to_owned())
    });
    ids.take(most).collect()
}

/// The name without its attempt. A session that fails on a busy machine is tried again, and what the first attempt left stays beside the second.
fn episode_of(id: &str) -> &str {
    id.split_once(".a").map_or(id, |(episode, _)| episode)
}

#[test]
fn twenty_kills_of_a_run_lose_nothing_and_repeat_nothing() {
    let home = tasks(20);
    let out = home.path().join("out");
    let start = || {
        let mut command: Command = assay(home.path());
        command.args([
            "rollout",
            "run",
            "tasks",
            "--model",
            "scripted:gives-up.jsonl",
            "--samples",
            "10",
            "--concurrency",
            "6",
        ]);
        command.args(["--out", "out", "--docker-url", NO_ENGINE]).stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().expect("assay starts")
    };
    let mut random = Stream::new(Seed(4), "kill", "moments");
    let mut said: BTreeSet<String> = BTreeSet::new();
    for kill in 1..=KILLS {
        let mut child = start();
        // Moments are counted in finished episodes, not in time: the same ones on a slow machine. The first falls before anything finished.
        let now = finished(&mut child, if kill == 1 { 0 } else { 1 + random.below(8) as usize });
        child.kill().expect("it is ours");
        child.wait().expect("it ends");
        for id in now {
            assert!(said.insert(id.clone()), "{id} finished twice (kill {kill})");
        }
        let ids: Vec<String> =
            journal(&out).iter().map(|line| line["id"].as_str().expect("a name").to_owned()).collect();
        let all: BTreeSet<String> = ids.iter().cloned().collect();
        assert_eq!(all.len(), ids.len(), "kill {kill}: a line is there twice");
        assert!(said.is_subset(&all), "kill {kill}: a finished episode is lost");
        said.extend(all);
    }
    assert!(said.len() < EPISODES, "the kills came too late to mean anything");
    let mut child = start();
    let rest = finished(&mut child, usize::MAX);
    assert!(child.wait().expect("it ends").success());
    assert!(rest.iter().all(|id| !said.contains(id)), "an episode ran twice");

    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for line in journal(&out) {
        *counts.entry(episode_of(line["id"].as_str().expect("a name")).to_owned()).or_default() += 1;
    }
    assert!(counts.len() == EPISODES && counts.values().all(|count| *count == 1));
    // All starts, killed or not, were of one run.
    let listing = stored(home.path(), &["runs"]);
    assert_eq!((listing["total"].as_u64(), listing["runs"][0]["status"].as_str()), (Some(1), Some("completed")));
    let trajectories = &stored(home.path(), &["show", "latest"])["trajectories"];
    assert_eq!(trajectories.as_array().map(Vec::len), Some(EPISODES));
    let mut names = String::new();
    for entry in
        std::fs::read_dir(&out).expect("the folder").chain(std::fs::read_dir(out.join("episodes")).expect("the folder"))
    {
        let name = entry.expect("an entry").file_name().into_string().expect("a plain name");
        let id = name.strip_suffix(".jsonl").unwrap_or(&name);
        // `discarded` has what was paid for episodes that were killed.
        if !counts.contains_key(episode_of(id)) && id != "discarded" {
            writeln!(names, "{name}").expect("a string takes it");
        }
    }
    let mut names: Vec<&str> = names.lines().collect();
    names.sort_unstable();
    assert_eq!(names, ["episodes", "outputs", "results.jsonl", "run.json"]);
}
