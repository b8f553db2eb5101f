//! Python strategies through the binary: they trade as their Rust twins do, seeds share nothing, hostile ones end as documented, and the
//! checks find what they announce, and the gate judges them. Needs the interpreter of `make setup-python-guest`.

use assay_tests::{assay, root, show};
use serde_json::Value;
use std::path::Path;

/// Runs a strategy and reads its record; `exit` is what must come of it.
fn run(folder: &Path, strategy: &str, scenario: &str, seeds: &str, threads: &str, exit: i32) -> Value {
    let arguments =
        ["run", strategy, "--scenario", scenario, "--seeds", seeds, "--threads", threads, "--out", "report"];
    let output = assay(folder).args(arguments).output().expect("assay starts");
    assert_eq!(output.status.code(), Some(exit), "{strategy}\n{}", show(&output));
    let record = std::fs::read(folder.join("report/run.json")).expect("there is a record");
    serde_json::from_slice(&record).expect("run.json is JSON")
}

/// Runs a Python file of this text.
fn run_source(source: &str, seeds: &str, exit: i32) -> Value {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("s.py"), source).expect("a file can be written");
    run(folder.path(), "s.py", "smoke", seeds, "1", exit)
}

fn hashes(record: &Value) -> Vec<&Value> {
    record["episodes"].as_array().expect("episodes").iter().map(|episode| &episode["event_log_hash"]).collect()
}

#[test]
fn a_twin_in_python_gives_the_orders_of_the_one_in_rust() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, scenario, seeds) in [
        ("market_maker", "rmsc04", "3"),
        ("momentum", "rmsc04", "3"),
        ("market_maker", "smoke", "5"),
        ("momentum", "smoke", "5"),
    ] {
        // Each language thinks at its own pace; where thinking takes no time, twins do the same.
        let file = format!("{scenario}-without-thinking.toml");
        let text = format!(
            "base = \"{scenario}\"\nstrategy.nanoseconds_per_fuel = 0\nstrategy.nanoseconds_per_fuel_python = 0\n"
        );
        std::fs::write(folder.path().join(&file), text).expect("the folder is writable");
        let record = |extension| {
            let path = root().join(format!("examples/strategies/{name}.{extension}"));
            run(folder.path(), &path.to_string_lossy(), &file, seeds, "2", 0)
        };
        let (python, rust) = (record("py"), record("rs"));
        assert_eq!(hashes(&python), hashes(&rust), "{name} on {scenario}");
        let fills = &rust["episodes"][0]["measures"]["fills"]["value"];
        assert!(fills.as_f64().is_some_and(|fills| fills > 0.0), "{name} on {scenario} trades: {fills}");
    }
}

#[test]
fn the_starting_file_checks_and_trades() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = assay(folder.path()).args(["new", "mine.py"]).output().expect("assay starts");
    assert_eq!(output.status.code(), Some(0), "{}", show(&output));
    let output = assay(folder.path()).args(["check", "mine.py"]).output().expect("assay starts");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "mine.py: passed", "{}", show(&output));
    let record = run(folder.path(), "mine.py", "smoke", "2", "1", 0);
    assert!(record["episodes"][0]["log"].as_array().is_some_and(|log| !log.is_empty()), "it logs: {record}");
}

/// Whatever a seed leaves behind, the next must not find. Each of these says at the start what it finds.
const LEAVES_MARKS: &str = r#"
import math, random, re
from assay import *
import assay
NAMES = ["mark"]
class S(Strategy):
    kept = []
    def initialize(self, config):
        seen = (len(NAMES), len(self.kept), hasattr(math, "mark"), hasattr(assay, "mark"), hasattr(Strategy, "mark"), max(1, 2))
        print(seen, random.random(), self.exchange.random())
        NAMES.append(1)
        self.kept.append(1)
        math.mark = assay.mark = Strategy.mark = 1
        b = getattr(re, "__buil" + "tins__")
        b["max"] = lambda *_: 0
        try:
            b["op" + "en"]("/tmp/mark", "w").write("1")
        except OSError as error:
            print("files:", type(error).__name__)
        try:
            b["op" + "en"]("/tmp/mark").read()
        except OSError as error:
            print("files:", type(error).__name__)
"#;

#[test]
fn nothing_passes_from_one_seed_to_the_next_and_threads_do_not_matter() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("s.py"), LEAVES_MARKS).expect("a file can be written");
    let mut records = Vec::new();
    for threads in ["1", "2"] {
        let mut record = run(folder.path(), "s.py", "smoke", "1,2,3", threads, 0);
        record.as_object_mut().expect("an object").remove("timing");
        records.push(record);
    }
    assert_eq!(records[0], records[1]);
    let first = |episode: &Value| episode["log"][0]["text"].as_str().unwrap_or_default().to_owned();
    let episodes = records[0]["episodes"].as_array().expect("episodes");
    for episode in episodes {
        assert!(first(episode).starts_with("(1, 0, False, False, False, 2) "), "{}", episode["log"]);
        assert_eq!(episode["log"].as_array().map(Vec::len), Some(3), "{}", episode["log"]);
    }
    assert_ne!(first(&episodes[0]), first(&episodes[1]), "random numbers depend on the seed");
}

/// A strategy that passes the check and does `body` in each tick.
fn hostile(body: &str) -> String {
    let body = body.replace('\n', "\n        ");
    format!(
        "import re, random, math\nfrom assay import *\nclass S(Strategy):\n    def on_tick(self):\n        {body}\n"
    )
}

#[test]
fn hostile_strategies_end_as_documented() {
    let climb = "b = getattr(re, '__buil' + 'tins__')\n";
    let cases: &[(&str, &str, &str)] = &[
        ("while True: pass", "out_of_fuel", "callback"),
        ("x = 10\nwhile True: x = x * x", "out_of_fuel", "callback"),
        ("re.match('(a+)+b', 'a' * 40)", "out_of_fuel", "callback"),
        ("[0] * 10**10", "trapped", "OverflowError"),
        ("x = []\nwhile True: x.append(bytes(1 << 20))", "out_of_memory", "on_tick"),
        ("while True:\n    try: x = bytes(1 << 31 - 1)\n    except MemoryError: pass", "out_of_memory", "on_tick"),
        ("def f(): return f()\nf()", "trapped", "RecursionError"),
        ("raise ValueError('told')", "trapped", "s.py:5: ValueError: told"),
        ("raise SystemExit(0)", "trapped", "SystemExit"),
        ("while True: print('flood' * 1000)", "out_of_fuel", "callback"),
        ("while True: self.exchange.market(Side.BUY, 1)", "limit_exceeded", "requests"),
        ("while True: self.exchange.wake_in(1)", "limit_exceeded", "wakeups"),
        ("self.exchange._put(bytes(3))", "trapped", "interface"),
        ("self.exchange._put(b'\\xff' * 9)", "trapped", "interface"),
        ("self.exchange._ask(bytes(9 << 20))", "trapped", "on_tick"),
    ];
    for (body, kind, word) in cases {
        let record = run_source(&hostile(body), "1", 3);
        let outcome = &record["episodes"][0]["outcome"];
        assert_eq!(outcome["kind"], *kind, "{body}: {outcome}");
        assert!(outcome.to_string().contains(word), "{body}: {outcome}");
    }
    let tricks: &[(&str, &str)] = &[
        ("b['__imp' + 'ort__']('os').listdir('/nowhere')", "FileNotFoundError"),
        ("b['__imp' + 'ort__']('os').system('true')", "Error"),
        ("b['__imp' + 'ort__']('socket').create_connection(('127.0.0.1', 80))", "Error"),
        ("b['__imp' + 'ort__']('ctypes').CDLL(None)", "Error"),
        ("b['op' + 'en']('/etc/passwd')", "FileNotFoundError"),
        ("b['op' + 'en']('/tmp/x', 'w').write('x')", "OSError"),
        ("b['__imp' + 'ort__']('threading').Thread(target=print).start()", "Error"),
        ("b['__imp' + 'ort__']('os')._exit(0)", "exited"),
    ];
    for (body, word) in tricks {
        let record = run_source(&hostile(&format!("{climb}{body}")), "1", 3);
        let outcome = &record["episodes"][0]["outcome"];
        assert_eq!(outcome["kind"], "trapped", "{body}: {outcome}");
        assert!(outcome["message"].as_str().is_some_and(|message| message.contains(word)), "{body}: {outcome}");
    }
}

#[test]
fn an_exception_in_each_callback_has_its_place_and_its_frames() {
    let callbacks = [
        ("initialize", "self, config"),
        ("on_tick", "self"),
        ("on_market_data", "self"),
        ("on_order_update", "self, update"),
        ("on_simulation_end", "self"),
    ];
    for (callback, parameters) in callbacks {
        let trades = if callback == "on_tick" {
            ""
        } else {
            "    def on_tick(self):\n        self.exchange.market(Side.BUY, 1)\n"
        };
        let source = format!(
            "from assay import *\n\ndef inner():\n    return 1 // 0\n\nclass S(Strategy):\n    def {callback}({parameters}):\n        inner()\n{trades}"
        );
        let record = run_source(&source, "1", 3);
        let outcome = &record["episodes"][0]["outcome"];
        let expected = serde_json::json!({"kind": "trapped", "callback": callback, "trap": "exception"});
        for (key, value) in expected.as_object().expect("an object") {
            assert_eq!(&outcome[key], value, "{callback}: {outcome}");
        }
        assert!(
            outcome["message"].as_str().is_some_and(|message| message.starts_with("s.py:4: ZeroDivisionError")),
            "{outcome}"
        );
        let frames = record["diagnostics"]["backtraces"][0]["text"].as_str().unwrap_or_default();
        assert!(
            frames.contains("line 8, in") && frames.contains("line 4, in inner") && !frames.contains("assay_strategy"),
            "{frames}"
        );
    }
}

/// The codes that a file announces in its first line, `# expect: P001 P002`, or none.
fn announced(text: &str) -> Vec<String> {
    let first = text.lines().next().unwrap_or_default();
    first.strip_prefix("# expect:").map_or_else(Vec::new, |codes| codes.split_whitespace().map(str::to_owned).collect())
}

#[test]
fn the_check_finds_what_hostile_files_announce_and_nothing_in_honest_ones() {
    let mut seen = std::collections::BTreeSet::new();
    for folder in ["tests/hostile/python", "tests/honest/python", "examples/strategies", "guest-sdk/template"] {
        let mut count = 0;
        for entry in std::fs::read_dir(root().join(folder)).expect("the folder is there") {
            let path = entry.expect("an entry").path();
            if path.extension().is_none_or(|extension| extension != "py") {
                continue;
            }
            count += 1;
            let output = assay(root()).args(["check", "--format", "json"]).arg(&path).output().expect("assay starts");
            let found: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", show(&output)));
            let findings = found["findings"].as_array().expect("findings");
            let mut codes: Vec<&str> = findings.iter().filter_map(|finding| finding["code"].as_str()).collect();
            codes.sort_unstable();
            codes.dedup();
            let wanted = announced(&String::from_utf8_lossy(&std::fs::read(&path).expect("it can be read")));
            assert_eq!(codes, wanted, "{}\n{}", path.display(), show(&output));
            seen.extend(wanted);
        }
        assert!(count > 0, "{folder} has no Python file");
    }
    let missing: Vec<String> =
        (1..=10).map(|number| format!("P{number:03}")).filter(|code| !seen.contains(code)).collect();
    assert!(missing.is_empty(), "no attack for {missing:?}");
}

const POLICY: &str = "name = \"small\"\n[[scenarios]]\nscenario = \"smoke\"\npublic = 2\n\n[[rules]]\nname = \"quiet\"\nmeasure = \"orders\"\nbelow = 500\n";

#[test]
fn the_gate_judges_them_as_it_judges_others() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("it has one")).expect("made");
        std::fs::write(path, text).expect("written");
    };
    let strategy =
        |work: &str| format!("from assay import *\n\n\nclass S(Strategy):\n    def on_tick(self):\n        {work}\n");
    write("gate.toml", POLICY);
    write("all/quiet.py", &strategy("pass"));
    write("all/noisy.py", &strategy("for _ in range(10): self.exchange.market(Side.BUY, 1)"));
    write("all/raises.py", &strategy("raise ValueError('no idea')"));
    write("all/imports.py", &format!("import ctypes\n{}", strategy("pass")));
    write("all/broken.py", "class S(\n");
    write("all/bytes.py", "");
    std::fs::write(folder.path().join("all/bytes.py"), b"x = '\xff'\n").expect("written");

    let gate = |arguments: &[&str], interpreter: Option<&str>, exit: i32| {
        let mut command = assay(folder.path());
        command.arg("gate").args(arguments);
        if let Some(path) = interpreter {
            command.env("ASSAY_PYTHON_COMPONENT", path);
        }
        let output = command.output().expect("assay starts");
        assert_eq!(output.status.code(), Some(exit), "{arguments:?}\n{}", show(&output));
        show(&output)
    };
    let verdict = |name: &str| -> Value {
        let file = std::fs::read(folder.path().join(format!("verdicts/{name}.py.json"))).expect("a verdict");
        serde_json::from_slice(&file).expect("JSON")
    };
    gate(&["all", "--jobs", "2"], None, 1);
    for (name, decision, words) in [
        (
            "quiet",
            "pass",
            "Passed: 2 rules hold in smoke (2 public seeds). The seeds are public, so a submission may have been tuned to them.",
        ),
        ("noisy", "fail", "mean Orders submitted below 500"),
        ("raises", "fail", "ValueError: no idea"),
        ("imports", "rejected", "(P002, imports.py:1)"),
        ("broken", "rejected", "(P001, broken.py:1)"),
        ("bytes", "rejected", "UTF-8"),
    ] {
        let verdict = verdict(name);
        assert_eq!(verdict["decision"], decision, "{name}: {verdict:#}");
        assert!(verdict.to_string().contains(words), "{name}: {words}\n{verdict:#}");
        assert_eq!(verdict["submission"]["kind"], "python_file", "{name}");
        assert!(verdict["tool"]["python_component"].is_string(), "{name}: {verdict:#}");
    }
    let before = verdict("quiet");
    let text = gate(&["all", "--jobs", "1"], None, 1);
    assert!(text.contains("6 verdicts from an earlier run"), "{text}");
    assert_eq!(verdict("quiet"), before);

    // Without an interpreter nothing is known of what is new, and what is known stands.
    let text = gate(&["all"], Some("nowhere.wasm"), 1);
    assert!(text.contains("6 verdicts from an earlier run"), "{text}");
    assert_eq!(verdict("quiet"), before);
    let text = gate(&["all/quiet.py"], Some("nowhere.wasm"), 4);
    assert!(
        text.contains("there is no Python interpreter to run the strategy") && text.contains("setup-python-guest"),
        "{text}"
    );

    // An exception lets it run, in a interpreter that has no such module.
    let hash = verdict("imports")["submission"]["hash"].as_str().expect("a hash").to_owned();
    write(
        "gate.toml",
        &format!(
            "{POLICY}[[sign_offs]]\ncode = \"P002\"\nsubmission = \"{hash}\"\nby = \"Ada\"\nreason = \"to see\"\n"
        ),
    );
    let text = gate(&["all/imports.py"], None, 3);
    assert!(text.contains("ctypes") && text.contains("signed off by Ada"), "{text}");
}
