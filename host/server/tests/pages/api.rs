//! The API: what programs are told, and that they are told no more than browsers.

use crate::fixture::{Answer, Server, evil};
use crate::stored;
use serde_json::{Value, json};

fn ask(server: &Server, path: &str) -> Answer {
    let (host, token) =
        (format!("Host: localhost:{}", server.port()), format!("Authorization: Bearer {}", server.token()));
    server.ask(&format!("GET {path}"), &[&host, &token])
}

fn json_of(server: &Server, path: &str) -> Value {
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
    for (path, status) in [
        ("/api/runs?size=0".to_owned(), 422),
        ("/api/runs?size=1000".to_owned(), 422),
        ("/api/runs?page=x".to_owned(), 422),
        ("/api/runs/latest".to_owned(), 404),
        ("/api/runs/..%2f..%2fetc".to_owned(), 404),
        (format!("/api/runs/{}/tables", stored.a), 404),
        (format!("/api/runs/{}/series", stored.rollout), 404),
        ("/api/runs/0000000000000000/tables/trades".to_owned(), 404),
        ("/api/runs/0000000000000000/tables/..%2frun.json".to_owned(), 404),
    ] {
        let answer = ask(&server, &path);
        assert_eq!(answer.status, status, "{path}\n{}", answer.body);
        let error: Value = serde_json::from_str(&answer.body).expect("JSON");
        assert_eq!(error["error"]["status"], status, "{path}\n{error}");
    }
}

#[test]
fn the_document_describes_what_there_is() {
    let server = Server::start(&[]);
    let document = json_of(&server, "/api/openapi.json");
    assert_eq!(document["openapi"], "3.1.0");
    let paths = document["paths"].as_object().expect("paths");
    assert!(paths.len() >= 8, "{paths:?}");
    for (path, operations) in paths {
        let asked = path.replace("{id}", "0123456789abcdef").replace("{table}", "trades");
        let answer = ask(&server, &asked);
        // What is there says that it knows no such run; what is not has the page of a browser.
        assert_eq!(answer.header("content-type"), Some("application/json"), "{path}");
        let named: Vec<&str> = path.split('{').skip(1).filter_map(|part| part.split('}').next()).collect();
        let parameters = operations["get"]["parameters"].as_array().expect("parameters");
        for name in named {
            assert!(parameters.iter().any(|one| one["name"] == name && one["in"] == "path"), "{path}: {name}");
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
