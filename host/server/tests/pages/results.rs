//! What was recorded, as pages: two runs compared, boards, runs in worlds, arenas, this machine.

use crate::fixture::{Memory, Server, batch_folder, check_is_inert, evil, sources};
use crate::stored;
use assay_model::{Seed, Time};
use assay_trace::{CallId, Message, MessageId, Metadata, Part, ToolCall, TrajectoryId, Writer};
use std::fs;
use std::path::Path;

/// A server with everything that [`stored`] makes.
fn ground() -> (tempfile::TempDir, Server, stored::Stored) {
    let folder = tempfile::tempdir().expect("a folder");
    let (stored, change) = stored::everything(folder.path());
    let server = Server::start_with(&[&folder.path().join("results")], change);
    (folder, server, stored)
}

#[test]
fn hostile_text_stays_text_on_every_page_of_results() {
    let (_folder, server, _) = ground();
    let pages = server.crawl();
    for part in ["/compare?a=", "&b=", "/board/spring", "?season=1", "/arena/", "/worlds/", "/doctor", "/record/2"] {
        assert!(pages.keys().any(|path| path.contains(part)), "no page with {part}: {:?}", pages.keys());
    }
    for (path, page) in &pages {
        // Two of the runs have no report that can be shown, and some pairs cannot be compared: those pages say so.
        assert!(page.status == 200 || path.starts_with("/compare") && page.status == 422, "{path}\n{}", page.body);
        check_is_inert(path, page);
    }
}

#[test]
fn two_runs_are_compared_as_on_the_command_line() {
    let (_folder, server, stored) = ground();
    let (a, b) = (stored.a, stored.b);
    let page = server.get(&format!("/compare?a={a}&b={b}"));
    assert_eq!(page.status, 200, "{}", page.body);
    for words in [
        "A is better",
        "paired, 12 seeds",
        // 12 differences of 90.5 to 96.
        "93.25 [",
        "role=\"img\"",
        "in 12 of 12 seeds",
        "<span class=\"added\">+new",
        "<span class=\"removed\">−old",
        "2 differences were tested",
        "The events differ in 11 of 12 seeds",
        "the events of seed 2 are recorded",
        " --seeds 2..=2 --data --out recorded",
    ] {
        assert!(page.body.contains(words), "{words}\n{}", page.body);
    }
    let turned = server.get(&format!("/compare?a={b}&b={a}&measure=pnl"));
    assert!(turned.body.contains("B is better") && turned.body.contains("in 0 of 12 seeds"), "{}", turned.body);
    for (query, status, words) in [
        (format!("?a={a}&b={}", stored.rollout), 422, "only runs of one kind"),
        (format!("?a={a}&b={}", stored.old), 422, "do not mean the same"),
        (format!("?a={a}"), 200, "Choose the run to compare"),
        (String::new(), 200, "Choose the first of two runs"),
        ("?a=latest".to_owned(), 404, "Not found"),
        ("?a=..%2f..%2fetc".to_owned(), 404, "Not found"),
        (format!("?a={a}&b=019a1b2c-3d4e-7000-8000-000000000000"), 404, "Not found"),
        (format!("?a={a}&b={b}&measure=%3Cscript%3E"), 200, "A is better"),
        (format!("?a={a}&b={b}&seed=1"), 200, "In seed 1 both left the same events"),
        (format!("?a={a}&b={b}&seed=5"), 200, "--seeds 5..=5 --data"),
        (format!("?a={a}&b={b}&seed=99"), 200, "--seeds 2..=2 --data"),
        (format!("?a={a}&b={b}&seed=x"), 200, "--seeds 2..=2 --data"),
        (format!("?a={a}&page=4294967296"), 200, "Choose the run"),
    ] {
        let page = server.get(&format!("/compare{query}"));
        assert_eq!(page.status, status, "{query}\n{}", page.body);
        assert!(page.body.contains(words), "{query}: {words}\n{}", page.body);
    }
    // Whoever chooses the second run is offered runs of the same kind, and not the first.
    let choice = server.get(&format!("/compare?a={a}")).body;
    assert!(choice.contains(&format!("?a={a}&amp;b={b}")), "{choice}");
    assert!(!choice.contains(&format!("b={a}")) && !choice.contains(&stored.rollout.to_string()), "{choice}");
}

#[test]
fn what_has_no_figures_is_not_offered_for_comparison() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, artifacts) = stored::refined(folder.path(), "assay refine");
    let server =
        Server::start_with(&[], |settings| (settings.sources.store, settings.sources.artifacts) = (store, artifacts));
    let run = server.link("/runs", "/runs/");
    let id = run.trim_start_matches("/runs/");
    for (path, status, words) in
        [("/compare".to_owned(), 200, "There is no other run"), (format!("/compare?a={id}"), 422, "It has no figures")]
    {
        let page = server.get(&path);
        assert_eq!(page.status, status, "{path}\n{}", page.body);
        assert!(page.body.contains(words), "{path}: {words}\n{}", page.body);
    }
    assert!(!server.get(&run).body.contains("Compare with another run"), "{run}");
}

#[test]
fn boards_show_ranks_seasons_and_tries() {
    let (folder, server, _) = ground();
    let last = server.get("/board/spring");
    assert_eq!(last.status, 200, "{}", last.body);
    for words in
        ["season 2 (open)", "12 public and 12 sealed seeds", "Standings", "3 tries by 2 authors", "about ", "#2"]
    {
        assert!(last.body.contains(words), "{words}\n{}", last.body);
    }
    let first = server.get("/board/spring?season=1");
    assert!(first.body.contains("season 1 (closed)") && first.body.contains("No entry yet"), "{}", first.body);
    for path in [
        "/board/spring?season=3",
        "/board/spring?season=0",
        "/board/autumn",
        "/board/..",
        "/board/%2e%2e%2fresults",
        "/board/Spring",
    ] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
    // Not the sealed results of anybody: they are not published.
    assert!(!last.body.contains("s12"), "{}", last.body);
    let standings = folder.path().join("boards/spring/season-2/standings.json");
    fs::write(&standings, "{}").expect("written");
    let damaged = server.get("/board/spring");
    assert!(damaged.status == 422 && damaged.body.contains("is damaged"), "{}", damaged.body);
    fs::remove_file(&standings).expect("removed");
    std::os::unix::fs::symlink("/dev/zero", &standings).expect("a link");
    assert_eq!(server.get("/board/spring").status, 422);
    assert_eq!(server.get("/board").status, 200);
}

#[test]
fn runs_in_worlds_show_rewards_and_what_steps_changed() {
    let (_folder, server, _) = ground();
    let path = server.link("/worlds", "/worlds/");
    let page = server.get(&path);
    for words in [
        "so far",
        "3 of 4 episodes",
        "pass@1",
        "pass^2",
        "mean reward",
        "solved 1",
        "failure 0.2500",
        "2 × success",
        "1 × failure",
    ] {
        assert!(page.body.contains(words), "{words}\n{}", page.body);
    }
    let trajectory = server.link(&path, "/t/");
    assert!(server.get(&trajectory).body.contains(&format!("href=\"{path}\"")), "no way back");
    let record = server.get(&format!("{trajectory}/record/2")).body;
    for words in ["<td>added</td>", "<td>changed</td>", "<td>removed</td>", "documents/orders/1/status"] {
        assert!(record.contains(words), "{words}\n{record}");
    }
    assert!(!server.get("/rollouts").body.contains(&path), "it is not a rollout");
    // Without the world itself, the state is told as far as the records go.
    for (query, words) in [
        ("", &["What has changed until here", "documents/orders/1/status", "<td>removed</td>", "--sources DIR"][..]),
        ("?step=0", &["after step 0", "No step has changed anything yet"]),
        ("?step=99999999999999999999", &["after step 1"]),
        (
            "?step=7&part=../../etc",
            &["after step 1", "<code>step=7</code> is beyond the end: the trajectory has 1 step, and this is step 1."],
        ),
    ] {
        let state = server.get(&format!("{trajectory}/state{query}"));
        assert_eq!(state.status, 200, "{query}\n{}", state.body);
        for words in words {
            assert!(state.body.contains(words), "{query}: {words}\n{}", state.body);
        }
        check_is_inert(&trajectory, &state);
    }
    let outline = server.get(&format!("{trajectory}/outline?only=step"));
    let link = format!("href=\"{trajectory}/state?step=1\"");
    assert!(outline.body.contains(&link) && outline.body.contains("hello"), "{}", outline.body);
    assert_eq!(server.get(&format!("{trajectory}/files")).status, 404, "it is not a rollout");
}

#[test]
fn what_models_have_cost_is_on_the_first_page() {
    let (_folder, server, _) = ground();
    let page = server.get("/");
    // Three episodes of ten tokens each, one of which has a trajectory of today; of none is the price known.
    let row = page.between("<th scope=\"row\">runs in worlds</th>", "</tr>").expect("a row");
    for part in [">10 *<", ">30 *<", ">unknown<"] {
        assert!(row.contains(part), "{part}: {row}");
    }
    assert!(page.body.contains("what some requests cost is not known") && !row.contains('$'), "{}", page.body);
    let world = server.get(&server.link("/worlds", "/worlds/")).body;
    assert!(world.contains("30 tokens, cost unknown; the cost of 3 episodes is not known"), "{world}");
}

#[test]
fn an_agent_that_asks_no_model_has_cost_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    // The price of its episodes is not in the lines of earlier releases.
    stored::world_folder(&folder.path().join("desk"), "null");
    let server = Server::start(&[folder.path()]);
    let path = server.link("/worlds", "/worlds/");
    for page in ["/", path.as_str()] {
        let said = server.get(page).body;
        assert!(!said.contains("not known"), "{page}\n{said}");
    }
    let told = server.get("/api/spending").body;
    assert!(told.contains("\"is_partly_unknown\":false") && !told.contains("\"is_partly_unknown\":true"), "{told}");
    let told = server.get(&format!("/api{path}")).body;
    assert!(told.contains("\"cost_unknown\":0") && told.contains("\"tokens_unknown\":0"), "{told}");
}

#[test]
fn arenas_and_the_machine_have_pages() {
    let (folder, server, _) = ground();
    let path = server.link("/runs", "/arena/");
    let page = server.get(&path);
    for words in ["1000 [900, 1100]", "12.34 [0.01, 20.00]", "feeds", "Seat 2 ($)"] {
        assert!(page.body.contains(words), "{words}\n{}", page.body);
    }
    fs::write(folder.path().join("results/arena/arena.json"), "{\"schema\":{\"name\":\"assay.arena\"}}")
        .expect("written");
    assert_eq!(server.get(&path).status, 422);
    let machine = server.get("/doctor").body;
    for words in ["1 thing is missing", "limited", "assay doctor"] {
        assert!(machine.contains(words), "{words}\n{machine}");
    }
    let other = Server::start(&[]);
    assert!(other.get("/doctor").body.contains("does not look at its machine"));
}

#[test]
fn an_export_has_boards_and_worlds_and_links_to_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, change) = stored::everything(folder.path());
    let mut settings =
        assay_server::Settings::local(sources(&[&folder.path().join("results")], &folder.path().join("cache")));
    change(&mut settings);
    let site = folder.path().join("site");
    assay_server::export(settings.sources, &site).expect("it is written");
    let names: Vec<String> = fs::read_dir(&site)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
        .collect();
    for start in ["board.html", "board-spring.html", "board-spring.1.html", "board-spring.2.html", "worlds-", "arena-"]
    {
        assert!(names.iter().any(|name| name.starts_with(start)), "{start}: {names:?}");
    }
    for name in names.iter().filter(|name| name.ends_with(".html")) {
        let page = fs::read_to_string(site.join(name)).expect("a page");
        assert!(!page.contains(&evil()), "{name}");
        for link in page.split("href=\"").skip(1).filter_map(|part| part.split(['"', '#']).next()) {
            let is_there = link.is_empty() || link == "data:," || names.iter().any(|name| name == link);
            assert!(is_there, "{name}: {link}");
        }
    }
}

/// Writes a whole trajectory in which these tools are called, one a step.
fn sealed(path: &Path, calls: &[(&str, String)]) {
    sealed_as(path, "x", calls);
}

fn sealed_as(path: &Path, id: &str, calls: &[(&str, String)]) {
    let id = TrajectoryId::new(id).expect("an id");
    let metadata = Metadata::new(id, "market", "model", Seed(1), Time(1));
    let mut writer = Writer::create(Memory::default(), &metadata).expect("begun");
    for (index, (tool, arguments)) in calls.iter().enumerate() {
        let call = ToolCall::new(CallId::new(format!("c{index}")).expect("an id"), *tool, arguments.clone());
        let said = Message::assistant(MessageId::by_position(index), vec![Part::text("so")], vec![call]);
        writer.append(&[said.expect("a message").into()]).expect("written");
    }
    fs::write(path, writer.into_sink().0).expect("written");
}

#[test]
fn two_trajectories_are_shown_side_by_side() {
    let folder = tempfile::tempdir().expect("a folder");
    let call = |tool, text: &str| (tool, serde_json::json!({ "text": text }).to_string());
    let calls = [call("look", "a"), call("look", "b"), call("send", "c")];
    sealed(&folder.path().join("t.s1.jsonl"), &calls);
    sealed(&folder.path().join("t.s2.jsonl"), &[&calls[..2], &[call("send", &evil())]].concat());
    sealed(&folder.path().join("other.s1.jsonl"), &calls);
    fs::write(folder.path().join("damaged.s1.jsonl"), "{\"_type\":\"metadata\"}\n").expect("written");
    let server = Server::start(&[folder.path()]);
    let list = server.link("/rollouts", "/rollouts/");
    let id = |name: &str| {
        let page = server.get(&list).body;
        let links = page.split("href=\"/t/").skip(1).filter_map(|part| part.split('"').next());
        links.map(str::to_owned).find(|id| id.ends_with(name)).unwrap_or_else(|| panic!("{name}: {page}"))
    };
    let (one, two, other, damaged) = (id(".t.s1"), id(".t.s2"), id(".other.s1"), id(".damaged.s1"));
    let choice = server.get(&format!("/t/{one}/compare"));
    let place = |id: &str| choice.body.find(&format!("value=\"{id}\"")).expect("it is offered");
    assert!(place(&two) < place(&other) && !choice.body.contains(&format!("value=\"{one}\"")), "{}", choice.body);
    let page = server.get(&format!("/t/{one}/compare?with={two}"));
    for words in ["2 actions are the same, then they", "only here", "only there", "id=\"first\""] {
        assert!(page.body.contains(words), "{words}\n{}", page.body);
    }
    check_is_inert("side by side", &page);
    assert!(server.get(&format!("/t/{one}/compare?with={other}")).body.contains("They are the same."));
    for (with, status) in [(damaged.as_str(), 422), ("..%2f..%2fetc", 404), ("0000000000000000.t.s1", 404)] {
        assert_eq!(server.get(&format!("/t/{one}/compare?with={with}")).status, status, "{with}");
    }
}

#[test]
fn a_search_says_that_a_line_was_too_long_for_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.s1.jsonl");
    fs::write(&path, "{\"_type\":\"metadata\"}\n").expect("written");
    let server = Server::start(&[folder.path()]);
    let trajectory = server.link(&server.link("/rollouts", "/rollouts/"), "/t/");
    let id = trajectory.trim_start_matches("/t/");
    for (bytes, is_cut, too_long) in [(None, false, "null"), (Some(65_u64 << 20), true, "1")] {
        if let Some(bytes) = bytes {
            // Without data, it takes no room.
            fs::File::options().write(true).open(&path).and_then(|file| file.set_len(bytes)).expect("longer");
        }
        let told = server.get(&format!("/api/trajectories/{id}/search?q=hello")).body;
        for words in [format!("\"is_cut\":{is_cut}"), format!("\"too_long\":{too_long}")] {
            assert!(told.contains(&words), "{words}\n{told}");
        }
        let page = server.get(&format!("{trajectory}?q=hello")).body;
        assert!(page.contains("Nothing found") && page.contains("is longer than 64 MiB: it") == is_cut, "{page}");
    }
}

/// What somebody does to the lines of a trajectory, and the first record that is not as it was written.
type Tampering = (&'static str, fn(&mut Vec<String>), Option<u64>);

const TAMPERING: [Tampering; 7] = [
    ("whole", |_| {}, None),
    ("changed", |lines| lines[8] = lines[8].replace("look7", "book7"), Some(8)),
    ("removed", |lines| drop(lines.remove(5)), Some(5)),
    ("moved", |lines| lines.swap(3, 4), Some(3)),
    ("unsealed", |lines| lines[2] = "{}".to_owned(), Some(2)),
    ("first", |lines| lines[0] = lines[0].replace("market", "margin"), Some(0)),
    (
        "grown",
        |lines| {
            lines[8] = lines[8].replace("look7", "book7");
            lines.push("{}".to_owned());
        },
        Some(8),
    ),
];

#[test]
fn a_trajectory_that_was_changed_says_where() {
    let folder = tempfile::tempdir().expect("a folder");
    let names: Vec<String> = (0..20).map(|number| format!("look{number}")).collect();
    let calls: Vec<(&str, String)> = names.iter().map(|name| (name.as_str(), "{}".to_owned())).collect();
    let file = |name: &str| folder.path().join(format!("{name}.s1.jsonl"));
    for (name, ..) in TAMPERING {
        sealed(&file(name), &calls);
    }
    let server = Server::start(&[folder.path()]);
    let list = server.link("/rollouts", "/rollouts/");
    let id = list.trim_start_matches("/rollouts/");
    let notice = "The file is not as it was written";
    for (name, change, expected) in TAMPERING {
        let page = format!("/t/{id}.{name}.s1");
        // It has an index before it is changed in place.
        assert!(!server.get(&page).body.contains(notice), "{name}");
        let text = fs::read_to_string(file(name)).expect("text");
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        change(&mut lines);
        fs::write(file(name), lines.join("\n") + "\n").expect("written");
        let said = server.get(&page).body;
        assert_eq!(said.contains(notice), expected.is_some(), "{name}\n{said}");
        let told = server.get(&format!("/api/trajectories/{id}.{name}.s1/records")).body;
        match expected {
            Some(number) => {
                let what = if number == 0 { "was changed" } else { "does not follow" };
                assert!(said.contains(&format!(">record {number}</a> {what}")), "{name}\n{said}");
                assert!(told.contains(&format!("\"broken\":{number},")), "{name}\n{told}");
                let is_told = |number: u64| server.get(&format!("{page}/record/{number}")).body.contains(notice);
                assert!(is_told(number) && (number == 0 || !is_told(number - 1)), "{name}");
            }
            None => assert!(told.contains("\"broken\":null"), "{told}"),
        }
        for path in ["outline", "files", "?q=look1"] {
            let path = if path.starts_with('?') { format!("{page}{path}") } else { format!("{page}/{path}") };
            let said = server.get(&path);
            assert_eq!((said.status, said.body.contains(notice)), (200, expected.is_some()), "{path}\n{}", said.body);
        }
        let number = expected.map_or_else(|| "null".to_owned(), |number| number.to_string());
        for path in ["outline", "scores", "files", "search?q=look1"] {
            let told = server.get(&format!("/api/trajectories/{id}.{name}.s1/{path}")).body;
            assert!(told.contains(&format!("\"broken\":{number}")), "{name} {path}\n{told}");
        }
        // What has lines that are no records is not compared at all.
        if ["whole", "changed"].contains(&name) {
            let with = format!("compare?with={id}.{name}.s1");
            let said = server.get(&format!("{page}/{with}")).body;
            assert_eq!(said.matches(notice).count(), if expected.is_some() { 2 } else { 0 }, "{name}\n{said}");
            let told = server.get(&format!("/api/trajectories/{id}.{name}.s1/{with}")).body;
            assert!(told.contains(&format!("\"right_broken\":{number}")), "{name}\n{told}");
        }
    }
}

#[test]
fn a_trajectory_that_has_lost_its_end_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run");
    fs::create_dir_all(run.join("episodes")).expect("made");
    let file = run.join("episodes/t.s1.jsonl");
    let call = |tool: &'static str| (tool, "{}".to_owned());
    sealed_as(&file, "t.s1", &[call("look"), call("send")]);
    // Under way: it has no result.
    sealed_as(&run.join("episodes/t.s2.jsonl"), "t.s2", &[call("look")]);
    let whole = fs::read_to_string(&file).expect("text");
    let hash = whole.rsplit_once("\"_hash\":\"").and_then(|(_, rest)| rest.split('"').next()).expect("a hash");
    let record = serde_json::json!({
        "id": "t.s1", "task": "t", "sample": 1, "attempt": 1, "seed": 1, "result": "unscored", "reason": "", "steps": 2, "tokens": null,
        "cost_microdollars": null, "flags": [], "duration_ns": 5, "hash": hash,
    });
    fs::write(run.join("results.jsonl"), format!("{record}\n")).expect("written");
    let tasks = std::collections::BTreeMap::from([("t".to_owned(), "0".to_owned())]);
    let record = assay_rollout::run::RunRecord::new(std::collections::BTreeMap::new(), tasks);
    fs::write(run.join("run.json"), serde_json::to_vec(&record).expect("JSON")).expect("written");
    let server = Server::start(&[folder.path()]);
    let path = server.link("/rollouts", "/rollouts/");
    let id = path.trim_start_matches("/rollouts/");
    let lines: Vec<&str> = whole.lines().collect();
    for left in [lines.len(), lines.len() - 1, 0] {
        let text: String = lines[..left].iter().map(|line| format!("{line}\n")).collect();
        fs::write(&file, text).expect("written");
        let is_short = left < lines.len();
        let page = server.get(&format!("/t/{id}.t.s1")).body;
        assert_eq!(page.contains("it ends before the record that its result"), is_short, "{left}\n{page}");
        let told = server.get(&format!("/api/trajectories/{id}.t.s1")).body;
        let broken = if is_short { left.to_string() } else { "null".to_owned() };
        assert!(told.contains(&format!("\"broken\":{broken}")), "{left}\n{told}");
        let run = server.get(&path).body;
        assert_eq!(run.contains("has no record with the hash of the line any more"), is_short, "{left}\n{run}");
        let told = server.get(&format!("/api{path}")).body;
        assert_eq!(told.contains("\"shortened\":[]"), !is_short, "{left}\n{told}");
    }
    let under_way = server.get(&format!("/t/{id}.t.s2")).body;
    assert!(!under_way.contains("not as it was written"), "{under_way}");
}

#[test]
fn a_damaged_run_of_episodes_is_listed_as_such() {
    let folder = tempfile::tempdir().expect("a folder");
    let damaged = folder.path().join("desk");
    stored::world_folder(&damaged, "desk");
    for (text, why) in [
        ("{\"settings\":{\"world\":\"desk\"", "run.json: EOF while parsing an object"),
        ("", "run.json: EOF while parsing a value"),
        ("\u{0}\u{0}\u{0}\u{0}", "run.json: expected value"),
        ("{\"settings\":7}", "run.json: invalid type: integer `7`"),
    ] {
        fs::write(damaged.join("run.json"), text).expect("written");
        let server = Server::start(&[folder.path()]);
        for path in ["/", "/rollouts", "/worlds"] {
            let page = server.get(path).body;
            assert!(
                page.contains("damaged: rollout, or run in a world") && page.contains(why),
                "{path}: {why}\n{page}"
            );
        }
        // What can be read of it is there.
        let path = server.link("/worlds", "/rollouts/");
        let page = server.get(&path);
        assert!(page.status == 200 && page.body.contains(why), "{}", page.body);
        let trajectory = server.link(&path, "/t/");
        assert_eq!(server.get(&trajectory).status, 200);
        let id = path.trim_start_matches("/rollouts/");
        let told = server.get("/api/folders?what=damaged").body;
        assert!(told.contains(why.split('`').next().unwrap_or(why)) && told.contains(id), "{told}");
        assert_eq!(server.get(&format!("/api/worlds/{id}")).status, 422);
    }
}

#[test]
fn files_of_a_later_release_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |path: &str, text: String| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    };
    stored::arena_folder(&folder.path().join("arena"), "games");
    batch_folder(&folder.path().join("batch"), "a batch");
    let text = |path: &str| fs::read_to_string(folder.path().join(path)).expect("text");
    let (games, verdict) = (text("arena/arena.json"), text("batch/one.json"));
    let later = |text: &str| text.replacen("\"version\":\"1.0\"", "\"version\":\"9.1\",\"new\":1", 1);
    write("arena/arena.json", later(&games));
    write("batch/one.json", later(&verdict));
    write("report/run.json", "{\"schema\":{\"name\":\"assay.run\",\"version\":\"9.1\"}}".to_owned());
    write("bench/run.json", "{\"schema\":{\"name\":\"assay.bench\",\"version\":\"1.0\"}}".to_owned());
    let server = Server::start(&[folder.path()]);
    let told = server.get("/api/folders").body;
    let folders: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    let id = |name: &str| {
        let all = folders["folders"].as_array().expect("folders");
        let found = all.iter().find(|one| one["name"].as_str().is_some_and(|named| named.ends_with(name)));
        found.unwrap_or_else(|| panic!("{name}: {told}"))["id"].as_str().expect("an id").to_owned()
    };
    let (arena, report, batch, bench) = (id("arena"), id("report"), id("batch"), id("bench"));
    let said = "a file of a later release: made with schema";
    for (path, words) in [
        (format!("/arena/{arena}"), said),
        (format!("/api/arenas/{arena}"), said),
        (format!("/runs/{report}"), said),
        (format!("/api/runs/{report}/report"), said),
        (format!("/api/runs/{report}/series"), said),
        (format!("/gate/{batch}.one"), said),
        (format!("/api/gate/{batch}.one"), said),
        (format!("/runs/{bench}"), "it has the schema assay.bench"),
        (format!("/api/runs/{bench}/report"), "it has the schema assay.bench"),
    ] {
        let answer = server.get(&path);
        assert_eq!(answer.status, 422, "{path}\n{}", answer.body);
        assert!(answer.body.contains(words), "{path}: {words}\n{}", answer.body);
    }
    assert_eq!(server.get(&format!("/gate/{batch}.two.rs~9047")).status, 200);
}

#[test]
fn an_export_names_no_folder_of_this_machine() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path().to_str().expect("a name");
    let command = format!("assay refine resume one --dir {here}/sessions");
    let results = folder.path().join("results");
    batch_folder(&results.join("verdicts"), &format!("{here}/submissions/maker.rs"));
    let mut sources = sources(&[&results], &folder.path().join("cache"));
    (sources.store, sources.artifacts) = stored::refined(folder.path(), &command);
    let site = folder.path().join("site");
    assay_server::export(sources, &site).expect("written");
    let mut texts = String::new();
    for entry in fs::read_dir(&site).expect("a folder") {
        texts.push_str(&fs::read_to_string(entry.expect("an entry").path()).expect("text"));
    }
    assert!(texts.contains("<code>assay refine resume one</code>"), "the command is not there");
    assert!(texts.contains("<h1>maker.rs</h1>"), "the submission is not there");
    assert!(!texts.contains(here) && !texts.contains("--dir /"), "a folder of this machine is there");
}

#[test]
fn a_store_that_is_not_there_or_damaged_is_told() {
    const EMPTY: &str = "Nothing has been run yet";
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("store.db");
    let server = || {
        let store = assay_server::Location::Sqlite(place.clone());
        Server::start_with(&[], |settings| settings.sources.store = store)
    };
    let missing = server();
    let said = format!("There is no store at {}", place.display());
    for path in ["/", "/runs", "/runs?kind=gate"] {
        let page = missing.get(path);
        assert!(page.status == 200 && page.body.contains(&said), "{path}\n{}", page.body);
        assert!(!page.body.contains("No run matches"), "{path}\n{}", page.body);
    }
    assert!(missing.get("/").body.contains(EMPTY));

    fs::write(&place, "this is no database ".repeat(1_000)).expect("written");
    let damaged = server();
    for path in ["/", "/runs", "/runs?kind=gate"] {
        let page = damaged.get(path);
        assert!(page.status == 200 && page.body.contains("is damaged, or is not a store"), "{path}\n{}", page.body);
        for words in [EMPTY, "There is no store", "No run matches"] {
            assert!(!page.body.contains(words), "{path}: {words}\n{}", page.body);
        }
    }

    let sources = sources(&[], &folder.path().join("cache"));
    assay_server::export(sources, &folder.path().join("site")).expect("written");
    for name in ["index.html", "runs.html"] {
        let page = fs::read_to_string(folder.path().join("site").join(name)).expect("a page");
        assert!(page.contains("There is no store yet.") && !page.contains("store.db"), "{name}\n{page}");
    }
}
