//! What the API answers for everything that pages show and do: the values, and that each is what the document says.

use crate::api::{ask, id_of, json_of, posted};
use crate::fixture::{Server, batch_folder, rollout_folder, session_folder};
use crate::{start, stored};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A value is what its schema says, and has no field that the schema does not know.
fn fits(document: &Value, schema: &Value, value: &Value, at: &str) {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.trim_start_matches("#/components/schemas/");
        fits(document, &document["components"]["schemas"][name], value, at);
        return;
    }
    if let Some(either) = schema["anyOf"].as_array() {
        if !value.is_null() {
            fits(document, &either[0], value, at);
        }
        return;
    }
    let is_right = match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_u64() || value.is_i64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        _ => true,
    };
    let is_listed = schema["enum"].as_array().is_none_or(|words| words.contains(value));
    assert!(is_right && is_listed, "{at}: {value} instead of {schema}");
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        assert!(value.get(name).is_some(), "{at}: {name} is not there: {value}");
    }
    for (name, value) in value.as_object().into_iter().flatten() {
        match schema["properties"].get(name) {
            Some(schema) => fits(document, schema, value, &format!("{at}.{name}")),
            None => assert!(schema["additionalProperties"] != false, "{at}: nobody knows {name}: {value}"),
        }
    }
    for value in value.as_array().into_iter().flatten().take(20) {
        fits(document, &schema["items"], value, &format!("{at}[]"));
    }
}

/// What is answered, as its operation describes it. `path` is that of the document.
fn described(server: &Server, document: &Value, path: &str, asked: &str) -> Value {
    let value = json_of(server, asked);
    let schema = &document["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"];
    assert!(schema.is_object(), "{path} has no schema");
    fits(document, schema, &value, asked);
    value
}

/// Results of every kind, and what starts work.
fn everything(folder: &std::path::Path) -> (Server, stored::Stored) {
    let results = folder.join("results");
    let (stored, change) = stored::everything(folder);
    rollout_folder(&results.join("bugs"), 2);
    batch_folder(&results.join("verdicts"), "a batch");
    session_folder(&results.join("session"), "an idea");
    let brought = start::work(&folder.join("own"));
    let server = Server::start_with(&[&results], |settings| {
        change(settings);
        settings.work = Some(brought);
    });
    (server, stored)
}

/// The id of the only folder of a kind.
fn folder_of(server: &Server, what: &str) -> String {
    let folders = json_of(server, &format!("/api/folders?what={what}"));
    assert_eq!(folders["total"], 1, "{folders}");
    folders["folders"][0]["id"].as_str().expect("an id").to_owned()
}

/// Addresses as the document has them and as they are asked for, with ids in braces, and some of what is answered.
const ANSWERS: &[(&str, &str, &str)] = &[
    ("/api/runs", "/api/runs", r#"{"total": 4}"#),
    ("/api/runs/{id}", "/api/runs/{a}", r#"{"measures": 2}"#),
    ("/api/runs/{id}/measures", "/api/runs/{a}/measures", r#"{"run": "{a}"}"#),
    ("/api/compare", "/api/compare?a={a}&b={b}", r#"{"tested": 2}"#),
    ("/api/folders", "/api/folders", r#"{"total": 5}"#),
    ("/api/folders", "/api/folders?from=4", r#"{"from": 4}"#),
    ("/api/spending", "/api/spending", r#"{"behind": 0}"#),
    ("/api/boards", "/api/boards", r#"{"total": 1}"#),
    ("/api/boards/{name}", "/api/boards/spring", r#"{"last_season": 2}"#),
    ("/api/boards/{name}", "/api/boards/spring?season=1", r#"{"last_season": 2}"#),
    ("/api/arenas/{id}", "/api/arenas/{arena}", r#"{"total": 0, "games": []}"#),
    ("/api/worlds/{id}", "/api/worlds/{world}", r#"{"total": 3, "planned": 4, "tasks": ["refund", "seating"]}"#),
    ("/api/rollouts/{id}", "/api/rollouts/{bugs}?from=1&count=1", r#"{"total": 2, "from": 1}"#),
    ("/api/gate/{id}", "/api/gate/{batch}", r#"{"total": 2, "left_out": 1}"#),
    ("/api/gate/{id}", "/api/gate/{batch}.two.rs~9047", r#"{"is_signed": false}"#),
    ("/api/gate/{id}", "/api/gate/{batch}.one", r#"{"is_signed": false}"#),
    ("/api/refine/{id}", "/api/refine/{session}", r#"{"champion": "1.0", "hints": ["an idea"]}"#),
    ("/api/refine/{id}/candidates", "/api/refine/{session}/candidates", r#"{"total": 4}"#),
    (
        "/api/refine/{id}/candidates/{candidate}",
        "/api/refine/{session}/candidates/1.0",
        r#"{"source": "an idea", "changes": [], "is_champion": true, "parent": "0.0"}"#,
    ),
    ("/api/refine/{id}/events", "/api/refine/{session}/events?from=1&count=1", r#"{"from": 1}"#),
    ("/api/trajectories/{id}", "/api/trajectories/{trajectory}", r#"{"total": 3, "broken": 0}"#),
    (
        "/api/trajectories/{id}/records",
        "/api/trajectories/{trajectory}/records?from=1&count=1&bodies=true",
        r#"{"from": 1, "next": 2}"#,
    ),
    (
        "/api/trajectories/{id}/records/{number}",
        "/api/trajectories/{trajectory}/records/2",
        r#"{"kind": "event", "is_whole": true, "line": null, "total": 3}"#,
    ),
    ("/api/trajectories/{id}/search", "/api/trajectories/{trajectory}/search?q=hello", r#"{"records": [1]}"#),
    ("/api/trajectories/{id}/outline", "/api/trajectories/{trajectory}/outline?only=step", r#"{"only": "step"}"#),
    ("/api/trajectories/{id}/scores", "/api/trajectories/{trajectory}/scores", r#"{"scores": []}"#),
    ("/api/trajectories/{id}/state", "/api/trajectories/{trajectory}/state", r#"{"step": 1, "steps": 1}"#),
    ("/api/trajectories/{id}/files", "/api/trajectories/{bugs}.task-0.s1/files?step=0", r#"{"step": 0}"#),
    ("/api/doctor", "/api/doctor", r#"{}"#),
    ("/api/edit", "/api/edit", r#"{"name": "my-strategy.rs", "source": "fn rust() {}\n"}"#),
    ("/api/edit", "/api/edit?session={session}&candidate=1.0", r#"{"source": "an idea"}"#),
    ("/api/edit", "/api/edit?run={a}", r#"{"name": "s.rs"}"#),
    ("/api/choices", "/api/choices", r#"{"models": ["scripted", "scripted:model.jsonl"]}"#),
    ("/api/jobs", "/api/jobs?from=1&count=1", r#"{"total": 0, "from": 1}"#),
];

#[test]
fn whatever_pages_show_is_answered_as_it_is_described() {
    let folder = tempfile::tempdir().expect("a folder");
    let (server, stored) = everything(folder.path());
    let document = json_of(&server, "/api/openapi.json");
    let id = |what: &str| folder_of(&server, what);
    let (world, bugs, batch, session) = (id("world"), id("rollout"), id("batch"), id("refinement"));
    let trajectory = format!("{world}.refund.s1");
    let (a, b) = (stored.a.to_string(), stored.b.to_string());
    let arena = id("arena");
    let named = [
        ("{world}", &world),
        ("{bugs}", &bugs),
        ("{batch}", &batch),
        ("{session}", &session),
        ("{arena}", &arena),
        ("{trajectory}", &trajectory),
        ("{a}", &a),
        ("{b}", &b),
    ];
    let with_ids = |text: &str| named.iter().fold(text.to_owned(), |text, (name, id)| text.replace(name, id));
    for (path, asked, has) in ANSWERS {
        let (asked, has) = (with_ids(asked), serde_json::from_str::<Value>(&with_ids(has)).expect("it is JSON"));
        let answer = described(&server, &document, path, &asked);
        for (name, expected) in has.as_object().expect("fields") {
            assert_eq!(&answer[name], expected, "{asked}: {name}\n{answer}");
        }
    }
    let parted = json_of(&server, &format!("/api/compare?a={a}&b={b}&seed=2"));
    assert_eq!(parted["orders"]["told"]["missing"][0]["can_be_made_again"], true, "{parted}");
    assert_eq!(parted["measures"][0]["answer"], "A is better", "{parted}");
    for path in [
        format!("/api/rollouts/{world}"),
        format!("/api/worlds/{bugs}"),
        format!("/api/trajectories/{world}.absent"),
        format!("/api/trajectories/{trajectory}/records/3"),
        format!("/api/trajectories/{trajectory}/records/x"),
        format!("/api/refine/{session}/candidates/9.9"),
        format!("/api/gate/{batch}.absent"),
        "/api/boards/..%2fresults".to_owned(),
        "/api/arenas/0000000000000000".to_owned(),
        "/api/edit?session=0000000000000000&candidate=0.0".to_owned(),
    ] {
        assert_eq!(ask(&server, &path).status, 404, "{path}");
    }
}

#[test]
fn a_program_writes_strategies_and_steers_sessions() {
    let folder = tempfile::tempdir().expect("a folder");
    let (server, _) = everything(folder.path());
    let source = "struct+Maker%3B%0Aimpl+Strategy+for+Maker+%7B%7D%0Aassay_sdk%3A%3Aexport%21%28Maker%29%3B%0A";
    let (status, checked) = posted(&server, "/api/edit/check", &format!("name=mine.rs&source={source}"));
    assert_eq!((status, checked["has_passed"].clone()), (200, json!(true)), "{checked}");
    let (status, checked) = posted(&server, "/api/edit/check", "name=mine.rs&source=unsafe+fn+f()+%7B%7D");
    assert_eq!((status, checked["has_passed"].clone()), (200, json!(false)), "{checked}");
    assert!(checked["findings"].to_string().contains("unsafe"), "{checked}");
    let (status, saved) = posted(&server, "/api/edit/save", &format!("name=mine.rs&source={source}"));
    assert_eq!(status, 200, "{saved}");
    let id = saved["id"].as_str().expect("an id");
    let opened = json_of(&server, &format!("/api/edit?open={id}"));
    assert_eq!((opened["name"].clone(), opened["base"].clone()), (json!("mine.rs"), saved["version"].clone()));
    // Nothing newer is replaced.
    assert_eq!(posted(&server, "/api/edit/save", "name=mine.rs&source=x").0, 422);
    let (status, started) =
        posted(&server, "/api/edit/run", &format!("name=mine.rs&market=calm&seeds=2&goal=risk&source={source}"));
    assert_eq!((status, started["job"]["id"].clone()), (201, json!("1-mine")), "{started}");
    let (status, held) =
        posted(&server, "/api/edit/run", "name=mine.rs&market=calm&seeds=2&goal=risk&source=unsafe+fn+f()+%7B%7D");
    assert_eq!((status, held["has_passed"].clone()), (200, json!(false)), "{held}");

    let session = format!("/api/refine/{}", folder_of(&server, "refinement"));
    for (act, body, status) in [
        // Nobody runs it.
        ("stop", "", 409),
        ("hint", "hint=quote+wider", 200),
        ("hint", "hint=++", 400),
        ("fork", "at=3", 201),
        ("fork", "at=x", 422),
    ] {
        let (found, answer) = posted(&server, &format!("{session}/{act}"), body);
        assert_eq!(found, status, "{act} {body}\n{answer}");
        assert!(status != 201 || answer["job"]["kind"] == "refinement", "{act}\n{answer}");
        assert!(status != 200 || answer["page"].as_str().is_some_and(|page| page.starts_with('/')), "{act}\n{answer}");
    }
    let hints = json_of(&server, &session)["hints"].clone();
    assert!(hints.as_array().is_some_and(|hints| hints.contains(&json!("quote wider"))), "{hints}");
}

#[test]
fn loose_and_damaged_results_have_the_ids_of_their_pages() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    };
    write("loose/t~1.s1.jsonl", "{\"_type\":\"metadata\"}\n");
    write("report/run.json", "{\"series\":1}");
    let server = Server::start(&[folder.path()]);
    let document = json_of(&server, "/api/openapi.json");
    let (loose, report) = (folder_of(&server, "trajectories"), folder_of(&server, "report"));
    let told = described(&server, &document, "/api/rollouts/{id}", &format!("/api/rollouts/{loose}"));
    assert_eq!((told["total"].clone(), told["trajectories"].clone()), (json!(1), json!([format!("{loose}.t~1.s1")])));
    for (path, status) in [
        (format!("/t/{loose}.t~1.s1"), 200),
        (format!("/api/trajectories/{loose}.t~1.s1"), 200),
        (format!("/api/worlds/{loose}"), 404),
        (format!("/runs/{report}"), 422),
        (format!("/api/runs/{report}"), 422),
        (format!("/api/runs/{report}/measures"), 422),
        (format!("/api/runs/{report}/report"), 422),
    ] {
        assert_eq!(server.get(&path).status, status, "{path}");
    }
}

#[test]
fn runs_are_linked_to_the_editor_where_it_has_their_source() {
    let folder = tempfile::tempdir().expect("a folder");
    let (server, stored) = everything(folder.path());
    let mut linked = Vec::new();
    for id in [stored.a, stored.b, stored.old, stored.rollout] {
        let editor = format!("/edit?run={id}");
        let is_linked = server.get(&format!("/runs/{id}")).body.contains(&editor);
        assert_eq!(is_linked, server.get(&editor).status == 200, "{editor}");
        linked.push(is_linked);
    }
    assert!(linked[0] && !linked[3], "{linked:?}");
}

#[test]
fn a_job_names_the_run_of_its_session() {
    let folder = tempfile::tempdir().expect("a folder");
    let command = "assay refine resume maker-1 --dir /elsewhere/1-maker/refine";
    let (store, artifacts) = stored::refined(folder.path(), command);
    let brought = start::work(&folder.path().join("own"));
    let server = Server::start_with(&[], |settings| {
        (settings.sources.store, settings.sources.artifacts) = (store, artifacts);
        settings.work = Some(brought);
    });
    let run = json_of(&server, "/api/runs?kind=refine")["runs"][0]["id"].clone();
    let choices = json_of(&server, "/api/choices");
    let id = |name: &str| id_of(&choices, "strategies", name);
    for (name, job, expected) in [("sources/maker.rs", "1-maker", run), ("sources/slow.rs", "2-slow", Value::Null)] {
        let fields = "market=calm&goal=balanced&generations=2&width=3&seed=1&minutes=5&act=start";
        let (status, started) = posted(&server, "/api/jobs/refine", &format!("strategy={}&{fields}", id(name)));
        assert_eq!((status, started["job"]["id"].clone()), (201, json!(job)), "{started}");
        assert_eq!(json_of(&server, &format!("/api/jobs/{job}"))["run"], expected, "{job}");
    }
}

/// A job as soon as it is as it has to be.
fn job_that(server: &Server, path: &str, is_right: impl Fn(&Value) -> bool) -> Value {
    let since = Instant::now();
    loop {
        let job = json_of(server, path);
        if is_right(&job) {
            return job;
        }
        assert!(since.elapsed() < Duration::from_secs(60), "{job}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_job_keeps_the_run_of_its_verdict() {
    let folder = tempfile::tempdir().expect("a folder");
    // A later job has given the same verdict since.
    let (store, artifacts) = stored::judged(folder.path(), "assay gate /elsewhere/2-maker/maker.rs --policy gate.toml");
    let own = folder.path().canonicalize().expect("a path").join("own");
    let (brought, work) = (start::work(&own), own.join("work"));
    let server = Server::start_with(&[&work], |settings| {
        (settings.sources.store, settings.sources.artifacts) = (store, artifacts);
        settings.work = Some(brought);
    });
    let run = json_of(&server, "/api/runs?kind=gate")["runs"][0]["id"].clone();
    let maker = id_of(&json_of(&server, "/api/choices"), "strategies", "sources/maker.rs");
    let (status, started) = posted(&server, "/api/jobs/gate", &format!("strategy={maker}"));
    assert_eq!((status, started["job"]["id"].clone()), (201, json!("1-maker")), "{started}");
    let path = "/api/jobs/1-maker";
    let ended = job_that(&server, path, |job| job["is_over"] == true);
    assert_eq!((&ended["run"], &ended["result"]), (&Value::Null, &Value::Null), "{ended}");
    // As `assay gate` leaves it.
    let line =
        json!({"id": "maker.rs", "name": "maker.rs", "hash": null, "decision": "pass", "summary": "", "run": run});
    let summary = json!({"schema": {"name": "assay.verdicts", "version": "1.1"}, "verdicts": [line]});
    let verdicts = work.join("1-maker/verdicts");
    std::fs::create_dir(&verdicts).expect("made");
    std::fs::write(verdicts.join("summary.json"), summary.to_string()).expect("written");
    let kept = job_that(&server, path, |job| !job["run"].is_null());
    assert_eq!(kept["run"], run, "{kept}");
    let page = server.get("/jobs/1-maker").body;
    for id in [&kept["result"], &run] {
        let link = format!("href=\"/gate/{}\"", id.as_str().expect("an id"));
        assert!(page.contains(&link), "{link}\n{page}");
    }
}
