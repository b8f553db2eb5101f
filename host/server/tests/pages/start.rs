//! What pages start: forms that are ours alone, text that stays text, files of named folders and no others, jobs and sessions. A shell script stands in the
//! place of `assay`, the source check in that of all checks.

use crate::chromium::{Tab, find};
use crate::fixture::{Answer, Server, check_is_inert, evil, run_session, session_folder};
use crate::stored::world_folder;
use assay_server::{CheckStrategy, Checked, Settings, Work};
use assay_work::jobs::{Jobs, Program};
use assay_work::offers::Offers;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Far beyond what anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);
/// Tells what it was told. A strategy whose name has `slow` in it runs until it is stopped.
const SCRIPT: &str = r#"
case "$*" in
  *"scenarios show"*unreadable*) echo "error: failed to read the scenario: line 1: what is \`clam\`?"; echo " hint: did you mean \`calm\`?"; exit 2;;
  *"rollout run --dry-run"*--seed=404*) echo "error: the tasks cannot be read"; exit 2;;
esac
echo "told: $*"
case "$*" in
  *dry-run*|*"scenarios show"*|*retry-unscored*|*"worlds state"*|*"trace replay"*) ;;
  *slow*) while read -r line; do :; done; echo kept; exit 130;;
esac
"#;
/// A strategy that the source check has nothing against, with a word in it.
fn good(word: &str) -> String {
    format!("struct Maker;\nimpl Strategy for Maker {{}}\nassay_sdk::export!(Maker);\n// {word}\n")
}

/// Everything that is posted, with fields that are enough.
pub(crate) const POSTED: [(&str, &str); 28] = [
    ("/edit/check", "name=a.rs&source=x"),
    ("/edit/save", "name=a.rs&source=x"),
    ("/edit/run", "name=a.rs&source=x&market=calm&seeds=1&goal=balanced"),
    ("/compare/record", "run=019a1b2c-3d4e-7000-8000-000000000000&seed=1"),
    ("/jobs/1-x/stop", ""),
    ("/jobs/1-x/again", ""),
    ("/jobs/1-x/resume", ""),
    ("/runs/new", "strategy=0123456789abcdef&market=calm&seeds=1&goal=balanced"),
    ("/gate/new", "strategy=0123456789abcdef"),
    ("/refine/new", "strategy=0123456789abcdef&market=calm&goal=balanced"),
    ("/rollouts/new", "tasks=0123456789abcdef&model=scripted&samples=1&at_once=1&seed=1&act=start"),
    ("/worlds/new", "world=0123456789abcdef&model=scripted&samples=1&at_once=1&seed=1&act=start"),
    ("/worlds/fork", "world=0123456789abcdef&episode=0123456789abcdef.x&step=1&samples=1&at_once=1&act=start"),
    ("/api/jobs/world", "world=0123456789abcdef&model=scripted&samples=1&at_once=1&seed=1&act=start"),
    ("/api/jobs/1-x/stop", ""),
    ("/api/jobs/1-x/again", ""),
    ("/api/edit/check", "name=a.rs&source=x"),
    ("/api/edit/save", "name=a.rs&source=x"),
    ("/api/edit/run", "name=a.rs&source=x&market=calm&seeds=1&goal=balanced"),
    ("/api/compare/record", "run=019a1b2c-3d4e-7000-8000-000000000000&seed=1"),
    ("/api/refine/0123456789abcdef/stop", ""),
    ("/api/refine/0123456789abcdef/resume", ""),
    ("/api/refine/0123456789abcdef/hint", "hint=x"),
    ("/api/refine/0123456789abcdef/fork", "at=1"),
    ("/refine/0123456789abcdef/stop", ""),
    ("/refine/0123456789abcdef/resume", ""),
    ("/refine/0123456789abcdef/hint", "hint=x"),
    ("/refine/0123456789abcdef/fork", "at=1"),
];

/// What starts work in a folder, with a policy and strategies that can be chosen, one of them with a hostile name.
pub(crate) fn work(folder: &Path) -> Work {
    let (sources, script) = (folder.join("sources"), folder.join("script.sh"));
    for (name, text) in [
        ("maker.rs", "fn main() {}\n".to_owned()),
        ("slow.rs", "fn main() {}\n".to_owned()),
        ("deep/momentum.py", "x = 1\n".to_owned()),
        ("gate.toml", "[[rules]]\n".to_owned()),
        ("market.toml", "base = \"calm\"\n".to_owned()),
        ("unreadable.toml", "base = \"calm\"\n".to_owned()),
        ("a,b.toml", "base = \"calm\"\n".to_owned()),
        ("bugs/one/task.toml", String::new()),
        ("desk/world.toml", String::new()),
        ("slow-desk/world.toml", String::new()),
        ("evil.rs", format!("// {}\n", evil())),
    ] {
        let path = sources.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }
    fs::create_dir(sources.join("\"><script>alert(4)<")).expect("made");
    fs::write(sources.join("\"><script>alert(4)</world.toml"), "").expect("written");
    fs::write(sources.join("\"><script>alert(1)<.rs"), "").expect("written");
    fs::write(folder.join("secret.rs"), "secret").expect("written");
    fs::write(&script, SCRIPT).expect("written");
    let before = vec![script.to_str().expect("UTF-8").to_owned()];
    let program = Program { path: "/bin/sh".into(), before, environment: Vec::new() };
    let jobs = Jobs::open(&folder.join("work"), program, 2).expect("opened");
    let offers = Offers::open(jobs.strategies().expect("made"), &[sources]).expect("opened");
    let check = |name: &assay_work::offers::StrategyName, text: &str| {
        let findings = assay_validator::check_source(name.as_str(), text);
        Ok(Checked { has_passed: !findings.has_errors(), findings })
    };
    Work {
        jobs: Arc::new(jobs),
        offers: Arc::new(offers),
        check: CheckStrategy(Arc::new(check)),
        models: vec!["scripted:model.jsonl".to_owned()],
        templates: ["fn rust() {}\n", "def python(): pass\n"],
        policy: "# a policy\n",
    }
}

/// A server that starts work in a folder of the test.
struct Ground {
    folder: tempfile::TempDir,
    server: Server,
    form: String,
}

impl Ground {
    fn new() -> Self {
        Self::with(|_| {})
    }

    fn with(change: impl FnOnce(&mut Settings)) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        session_folder(&folder.path().join("runs/session"), "an idea");
        let brought = work(folder.path());
        let server = Server::start_with(&[&folder.path().join("runs")], |settings| {
            settings.work = Some(brought);
            change(settings);
        });
        let page = server.get("/edit");
        let form = page.between("name=\"form\" value=\"", "\"").unwrap_or_default().to_owned();
        Self { folder, server, form }
    }

    fn post(&self, path: &str, fields: &str) -> Answer {
        let origin = format!("Origin: http://localhost:{}", self.server.port());
        self.server.post(path, &format!("form={}&{fields}", self.form), &[&origin])
    }

    /// Posts, and follows to the page that shows what became of it.
    fn go(&self, path: &str, fields: &str) -> (String, Answer) {
        let answer = self.post(path, fields);
        assert_eq!(answer.status, 303, "{path} {fields}\n{}", answer.body);
        let to = answer.header("location").expect("an address").to_owned();
        let page = self.server.get(to.split('#').next().unwrap_or_default());
        (to, page)
    }

    /// The id of a file that is offered, by its name on the page.
    fn offer(&self, name: &str) -> String {
        self.offer_on("/runs/new", name)
    }

    /// The same on another page.
    fn offer_on(&self, path: &str, name: &str) -> String {
        let page = self.server.get(path).body;
        let option = page.split("<option value=\"").find(|option| option.contains(&format!(">{name}</option>")));
        option.and_then(|option| option.split('"').next()).unwrap_or_else(|| panic!("no {name}: {page}")).to_owned()
    }

    /// The page of the session.
    fn session(&self) -> String {
        let page = self.server.get("/refine").body;
        let links = page.split("href=\"").skip(1).filter_map(|part| part.split('"').next());
        let mut sessions = links.filter(|link| link.starts_with("/refine/") && *link != "/refine/new");
        sessions.next().expect("a session").to_owned()
    }

    /// Everything below the folder of work, without what changes by itself.
    fn files(&self) -> Vec<PathBuf> {
        let (mut found, mut left) = (Vec::new(), vec![self.folder.path().to_owned()]);
        while let Some(folder) = left.pop() {
            for entry in fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() { left.push(path) } else { found.push(path) }
            }
        }
        found.sort();
        found
    }

    fn wait(&self, path: &str, words: &str) -> Answer {
        let since = Instant::now();
        loop {
            let page = self.server.get(path);
            if page.body.contains(words) {
                return page;
            }
            assert!(since.elapsed() < PATIENCE, "{path} never says {words:?}\n{}", page.body);
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Starts a job and waits for its end, so that its pages can be reached; checks a strategy that has findings.
pub(crate) fn fill(server: &Server) {
    let form = server.get("/edit").between("name=\"form\" value=\"", "\"").expect("a form").to_owned();
    let origin = format!("Origin: http://localhost:{}", server.port());
    let fields = format!("form={form}&name=mine.rs&market=calm&seeds=3&goal=profit&source={}", encoded(&good("")));
    assert_eq!(server.post("/edit/run", &fields, &[&origin]).status, 303);
    let since = Instant::now();
    while !server.get("/jobs/1-mine").body.contains(">done<") {
        assert!(since.elapsed() < PATIENCE, "the job does not end");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

#[test]
fn nothing_starts_without_our_own_form() {
    let ground = Ground::new();
    let own = format!("Origin: http://localhost:{}", ground.server.port());
    let before = ground.files();
    for (path, fields) in POSTED {
        let with = |form: &str| format!("form={form}&{fields}");
        for (body, headers, expected) in [
            (fields.to_owned(), vec![own.as_str()], 403),
            (with("wrong"), vec![own.as_str()], 403),
            (with(""), vec![own.as_str()], 403),
            (with(&ground.form), vec![], 403),
            (with(&ground.form), vec!["Origin: http://evil.example"], 403),
            (with(&ground.form), vec!["Origin: null"], 403),
            (with(&ground.form), vec!["Sec-Fetch-Site: cross-site"], 403),
            (with(&ground.form), vec![own.as_str(), "Host: evil.example"], 421),
        ] {
            let answer = ground.server.post(path, &body, &headers);
            assert_eq!(answer.status, expected, "{path} {body} {headers:?}\n{}", answer.body);
        }
        if !path.ends_with("/new") && !["/api/jobs/world", "/worlds/fork"].contains(&path) {
            assert_eq!(ground.server.get(&format!("{path}?{fields}&form={}", ground.form)).status, 405, "{path}");
        }
    }
    assert_eq!(ground.files(), before);
}

#[test]
fn read_only_pages_start_nothing_and_offer_nothing() {
    let ground = Ground::with(|settings| settings.read_only = true);
    let before = ground.files();
    for (path, fields) in POSTED {
        assert_eq!(ground.post(path, fields).status, 403, "{path}");
    }
    for path in
        ["/edit", "/jobs", "/runs/new", "/gate/new", "/refine/new", "/rollouts/new", "/worlds/new", "/worlds/fork"]
    {
        assert_eq!(ground.server.get(path).status, 403, "{path}");
    }
    // A list may be read.
    let jobs = ground.server.get("/api/jobs");
    assert!(jobs.status == 200 && jobs.body.contains("\"total\":0"), "{}", jobs.body);
    for (path, page) in ground.server.crawl() {
        assert!(!page.body.contains("method=\"post\"") && !page.body.contains("\"/edit"), "{path}\n{}", page.body);
    }
    assert_eq!(ground.files(), before);
}

/// Every field of every form.
const FIELDS: &str = "name source base market seeds goal baseline strategy policy checked writer words generations family unseen run width seed minutes dollars tokens hint at act tasks world only model faults samples at_once steps episode step";

#[test]
fn hostile_fields_are_only_ever_text() {
    let ground = Ground::new();
    let before = ground.files();
    let evil = encoded(&evil());
    let fields = FIELDS.split(' ').map(|name| format!("{name}={evil}")).collect::<Vec<_>>().join("&");
    let session = ground.session();
    for path in [
        "/edit/check",
        "/edit/save",
        "/edit/run",
        "/runs/new",
        "/gate/new",
        "/refine/new",
        "/rollouts/new",
        "/worlds/new",
        "/worlds/fork",
    ] {
        let answer = ground.post(path, &fields);
        assert_eq!(answer.status, 422, "{path}\n{}", answer.body);
        check_is_inert(path, &answer);
    }
    for act in ["fork", "hint"] {
        let answer = ground.post(
            &format!("{session}/{act}"),
            &fields.replace("hint=", "hint=++").replace(&evil, if act == "hint" { "" } else { &evil }),
        );
        assert!((400..500).contains(&answer.status), "{act} {}", answer.status);
        check_is_inert(act, &answer);
    }
    assert_eq!(ground.files(), before);
    let pages = ground.server.crawl();
    for (path, page) in &pages {
        check_is_inert(path, page);
    }
    assert!(pages.keys().any(|path| path.starts_with("/edit")) && pages.contains_key("/jobs"), "{:?}", pages.keys());
    // In the editor, what cannot be seen is written out, and that is said.
    let open = ground.server.get(&format!("/edit?open={}", ground.offer("sources/evil.rs")));
    check_is_inert("/edit", &open);
    assert!(
        open.body.contains("\\u{202e}") && open.body.contains("that cannot be seen are written out"),
        "{}",
        open.body
    );
}

#[test]
fn what_is_typed_never_becomes_a_path_or_a_flag() {
    let ground = Ground::new();
    let before = ground.files();
    let maker = ground.offer("sources/maker.rs");
    let policy = ground.offer_on("/gate/new", "sources/gate.toml");
    let (bugs, desk) =
        (ground.offer_on("/rollouts/new", "sources/bugs"), ground.offer_on("/worlds/new", "sources/desk"));
    let few = "samples=1&at_once=1&seed=1&act=start";
    for name in ["../x.rs", "/tmp/x.rs", "a/b.rs", ".rs", "-x.rs", "x.toml", "x", "", "a.rs%00", "%2e%2e%2fx.rs"] {
        for path in ["/edit/save", "/edit/run", "/edit/check"] {
            let answer = ground.post(path, &format!("name={name}&source=x&market=calm&seeds=1&goal=balanced"));
            assert_eq!(answer.status, 422, "{path} {name}\n{}", answer.body);
        }
    }
    for (path, fields) in [
        ("/runs/new", "strategy=../secret.rs&market=calm&seeds=1&goal=balanced"),
        ("/runs/new", "strategy=/etc/passwd&market=calm&seeds=1&goal=balanced"),
        ("/runs/new", "strategy=0000000000000000&market=calm&seeds=1&goal=balanced"),
        ("/runs/new", &format!("strategy={maker}&market=/etc/passwd&seeds=1&goal=balanced")),
        ("/runs/new", &format!("strategy={maker}&market=calm&seeds=--out%3D/x&goal=balanced")),
        ("/runs/new", &format!("strategy={maker}&market=calm&seeds=1&goal=balanced&baseline=/etc/passwd")),
        ("/gate/new", &format!("strategy={maker}&policy=/etc/passwd")),
        ("/gate/new", &format!("strategy={maker}&policy={maker}")),
        (
            "/refine/new",
            &format!(
                "strategy={maker}&market=calm&goal=balanced&generations=1&width=1&seed=1&writer=scripted:/etc/passwd"
            ),
        ),
        ("/refine/new", &format!("strategy={maker}&market=calm&goal=balanced&generations=1&width=1&seed=1&minutes=-1")),
        ("/refine/new", "market=calm&goal=balanced&generations=1&width=1&seed=1&act=start"),
        ("/runs/new", &format!("strategy={maker}&market={policy}&seeds=1&goal=balanced")),
        ("/runs/new", &format!("strategy={maker}&market={bugs}&seeds=1&goal=balanced")),
        ("/rollouts/new", &format!("tasks=../secret&{few}")),
        ("/rollouts/new", &format!("tasks={maker}&{few}")),
        ("/rollouts/new", &format!("tasks={desk}&{few}")),
        ("/rollouts/new", &format!("tasks={bugs}&{few}&model=scripted:/etc/passwd")),
        ("/rollouts/new", &format!("tasks={bugs}&{few}&model=openai:gpt-4.1")),
        ("/rollouts/new", &format!("tasks={bugs}&{few}&steps=0")),
        ("/rollouts/new", &format!("tasks={bugs}&samples=1001&at_once=1&seed=1&act=start")),
        ("/rollouts/new", &format!("tasks={bugs}&samples=1&at_once=65&seed=1&act=start")),
        ("/rollouts/new", &format!("tasks={bugs}&samples=1&at_once=1&seed=-1&act=start")),
        ("/worlds/new", &format!("world=/etc&{few}")),
        ("/worlds/new", &format!("world={bugs}&{few}")),
        ("/worlds/new", &format!("world={desk}&{few}&model=cmd:sh")),
        ("/worlds/new", &format!("world={desk}&{few}&faults=all")),
        ("/worlds/fork", &format!("world={desk}&{few}&step=1&episode=../../secret")),
        ("/worlds/fork", &format!("world={desk}&{few}&step=1&episode=/etc/passwd")),
    ] {
        let answer = ground.post(path, fields);
        assert_eq!(answer.status, 422, "{path} {fields}\n{}", answer.body);
        assert!(answer.body.contains("role=\"alert\""), "{path} {fields}\n{}", answer.body);
    }
    for path in [
        "/edit?open=../secret.rs",
        "/edit?open=0000000000000000",
        "/edit?run=latest",
        "/edit?report=..",
        "/edit?session=0000000000000000&candidate=0.0",
        "/edit?job=../x",
        "/edit?job=9-x",
        "/jobs/..%2fx",
        "/jobs/9-x",
    ] {
        let answer = ground.server.get(path);
        assert_eq!(answer.status, 404, "{path}\n{}", answer.body);
        assert!(!answer.body.contains("secret"), "{path}");
    }
    assert_eq!(ground.files(), before);
}

#[test]
fn a_strategy_is_checked_saved_and_run_without_script() {
    let ground = Ground::new();
    let fields = |source: &str| format!("name=mine.rs&market=calm&seeds=3&goal=profit&source={}", encoded(source));
    let bad = "fn main() {\r\n    unsafe { }\r\n}\r\n";
    let checked = ground.post("/edit/check", &fields(bad));
    for words in ["It would be refused.", "line 2, column 5", "data-line=\"2\"", "fn main() {\n    unsafe { }\n}"] {
        assert!(checked.body.contains(words), "{words}\n{}", checked.body);
    }
    let part = ground.post("/edit/check", &format!("{}&part=1", fields(bad)));
    assert!(part.body.starts_with("<p class=\"verdict bad\"") && !part.body.contains("<html"), "{}", part.body);
    // What would be refused does not start.
    let refused = ground.post("/edit/run", &fields(bad));
    assert!(refused.status == 422 && refused.body.contains("It would be refused."), "{}", refused.body);
    assert!(ground.server.get("/jobs").body.contains("Nothing has been started"));

    let (to, saved) = ground.go("/edit/save", &fields(&good("one")));
    assert!(saved.body.contains("Saved as mine.rs.") && saved.body.contains("// one"), "{}", saved.body);
    let base = saved.between("name=\"base\" value=\"", "\"").expect("a version").to_owned();
    let other = ground.post("/edit/save", &fields(&good("two")));
    assert!(other.status == 422 && other.body.contains("has been changed since"), "{}", other.body);
    assert!(other.body.contains("// two"), "what was typed is lost\n{}", other.body);
    ground.go("/edit/save", &format!("{}&base={base}", fields(&good("two"))));
    assert!(ground.server.get(to.split('?').next().unwrap_or_default()).body.contains("mine.rs"));

    let baseline = ground.offer("mine.rs");
    let (to, _) = ground.go("/edit/run", &format!("{}&baseline={baseline}", fields(&good("three"))));
    assert_eq!(to, "/edit?job=1-mine#job");
    let page = ground.wait("/edit?job=1-mine", "told:");
    let own = ground.folder.path().canonicalize().expect("a path").join("work");
    let expected = format!(
        "told: run {own}/1-mine/mine.rs --scenario=calm --seeds=3 --goal=profit --baseline={own}/strategies/mine.rs --out={own}/1-mine/report",
        own = own.display()
    );
    assert!(page.body.contains(&expected), "{expected}\n{}", page.body);
    assert!(page.body.contains("// three"), "{}", page.body);
    let page = ground.wait("/jobs/1-mine", ">done<");
    assert!(page.body.contains("Run again"), "{}", page.body);
    let (to, _) = ground.go("/jobs/1-mine/again", "");
    assert_eq!(to, "/jobs/2-mine");
    ground.wait("/jobs/2-mine", "2-mine/report");
    ground.wait("/jobs/2-mine", ">done<");
    assert_eq!(ground.post("/jobs/2-mine/stop", "").status, 409);
}

#[test]
fn forms_start_what_they_say_and_jobs_can_be_stopped() {
    let ground = Ground::new();
    let (maker, slow) = (ground.offer("sources/maker.rs"), ground.offer("sources/slow.rs"));
    let (to, _) =
        ground.go("/runs/new", &format!("strategy={slow}&market=calm&market=thin&seeds=5..8&goal=risk&checked=1"));
    let page = ground.wait(&to, "told:");
    for words in ["--scenario=calm,thin", "--seeds=5..8", "--data", ">running<"] {
        assert!(page.body.contains(words), "{words}\n{}", page.body);
    }
    assert!(ground.server.get("/").body.contains("1-slow"));
    ground.go(&format!("{to}/stop"), "");
    let page = ground.wait(&to, ">stopped<");
    assert!(page.body.contains("kept"), "{}", page.body);

    let (to, _) = ground.go("/gate/new", &format!("strategy={maker}&checked=1"));
    let page = ground.wait(&to, "told:");
    for words in ["told: gate ", "/2-maker/maker.rs --policy=", "/2-maker/gate.toml --feedback --out="] {
        assert!(page.body.contains(words), "{words}\n{}", page.body);
    }
    let refine = format!("strategy={maker}&market=calm&goal=balanced&generations=2&width=3&seed=9&minutes=5");
    let before = ground.files();
    let estimate = ground.post("/refine/new", &format!("{refine}&act=estimate"));
    for words in ["What it would take", "told: refine --dry-run", "--generations=2", "value=\"start\""] {
        assert!(estimate.body.contains(words), "{words}\n{}", estimate.body);
    }
    assert_eq!(ground.files(), before);
    let (to, _) = ground.go("/refine/new", &format!("{refine}&act=start"));
    let page = ground.wait(&to, "told:");
    assert!(page.body.contains("--width=3 --budget-minutes=5 --dir="), "{}", page.body);
    // The markets that only the end sees: none, or exactly those that are named.
    for (family, words) in [
        ("&family=none", "--scenario=calm --family=none --goal="),
        ("&unseen=thin&unseen=stable", "--scenario=calm --family=thin,stable --goal="),
    ] {
        let estimate = ground.post("/refine/new", &format!("{refine}{family}&act=estimate"));
        assert!(estimate.status == 200 && estimate.body.contains(words), "{words}\n{}", estimate.body);
    }
    for (family, words) in [
        ("&unseen=calm", "calm is among the markets, too"),
        ("&unseen=beauty", "there is no market"),
        ("&family=none&unseen=thin", "choose none, or name some"),
        ("&family=--dir", "choose one of the list"),
    ] {
        let refused = ground.post("/refine/new", &format!("{refine}{family}&act=start"));
        assert!(refused.status == 422 && refused.body.contains(words), "{words}\n{}", refused.body);
    }
    // A model has to have a limit.
    let model = format!("{refine}&writer=scripted:model.jsonl&words=more&act=start");
    assert!(ground.post("/refine/new", &model).body.contains("a model needs a limit"));
    let (to, _) = ground.go("/refine/new", &format!("{model}&tokens=1000"));
    let page = ground.wait(&to, "told:");
    assert!(page.body.contains("--model=scripted:model.jsonl -- more"), "{}", page.body);
}

/// The command that repeats the steps gives no state here: its words are shown beside what was recorded. A fork begins at the step that was looked at.
fn state_and_fork(ground: &Ground, episode: &str, fork: &str, desk: &str) {
    let state = ground.server.get(&format!("{episode}/state?step=1&world={desk}&part=documents%2Forders"));
    for words in [
        "told: worlds state",
        "@1 --part=documents/orders --from=0 --count=50 --format=json",
        "What has changed until here",
    ] {
        assert!(state.status == 200 && state.body.contains(words), "{words}\n{}", state.body);
    }
    let named = ground.server.get(&format!("{fork}&step=1&world={desk}")).body;
    assert!(
        named.contains("name=\"step\" value=\"1\"") && named.contains(&format!("value=\"{desk}\" selected")),
        "{named}"
    );
}

#[test]
fn episodes_are_estimated_started_stopped_and_resumed() {
    let ground = Ground::new();
    let own = ground.folder.path().canonicalize().expect("a path");
    for (page, list, name, what, fields, expected) in [
        (
            "/rollouts/new",
            "tasks",
            "sources/bugs",
            "1-bugs",
            "model=scripted:model.jsonl&only=on*&samples=3&at_once=2&seed=5&steps=9&tokens=100",
            "rollout run SOURCES/bugs --model=scripted:model.jsonl --instance-id=on* --samples=3 --concurrency=2 --seed=5 --steps=9 --budget-tokens=100",
        ),
        (
            "/worlds/new",
            "world",
            "sources/slow-desk",
            "2-slow-desk",
            "model=hasty&faults=rough&samples=2&at_once=4&seed=1",
            "worlds run SOURCES/slow-desk --agent=hasty --faults=rough --samples=2 --concurrency=4 --seed=1",
        ),
    ] {
        let fields = format!("{list}={}&{fields}", ground.offer_on(page, name));
        let before = ground.files();
        let estimate = ground.post(page, &fields);
        for words in ["What it would take", "run --dry-run ", "value=\"start\"", "Estimate again"] {
            assert!(estimate.status == 200 && estimate.body.contains(words), "{words}\n{}", estimate.body);
        }
        assert_eq!(ground.files(), before);
        let (to, _) = ground.go(page, &format!("{fields}&act=start"));
        assert_eq!(to, format!("/jobs/{what}"));
        let shown = ground.wait(&to, "told:");
        let expected = expected.replace("SOURCES", &own.join("sources").display().to_string());
        let run = own.join("work").join(what).join("run");
        let expected = format!("told: {expected} --out={}", run.display());
        assert!(shown.body.contains(&expected), "{expected}\n{}", shown.body);
        ground.wait(&to, if what == "1-bugs" { ">done<" } else { ">running<" });
    }
    // What has not come to its end goes on in the same folder, and tries again what has no score.
    assert_eq!(ground.post("/jobs/2-slow-desk/resume", "").status, 409);
    ground.go("/jobs/2-slow-desk/stop", "");
    let page = ground.wait("/jobs/2-slow-desk", ">stopped<");
    assert!(page.body.contains("/jobs/2-slow-desk/resume") && page.body.contains(">Run again<"), "{}", page.body);
    ground.go("/jobs/2-slow-desk/resume", "");
    let page = ground.wait("/jobs/2-slow-desk", ">done<");
    assert!(
        page.body.contains("told: worlds run --retry-unscored ") && !page.body.contains(">Resume<"),
        "{}",
        page.body
    );
    world_folder(&ground.folder.path().join("runs/desk-run"), "desk");
    let links = |page: &Answer, start: &str| -> Vec<String> {
        let links = page.body.split("href=\"").skip(1).filter_map(|part| part.split('"').next());
        links.filter(|link| link.starts_with(start) && !link.ends_with("/new")).map(str::to_owned).collect()
    };
    let run = links(&ground.wait("/worlds", "desk-run"), "/worlds/").remove(0);
    let episode = links(&ground.server.get(&run), "/t/").remove(0);
    let fork = links(&ground.server.get(&episode), "/worlds/fork").remove(0);
    let form = ground.server.get(&fork);
    assert!(form.body.contains(&format!("value=\"{}\"", &episode[3..])), "{}", form.body);
    let desk = ground.offer_on("/worlds/new", "sources/desk");
    state_and_fork(&ground, &episode, &fork, &desk);
    let fields = format!("world={desk}&episode={}&step=1&model=hasty&samples=2&at_once=2", &episode[3..]);
    assert!(ground.post("/worlds/fork", &fields).body.contains("told: worlds fork --dry-run "));
    let (to, _) = ground.go("/worlds/fork", &format!("{fields}&act=start"));
    let page = ground.wait(&to, "told:");
    assert!(page.body.contains("/runs/desk-run/episodes/refund.s1.jsonl@1 --agent=hasty --samples=2"), "{}", page.body);
    for path in ["/rollouts", "/worlds"] {
        assert!(ground.server.get(path).body.contains(&format!("href=\"{path}/new\"")), "{path}");
    }
}

#[test]
fn scenario_files_are_chosen_and_complained_of_as_on_the_command_line() {
    let ground = Ground::new();
    let maker = ground.offer("sources/maker.rs");
    let on = |name: &str| ground.offer_on("/edit", name);
    let (market, bad) = (on("sources/market.toml"), on("sources/unreadable.toml"));
    let comma = on("sources/a,b.toml");
    let page = ground.server.get("/runs/new").body;
    let preset = &assay_market::presets()[0];
    for words in [preset.name, preset.summary, "What these markets are"] {
        assert!(page.contains(words), "{words}\n{page}");
    }
    let fields = |market: &str| format!("strategy={maker}&market=calm&market={market}&seeds=1&goal=risk");
    let refused = ground.post("/runs/new", &fields(&bad));
    let words = "failed to read the scenario: line 1: what is `clam`?; did you mean `calm`?";
    assert!(refused.status == 422 && refused.body.contains(words), "{}", refused.body);
    let refused = ground.post("/runs/new", &fields(&comma));
    assert!(refused.status == 422 && refused.body.contains("has a comma in its path"), "{}", refused.body);
    let (to, _) = ground.go("/runs/new", &fields(&market));
    let page = ground.wait(&to, "told:");
    assert!(
        page.body.contains("--scenario=calm,/") && page.body.contains("/sources/market.toml --seeds"),
        "{}",
        page.body
    );

    // In the editor, the one that ran is chosen again.
    let fields = format!("name=mine.rs&market={market}&seeds=3&goal=profit&source={}", encoded(&good("x")));
    let (to, _) = ground.go("/edit/run", &fields);
    let page = ground.wait(to.split('#').next().unwrap_or_default(), "told:");
    assert!(page.body.contains(&format!("<option value=\"{market}\" selected>")), "{}", page.body);
    let refused = ground.post("/edit/run", &fields.replace(&market, &bad));
    assert!(refused.status == 422 && refused.body.contains(words), "{}", refused.body);
    // A policy cannot stand for a market.
    let policy = ground.offer_on("/gate/new", "sources/gate.toml");
    assert_eq!(ground.post("/edit/run", &fields.replace(&market, &policy)).status, 422);
}

#[test]
fn sessions_are_hinted_forked_and_resumed() {
    let ground = Ground::new();
    let session = ground.folder.path().join("runs/session");
    let path = ground.session();
    let page = ground.server.get(&path);
    for words in [">Resume<", ">Fork<", ">Give the hint<", "fork after event, 1 to"] {
        assert!(page.body.contains(words), "{words}\n{}", page.body);
    }
    assert!(!page.body.contains("Pause"), "{}", page.body);
    let (_, page) = ground.go(&format!("{path}/hint"), "hint=quote+wider");
    assert!(page.body.contains("quote wider"), "{}", page.body);
    for (fields, expected) in [("hint=", 422), ("hint=++", 422), (&format!("hint={}", "x".repeat(2_001)), 422)] {
        assert_eq!(ground.post(&format!("{path}/hint"), fields).status, expected, "{fields}");
    }
    for at in ["0", "-1", "x", "99999"] {
        assert_eq!(ground.post(&format!("{path}/fork"), &format!("at={at}")).status, 422, "{at}");
    }
    let (to, _) = ground.go(&format!("{path}/fork"), "at=3");
    let page = ground.wait(&to, "told:");
    assert!(page.body.contains("told: refine resume --dir="), "{}", page.body);
    let fork =
        ground.folder.path().join("work").join(to.trim_start_matches("/jobs/")).join("refine/session-fork-1/log.jsonl");
    assert_eq!(fs::read_to_string(&fork).expect("a session").lines().count(), 4);
    assert!(!session.parent().expect("a folder").join("session-fork-1").exists());

    // A process elsewhere runs it: it is asked to stop, and the hint waits for that.
    let journal = run_session(&session);
    let page = ground.server.get(&path);
    assert!(page.body.contains("Pause after the current step") && !page.body.contains(">Resume<"), "{}", page.body);
    assert_eq!(ground.post(&format!("{path}/resume"), "").status, 409);
    ground.go(&format!("{path}/hint"), "hint=narrower");
    assert!(session.join("stop").exists());
    assert_eq!(ground.post(&format!("{path}/hint"), "hint=narrower").status, 409);
    drop(journal);
    ground.wait(&path, "narrower");
}

#[test]
fn the_editor_checks_while_somebody_types_and_shows_its_job() {
    let Some(chromium) = find() else { return };
    let ground = Ground::new();
    let mut tab = Tab::open(&chromium);
    let host = format!("http://127.0.0.1:{}", ground.server.port());
    tab.visit(&format!("{host}/?token={}", ground.server.token()));
    tab.visit(&format!("{host}/edit?open={}", ground.offer("sources/slow.rs")));
    tab.value("document.getElementById('source').select()");
    tab.ask("Input.insertText", json!({"text": format!("{}fn f() {{\n    unsafe {{ }}\n}}\n", good("x"))}));
    tab.until("document.querySelectorAll('#gutter .error').length === 1");
    assert_eq!(tab.value("document.querySelector('#gutter .error').textContent"), "6");
    // The finding leads to its place.
    tab.value("document.querySelector('#findings .error a').click()");
    let place = tab.value("source.value.slice(source.selectionStart, source.selectionStart + 6)");
    assert_eq!((place, tab.value("document.activeElement.id")), (json!("unsafe"), json!("source")));
    tab.value("source.select()");
    tab.ask("Input.insertText", json!({"text": good("slow")}));
    tab.until("document.querySelectorAll('#gutter .error').length === 0 && findings.innerText.includes('It passes.')");
    assert_eq!(tab.value("document.getElementById('gutter').children.length"), 5);
    // Colours lie beneath the field, letter by letter, and are no part of what a screen reader reads.
    assert_eq!(tab.value("document.querySelector('#paint code').textContent === source.value"), true);
    let pieces = "[...document.querySelectorAll('#paint span')].map((piece) => piece.className + ' ' + piece.textContent).join()";
    assert_eq!(tab.value(pieces), "keyword struct,keyword impl,keyword for,comment // slow");
    assert_eq!(tab.value("document.getElementById('paint').getAttribute('aria-hidden')"), "true");
    tab.value("{ const name = document.querySelector('[name=name]'); name.value = 'x.py'; source.value = '# <img src=x onerror=alert(1)>\\nx = \"\\\\\"def\" # def'; \
        for (const field of [name, source]) field.dispatchEvent(new Event('input')); }");
    assert_eq!(tab.value(pieces), "comment # <img src=x onerror=alert(1)>,string \"\\\"def\",comment # def");
    assert_eq!(tab.value("document.querySelectorAll('#paint :not(span):not(code)').length"), 0);
    tab.value("{ document.querySelector('[name=name]').value = 'slow.rs'; source.select() }");
    tab.ask("Input.insertText", json!({"text": good("slow")}));
    tab.until(
        "document.getElementById('edit').dataset.state === 'checked' && findings.innerText.includes('It passes.')",
    );
    let button =
        |words: &str| format!("[...document.querySelectorAll('button')].find((one) => one.innerText === '{words}')");
    tab.follow(&format!("{}.click()", button("Run")));
    tab.until("document.querySelector('#job .tag').innerText === 'running' && document.getElementById('job').innerText.includes('told: run')");
    assert_eq!(tab.value("source.value"), good("slow"));
    // What is being typed stays, whatever becomes of the job.
    tab.value("source.value += '// more'; source.focus()");
    ground.post("/jobs/1-slow/stop", "");
    tab.until("document.querySelector('#job .tag').innerText === 'stopped'");
    assert_eq!(tab.value("source.value.endsWith('// more')"), true);
}
