//! The API: what programs are told, and that they are told no more than browsers.

use crate::fixture::{Answer, Server, evil};
use crate::{start, stored};
use serde_json::{Value, json};

/// What a program is answered that asks.
pub(crate) fn ask(server: &Server, path: &str) -> Answer {
    said(server, "GET", path, "")
}

/// What a program is answered.
fn said(server: &Server, method: &str, path: &str, body: &str) -> Answer {
    let (host, token) =
        (format!("Host: localhost:{}", server.port()), format!("Authorization: Bearer {}", server.token()));
    let length = format!("Content-Length: {}", body.len());
    server.ask_with(&format!("{method} {path}"), &[&host, &token, &length], body)
}

/// The same, of what is there.
pub(crate) fn json_of(server: &Server, path: &str) -> Value {
    let answer = ask(server, path);
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, Some("application/json")),
        "{path}\n{}",
        answer.body
    );
    serde_json::from_str(&answer.body).unwrap_or_else(|error| panic!("{path}: {error}\n{}", answer.body))
}

#[test]
fn runs_and_measures_are_told_by_id_and_range() {
    let folder = tempfile::tempdir().expect("a folder");
    let (stored, change) = stored::everything(folder.path());
    let server = Server::start_with(&[&folder.path().join("results")], change);
    let all = json_of(&server, "/api/runs");
    assert_eq!((all["total"].clone(), all["runs"].as_array().map(Vec::len)), (json!(4), Some(4)), "{all}");
    // A name as the store has it: no program is fooled by it.
    assert_eq!(all["runs"][0]["subject"], evil().replace('\0', "\u{fffd}"));
    let rollouts = json_of(&server, "/api/runs?kind=rollout&size=1");
    assert_eq!(
        (rollouts["total"].clone(), rollouts["runs"][0]["id"].clone()),
        (json!(1), json!(stored.rollout.to_string()))
    );
    assert_eq!(json_of(&server, "/api/runs?page=2&size=3")["runs"].as_array().map(Vec::len), Some(1));
    let run = json_of(&server, &format!("/api/runs/{}", stored.a));
    assert_eq!((run["status"].clone(), run["measures"].clone()), (json!("completed"), json!(2)), "{run}");
    let measures = json_of(&server, &format!("/api/runs/{}/measures?measure=pnl&samples=true", stored.a));
    assert_eq!(measures["measures"].as_array().map(Vec::len), Some(1), "{measures}");
    assert_eq!(measures["measures"][0]["samples"][1], json!([2, 102.0]), "{measures}");
    assert!(json_of(&server, &format!("/api/runs/{}/measures", stored.a))["measures"][0]["samples"].is_null());
    // No folder has its record, so nothing lies beside it.
    assert_eq!(json_of(&server, &format!("/api/runs/{}/tables", stored.a)), json!({"tables": []}));
    assert!(server.get(&format!("/runs/{}", stored.a)).body.contains("assay run --data"));
    for (path, status, code) in [
        ("/api/runs?size=0".to_owned(), 422, "invalid_request"),
        ("/api/runs?size=1000".to_owned(), 422, "invalid_request"),
        ("/api/runs?page=x".to_owned(), 422, "invalid_request"),
        ("/api/runs/latest".to_owned(), 404, "not_found"),
        ("/api/runs/..%2f..%2fetc".to_owned(), 404, "not_found"),
        (format!("/api/runs/{}/tables/trades", stored.a), 404, "not_found"),
        (format!("/api/runs/{}/series", stored.rollout), 404, "not_found"),
        (format!("/api/compare?a={}&b={}", stored.a, stored.old), 422, "unprocessable"),
        (format!("/api/compare?a={}", stored.a), 400, "missing"),
        ("/api/runs/0000000000000000/tables/trades".to_owned(), 404, "not_found"),
        ("/api/runs/0000000000000000/tables/..%2frun.json".to_owned(), 404, "not_found"),
    ] {
        let answer = ask(&server, &path);
        assert_eq!(answer.status, status, "{path}\n{}", answer.body);
        let error: Value = serde_json::from_str(&answer.body).expect("JSON");
        assert_eq!((&error["error"]["status"], &error["error"]["code"]), (&json!(status), &json!(code)), "{path}");
    }
}

#[test]
fn a_run_whose_process_is_gone_is_lost_for_programs_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let (location, artifacts) = stored::lost(folder.path());
    let server = Server::start_with(&[], |settings| {
        (settings.sources.store, settings.sources.artifacts) = (location, artifacts);
    });
    let all = json_of(&server, "/api/runs?status=running");
    assert_eq!(all["runs"][0]["status"], "lost", "{all}");
    let id = all["runs"][0]["id"].as_str().expect("an id");
    assert_eq!(json_of(&server, &format!("/api/runs/{id}"))["status"], "lost");
    for (query, is_there) in
        [("", true), ("?status=lost", true), ("?status=failed", false), ("?status=lost&kind=gate", false)]
    {
        let (told, page) = (json_of(&server, &format!("/api/runs{query}")), server.get(&format!("/runs{query}")).body);
        let total = u64::from(is_there);
        assert_eq!((told["total"].as_u64(), told["total_is_exact"].as_bool()), (Some(total), Some(true)), "{query}");
        assert_eq!(page.contains(">lost</span>"), is_there, "{query}\n{page}");
        assert_eq!(page.contains("value=\"lost\" selected"), query.contains("lost"), "{query}\n{page}");
    }
    let document = json_of(&server, "/api/openapi.json");
    let words = document["components"]["schemas"]["Run"]["properties"]["status"]["enum"].as_array().expect("words");
    assert!(words.contains(&json!("lost")) && words.contains(&json!("running")), "{words:?}");
}

/// An address of the document with something in place of its parts in braces.
fn filled(path: &str) -> String {
    let ids =
        [("{table}", "trades"), ("{file}", "pnl.csv"), ("{number}", "0"), ("{candidate}", "0.0"), ("{name}", "x")];
    let path = if path.starts_with("/api/jobs/") { path.replace("{id}", "1-x") } else { path.to_owned() };
    let path = if path.starts_with("/api/traj") { path.replace("{id}", "0123456789abcdef.x") } else { path };
    ids.into_iter().fold(path.replace("{id}", "0123456789abcdef"), |path, (part, id)| path.replace(part, id))
}

#[test]
fn the_document_describes_what_there_is() {
    let server = Server::start(&[]);
    let document = json_of(&server, "/api/openapi.json");
    assert_eq!(document["openapi"], "3.1.0");
    let paths = document["paths"].as_object().expect("paths");
    assert!(paths.len() >= 50, "{:?}", paths.keys());
    let live = &paths["/live"]["get"];
    assert!(live["responses"]["200"]["content"]["text/event-stream"].is_object(), "{live}");
    assert!(live["responses"]["200"]["description"].as_str().is_some_and(|words| words.contains("`gap`")), "{live}");
    assert_eq!((live["parameters"][0]["name"].clone(), ask(&server, "/live").status), (json!("topic"), 400));
    for (path, operations) in paths.iter().filter(|(path, _)| path.starts_with("/api/")) {
        for (method, operation) in operations.as_object().expect("operations") {
            let answer = said(&server, &method.to_uppercase(), &filled(path), "");
            // What is there says that it knows no such run; what is not says that it is not there.
            assert_eq!(answer.header("content-type"), Some("application/json"), "{method} {path}");
            let is_there = answer.status != 405 && !answer.body.contains("nothing at this address");
            assert!(is_there, "{method} {path}\n{}", answer.body);
            let named: Vec<&str> = path.split('{').skip(1).filter_map(|part| part.split('}').next()).collect();
            let parameters = operation["parameters"].as_array().expect("parameters");
            for name in named {
                let is_it = |one: &&Value| one["name"] == name && one["in"] == "path" && one["required"] == true;
                assert!(parameters.iter().any(|one| is_it(&one)), "{path}: {name}");
            }
        }
    }
    let host = format!("Host: localhost:{}", server.port());
    for (headers, expected) in [
        (vec![host.as_str()], 401),
        (vec![host.as_str(), "Authorization: Bearer wrong"], 401),
        (vec!["Host: evil.example"], 421),
    ] {
        assert_eq!(server.ask("GET /api/runs", &headers).status, expected, "{headers:?}");
    }
    let origin = format!("Origin: http://localhost:{}", server.port());
    assert_eq!(server.post("/api/runs", "", &[&origin]).status, 403);
}

/// The names of what has to be there.
fn required(operation: &Value) -> (Vec<String>, Vec<String>) {
    let texts = |values: &Value| -> Vec<String> {
        values.as_array().into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect()
    };
    let parameters = operation["parameters"].as_array().expect("parameters").iter();
    let asked = parameters.filter(|one| one["in"] == "query" && one["required"] == true);
    let asked = asked.filter_map(|one| one["name"].as_str().map(str::to_owned)).collect();
    let form = &operation["requestBody"]["content"]["application/x-www-form-urlencoded"]["schema"]["required"];
    (asked, texts(form))
}

#[test]
fn what_has_to_be_there_is_missed_by_its_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let brought = start::work(folder.path());
    let server = Server::start_with(&[], |settings| settings.work = Some(brought));
    let document = json_of(&server, "/api/openapi.json");
    let mut checked = 0;
    let paths = document["paths"].as_object().expect("paths");
    for (path, operations) in paths.iter().filter(|(path, _)| path.starts_with("/api/")) {
        for (method, operation) in operations.as_object().expect("operations") {
            let (asked, posted) = required(operation);
            assert!(posted.is_empty() || operation["requestBody"]["required"] == true, "{path}");
            for (names, is_form) in [(&asked, false), (&posted, true)] {
                for missing in names {
                    let others: Vec<String> =
                        names.iter().filter(|name| *name != missing).map(|name| format!("{name}=1")).collect();
                    let others = others.join("&");
                    let (path, body) = if is_form {
                        (filled(path), others.as_str())
                    } else {
                        (format!("{}?{others}", filled(path)), "")
                    };
                    let answer = said(&server, &method.to_uppercase(), &path, body);
                    assert_eq!(answer.status, 400, "{method} {path} without {missing}\n{}", answer.body);
                    let error: Value = serde_json::from_str(&answer.body).expect("JSON");
                    let detail = error["error"]["detail"].as_str().expect("words");
                    assert!(detail.starts_with(&format!("{missing}: ")), "{path} without {missing}: {detail}");
                    assert_eq!(error["error"]["field"], *missing, "{path} without {missing}");
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 30, "{checked}");
    for (path, words) in [
        ("/api/folders?from=x", "from: it is not a number"),
        ("/api/folders?from=1&from=2", "from: it may be there only once"),
        ("/api/folders?what=nothing", "what: use one of report, "),
        ("/api/folders?count=1001", "count: at most 1000 rows"),
        ("/api/jobs?count=201", "count: at most 200 rows"),
        ("/api/runs?kind=nope", "kind: use one of run, gate, rollout, refine"),
        ("/api/runs?status=complete", "status: use one of pending, running, completed, failed, cancelled"),
        ("/api/runs?page=0", "page: pages are counted from 1"),
        ("/api/runs?zzz=1", "zzz: no such parameter; there are kind, status, scenario, strategy, page, size"),
        ("/api/doctor?zzz=1", "zzz: no such parameter; there are none"),
        ("/api/trajectories/0123456789abcdef.x/records?bodies=yes", "bodies: use true or false"),
    ] {
        let answer = ask(&server, path);
        assert_eq!(answer.status, 422, "{path}\n{}", answer.body);
        assert!(answer.body.contains(words), "{path}: {words}\n{}", answer.body);
        let error: Value = serde_json::from_str(&answer.body).expect("JSON");
        assert_eq!(error["error"]["field"].as_str(), words.split(':').next(), "{path}");
    }
    let fields = "world=0123456789abcdef&samples=1&at_once=1&seed=1";
    for (more, words) in [
        ("act=begin", "act: use one of start, estimate"),
        ("zzz=1", "zzz: no such field; there are world"),
        ("seed=2", "seed: it may be there only once"),
    ] {
        let answer = said(&server, "POST", "/api/jobs/world", &format!("{fields}&{more}"));
        assert_eq!(answer.status, 422, "{more}\n{}", answer.body);
        assert!(answer.body.contains(words), "{more}: {words}\n{}", answer.body);
    }
}

/// What the answer of a program that posts says.
pub(crate) fn posted(server: &Server, path: &str, body: &str) -> (u16, Value) {
    let answer = said(server, "POST", path, body);
    let value = serde_json::from_str(&answer.body).unwrap_or_else(|error| panic!("{path}: {error}\n{}", answer.body));
    (answer.status, value)
}

/// The id by which forms know something, from what `/api/choices` answers.
pub(crate) fn id_of(choices: &Value, list: &str, name: &str) -> String {
    let found = choices[list].as_array().expect("a list").iter().find(|one| one["name"] == name);
    found.unwrap_or_else(|| panic!("{name}: {choices}"))["id"].as_str().expect("an id").to_owned()
}

#[test]
fn a_program_starts_what_forms_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let brought = start::work(folder.path());
    let server = Server::start_with(&[], |settings| settings.work = Some(brought));
    let choices = json_of(&server, "/api/choices");
    let id = |list: &str, name: &str| id_of(&choices, list, name);
    assert!(choices["markets"][0]["summary"].as_str().is_some_and(|line| !line.is_empty()), "{choices}");
    assert_eq!(choices["models"], json!(["scripted", "scripted:model.jsonl"]));
    let (maker, bugs, desk) =
        (id("strategies", "sources/maker.rs"), id("tasks", "sources/bugs"), id("worlds", "sources/desk"));
    let market = id("scenarios", "sources/market.toml");

    let rollout = format!("tasks={bugs}&model=scripted&samples=2&at_once=4&seed=7");
    let (status, estimate) = posted(&server, "/api/jobs/rollout", &rollout);
    assert_eq!(status, 200, "{estimate}");
    let told = estimate["estimate"].as_str().expect("words");
    assert!(told.contains("told: rollout run --dry-run") && told.contains("--samples=2"), "{told}");
    assert_eq!(json_of(&server, "/api/jobs")["total"], 0);
    let (status, started) = posted(&server, "/api/jobs/rollout", &format!("{rollout}&act=start"));
    assert_eq!((status, started["job"]["id"].clone()), (201, json!("1-bugs")), "{started}");
    let (status, started) =
        posted(&server, "/api/jobs/run", &format!("strategy={maker}&market={market}&seeds=2&goal=risk"));
    assert_eq!((status, started["job"]["kind"].clone()), (201, json!("run")), "{started}");
    let since = std::time::Instant::now();
    while json_of(&server, "/api/jobs/2-maker")["is_over"] != true {
        assert!(since.elapsed() < std::time::Duration::from_secs(60), "the job does not end");
    }
    let job = json_of(&server, "/api/jobs/2-maker");
    assert!(job["output"].as_str().is_some_and(|told| told.contains("sources/market.toml --seeds=2")), "{job}");
    assert_eq!((job["state"].clone(), job["exit_code"].clone()), (json!("done"), json!(0)), "{job}");

    for (path, body, expected) in [
        ("/api/jobs/rollout", "tasks=../secret&model=scripted&samples=1&at_once=1&seed=1".to_owned(), 422),
        ("/api/jobs/world", format!("world={desk}&model=cmd:sh&samples=1&at_once=1&seed=1"), 422),
        ("/api/jobs/world", format!("world={bugs}&samples=1&at_once=1&seed=1"), 422),
        ("/api/jobs/run", format!("strategy={maker}&market=/etc/passwd&seeds=1&goal=risk"), 422),
        ("/api/jobs/nothing", String::new(), 405),
        ("/api/jobs/2-maker/stop", String::new(), 409),
        ("/api/jobs/2-maker/resume", String::new(), 409),
        ("/api/jobs/9-x/stop", String::new(), 404),
    ] {
        let (status, answer) = posted(&server, path, &body);
        assert_eq!((status, answer["error"]["status"].clone()), (expected, json!(expected)), "{path} {body}\n{answer}");
        assert!(expected != 409 || answer["error"]["code"] == "conflict", "{path}\n{answer}");
    }
    let (status, again) = posted(&server, "/api/jobs/2-maker/again", "");
    assert!(status == 201 && again["job"]["id"].as_str().is_some_and(|id| id.starts_with("3-")), "{again}");
    // A browser that was let in still needs its form, and another page gets nowhere.
    let own = format!("Origin: http://localhost:{}", server.port());
    for headers in [&[own.as_str()][..], &["Origin: http://evil.example"], &[]] {
        assert_eq!(
            server.post("/api/jobs/rollout", &format!("{rollout}&act=start"), headers).status,
            403,
            "{headers:?}"
        );
    }
}

#[test]
fn what_is_wrong_is_told_with_the_names_of_the_api() {
    let folder = tempfile::tempdir().expect("a folder");
    let brought = start::work(folder.path());
    let server = Server::start_with(&[], |settings| settings.work = Some(brought));
    let choices = json_of(&server, "/api/choices");
    let id = |list: &str, name: &str| id_of(&choices, list, name);
    let (maker, desk) = (id("strategies", "sources/maker.rs"), id("worlds", "sources/desk"));
    let run = "market=calm&seeds=1&goal=risk";
    let refine = format!("strategy={maker}&market=calm&goal=risk&generations=1&width=1&seed=1");
    // What would not start is an error, too.
    let rollout = format!("tasks={}&model=scripted&samples=1&at_once=1&seed=404", id("tasks", "sources/bugs"));
    let (status, answer) = posted(&server, "/api/jobs/rollout", &rollout);
    assert_eq!((status, answer["error"]["detail"].clone()), (422, json!("error: the tasks cannot be read")));
    assert_eq!((&answer["error"]["code"], answer["error"].get("field")), (&json!("unprocessable"), None));
    let of_list = "it is none of those that GET /api/choices lists";
    let few = "samples=1&at_once=1";
    let unreadable = id("scenarios", "sources/unreadable.toml");
    let of_file = "failed to read the scenario: line 1: what is `clam`?; did you mean `calm`?";
    let of_name = "a name has 1 to 64 letters, digits, `-` or `_`, and ends in .rs or .py";
    for (path, body, field, words) in [
        ("jobs/run", format!("strategy={desk}&{run}"), "strategy", of_list),
        ("jobs/run", format!("strategy={maker}&baseline=x&{run}"), "baseline", of_list),
        ("jobs/run", format!("strategy={maker}&market={unreadable}&seeds=1&goal=risk"), "market", of_file),
        ("jobs/world", format!("world={desk}&model=x&{few}&seed=1"), "model", of_list),
        ("jobs/world", format!("world={desk}&faults=x&{few}&seed=1"), "faults", of_list),
        ("jobs/world", format!("world={desk}&samples=1&at_once=x&seed=1"), "at_once", "it is not a number"),
        (
            "jobs/world",
            format!("world={desk}&samples=1&at_once=65&seed=1"),
            "at_once",
            "use 1 to 64, or the command line",
        ),
        ("jobs/fork", format!("world={desk}&episode=x&step=1&{few}"), "episode", "it is not the id of a trajectory"),
        ("jobs/refine", format!("{refine}&writer=x"), "writer", of_list),
        (
            "jobs/refine",
            format!("{refine}&words=more"),
            "words",
            "only a model reads them: name it as `writer`, or leave them out",
        ),
        ("jobs/refine", format!("{refine}&family=x"), "family", "use `none`, or leave it empty"),
        (
            "jobs/refine",
            format!("{refine}&family=none&unseen=thin"),
            "family",
            "`none` and `unseen` exclude each other",
        ),
        ("jobs/refine", format!("{refine}&unseen=beauty"), "unseen", "there is no market `beauty`"),
        ("edit/check", "name=x&source=x".to_owned(), "name", of_name),
        ("edit/save", "name=x&source=x".to_owned(), "name", of_name),
        ("edit/run", format!("name=x&source=x&{run}"), "name", of_name),
    ] {
        let (status, answer) = posted(&server, &format!("/api/{path}"), &body);
        let expected = json!({
            "status": 422, "code": "invalid_request", "title": "That cannot be done", "detail": format!("{field}: {words}"), "field": field,
        });
        assert_eq!((status, answer["error"].clone()), (422, expected), "{path} {body}");
    }
    // A form says it in its own words.
    let origin = format!("Origin: http://localhost:{}", server.port());
    let form = server.get("/edit").between("name=\"form\" value=\"", "\"").expect("a form").to_owned();
    for (path, fields, words) in [
        ("/runs/new", format!("strategy={maker}&baseline=x&{run}"), "compare with: choose one of the list"),
        ("/worlds/new", format!("world={desk}&model=x&{few}&seed=1"), "agent: choose one of the list"),
        (
            "/worlds/new",
            format!("world={desk}&samples=1&at_once=65&seed=1"),
            "at once: use 1 to 64, or the command line",
        ),
    ] {
        let page = server.post(path, &format!("form={form}&{fields}"), &[&origin]);
        assert!(page.status == 422 && page.body.contains(words), "{path}: {words}\n{}", page.body);
    }
}

#[test]
fn errors_are_json_whoever_finds_them() {
    let server = Server::start(&[]);
    let read_only = Server::start_with(&[], |settings| settings.read_only = true);
    let own = |server: &Server| {
        (format!("Host: localhost:{}", server.port()), format!("Authorization: Bearer {}", server.token()))
    };
    let ((host, token), (other_host, other_token)) = (own(&server), own(&read_only));
    let (none, large) = ("Content-Length: 0", "Content-Length: 1073741824");
    let document = json_of(&server, "/api/openapi.json");
    let codes = document["components"]["schemas"]["Trouble"]["properties"]["code"]["enum"].as_array().expect("codes");
    for (server, request, headers, expected, code) in [
        (&server, "GET /api", vec![host.as_str(), &token], 404, "not_found"),
        (&server, "GET /api/nope", vec![&host, &token], 404, "not_found"),
        (&server, "POST /api/nope", vec![&host, &token, none], 404, "not_found"),
        (&server, "GET /api/runs/%ff", vec![&host, &token], 404, "not_found"),
        (&server, "GET /api/runs", vec![&host], 401, "unauthorized"),
        (&server, "GET /api/nope", vec![&host, "Authorization: Bearer wrong"], 401, "unauthorized"),
        (&server, "GET /api/runs", vec!["Host: evil.example", &token], 421, "wrong_host"),
        (&server, "GET /api/runs", vec![&host, &token, "Origin: http://evil.example"], 403, "forbidden"),
        (&server, "PUT /api/runs", vec![&host, &token, none], 405, "method_not_allowed"),
        (&server, "POST /api/runs", vec![&host, &token, none], 405, "method_not_allowed"),
        (&server, "POST /api/jobs/run", vec![&host, &token, large], 413, "too_large"),
        (&server, "GET /live", vec![&host, &token], 400, "missing"),
        (&server, "GET /live?topic=nothing", vec![&host, &token], 404, "not_found"),
        (&server, "GET /live?topic=store", vec![&host], 401, "unauthorized"),
        (&server, "PUT /live?topic=store", vec![&host, &token, none], 405, "method_not_allowed"),
        (&server, "POST /live?topic=store", vec![&host, &token, none], 405, "method_not_allowed"),
        (&server, "GET /api/choices", vec![&host, &token], 403, "read_only"),
        (&read_only, "POST /api/jobs/run", vec![&other_host, &other_token, none], 403, "read_only"),
    ] {
        let answer = server.ask(request, &headers);
        assert_eq!(answer.status, expected, "{request} {headers:?}\n{}", answer.body);
        assert_eq!(answer.header("content-type"), Some("application/json"), "{request}");
        let error: Value = serde_json::from_str(&answer.body).expect("JSON");
        assert_eq!(error["error"]["status"], expected, "{request}\n{error}");
        assert_eq!(error["error"]["code"], code, "{request} {headers:?}");
        assert!(codes.contains(&json!(code)), "{code}: {codes:?}");
        for part in ["title", "detail"] {
            assert!(error["error"][part].as_str().is_some_and(|words| !words.is_empty()), "{request}\n{error}");
        }
    }
    let posted = |kind: &str| {
        let (kind, length) = (format!("Content-Type: {kind}"), "Content-Length: 14");
        server.ask_with("POST /api/jobs/run", &[&host, &token, &kind, length], "{\"strategy\":1}")
    };
    for kind in ["application/json", "text/plain;charset=UTF-8", "multipart/form-data; boundary=x"] {
        let answer = posted(kind);
        assert!(answer.status == 415 && answer.body.contains("unsupported_media_type"), "{kind}\n{}", answer.body);
        assert!(answer.body.contains("application/x-www-form-urlencoded"), "{kind}\n{}", answer.body);
    }
    assert_eq!(posted("application/X-WWW-form-urlencoded; charset=utf-8").status, 400);
    // Elsewhere, they are pages.
    for path in ["/apinope", "/nope", "/runs/%ff", "/t/%C3", "/board/%fe%ff"] {
        let answer = server.get(path);
        assert_eq!(answer.status, 404, "{path}\n{}", answer.body);
        assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"), "{path}");
        assert!(answer.body.contains("Nothing has this address"), "{path}\n{}", answer.body);
        assert!(!answer.body.contains("--runs"), "{path} is in no folder\n{}", answer.body);
    }
}
