//! Batches of verdicts whose summary is damaged: they are listed, and say why they cannot be read.

use crate::api::{ask, json_of};
use crate::fixture::{Server, batch_folder, trajectory_line, write_trajectory};
use serde_json::Value;
use std::fs;

#[test]
fn a_batch_with_a_damaged_summary_is_listed_and_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let cases = [
        ("empty", "{}", Some("it has no schema")),
        ("blank", "", Some("EOF while parsing a value")),
        ("half", "{\"schema\":{\"na", Some("EOF while parsing a string")),
        // Another program's, as far as anybody can tell.
        ("foreign", "{\"total\":3}", None),
        ("list", "[]", None),
        ("verdicts", "{\"total\":3}", Some("it does not have the schema of a summary")),
    ];
    batch_folder(&folder.path().join("verdicts"), "a batch");
    for (name, text, _) in cases {
        fs::create_dir_all(folder.path().join(name)).expect("made");
        fs::write(folder.path().join(name).join("summary.json"), text).expect("written");
    }
    // Whatever lies below is not hidden by it, and trajectories beside it are what they were.
    write_trajectory(&folder.path().join("empty/below/t.jsonl"), &[trajectory_line(0, "market")]);
    write_trajectory(&folder.path().join("beside/t.jsonl"), &[trajectory_line(0, "market")]);
    fs::write(folder.path().join("beside/summary.json"), "{}").expect("written");
    let server = Server::start(&[folder.path()]);
    let listed = server.get("/gate").body;
    let told = json_of(&server, "/api/folders?what=batch");
    let folders = told["folders"].as_array().expect("folders");
    for (name, _, expected) in cases {
        let ending = format!("/{name}");
        let row = listed.split("<tr").find(|row| row.contains(&format!("{ending}</a>")));
        let found = folders.iter().find(|one| one["name"].as_str().is_some_and(|name| name.ends_with(&ending)));
        let (Some(why), Some(row), Some(found)) = (expected, row, found) else {
            assert!(expected.is_none() && row.is_none() && found.is_none(), "{name}\n{listed}\n{told}");
            continue;
        };
        assert!(row.contains("damaged: verdicts") && row.contains("summary.json: ") && row.contains(why), "{row}");
        assert!(found["damage"].as_str().is_some_and(|damage| damage.contains(why)), "{found}");
        let page = found["page"].as_str().expect("a page");
        let answer = server.get(page);
        assert!(answer.status == 422 && answer.body.contains(why), "{name}\n{}", answer.body);
        let error: Value = serde_json::from_str(&ask(&server, &format!("/api{page}")).body).expect("JSON");
        assert_eq!(error["error"]["code"], "unreadable", "{name}\n{error}");
    }
    let rollouts = server.get("/rollouts").body;
    for name in ["/empty/below</a>", "/beside</a>"] {
        assert!(rollouts.contains(name), "{name}\n{rollouts}");
    }
    // Its verdicts are as they were.
    let verdicts = folders.iter().find(|one| one["name"].as_str().is_some_and(|name| name.ends_with("/verdicts")));
    let id = verdicts.expect("it is listed")["id"].as_str().expect("an id");
    assert_eq!(server.get(&format!("/gate/{id}.one")).status, 200);
}
