//! `assay worlds serve`: agents over the Model Context Protocol, and the operator beside them.

use assay_tests::{assay, root, show};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use tempfile::TempDir;

#[path = "mcp/imported.rs"]
mod imported;

const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// A server with the world that `worlds new` makes, and the support desk beside it where it is asked for.
struct Served {
    child: Child,
    folder: TempDir,
    host: String,
    agent: String,
    operator: String,
}

/// What was answered: the status, the headers in lower case, the body.
type Answer = (u16, String, Value);

impl Served {
    fn begin(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let made = assay(folder.path()).args(["worlds", "new", "desk"]).output().expect("assay starts");
        assert!(made.status.success(), "{}", show(&made));
        Self::begin_in(folder, &[&["desk"], arguments].concat())
    }

    /// A server of the worlds of a folder.
    fn begin_in(folder: TempDir, arguments: &[&str]) -> Self {
        let mut child = assay(folder.path())
            .args(["worlds", "serve", "--port", "0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("assay starts");
        let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let (mut host, mut agent) = (String::new(), String::new());
        let operator = loop {
            let line = lines.next().expect("a line").expect("text");
            let last = line.split_whitespace().next_back().unwrap_or_default().to_owned();
            if line.starts_with("agent ") {
                host = last.trim_start_matches("http://").split('/').next().unwrap_or_default().to_owned();
            } else if line.starts_with("agent's token") {
                agent = last;
            } else if line.starts_with("operator's token") {
                break last;
            }
        };
        // What it writes at its end has to go somewhere.
        thread::spawn(move || lines.for_each(drop));
        Self { child, folder, host, agent, operator }
    }

    fn request(&self, request: &str, headers: &[(&str, &str)], body: &str) -> Option<Answer> {
        let mut stream = TcpStream::connect(&self.host).ok()?;
        let (method, path) = request.split_once(' ').expect("METHOD PATH");
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        let host = ("Host", self.host.as_str());
        let has = |name: &str| headers.iter().any(|(other, _)| other.eq_ignore_ascii_case(name));
        for (name, value) in headers.iter().chain((!has("host")).then_some(&host)) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() && !has("content-type") {
            head.push_str("Content-Type: application/json\r\n");
        }
        // A server that refuses early may not read all of it.
        let _ = stream.write_all(format!("{head}\r\n{body}").as_bytes());
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        let (head, body) = answer.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some((status, head.to_ascii_lowercase(), serde_json::from_str(body).unwrap_or(Value::Null)))
    }

    /// A message of an agent, in a session.
    fn send(&self, world: &str, session: &str, message: &Value) -> Answer {
        let token = format!("Bearer {}", self.agent);
        let mut headers = vec![("Authorization", token.as_str()), ("Accept", "application/json, text/event-stream")];
        if !session.is_empty() {
            headers.push(("Mcp-Session-Id", session));
        }
        self.request(&format!("POST /{world}/mcp"), &headers, &message.to_string()).expect("an answer")
    }

    /// Begins a session.
    fn open(&self, world: &str, revision: &str) -> (String, Value) {
        let params =
            json!({ "protocolVersion": revision, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
        let message = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        let (status, head, body) = self.send(world, "", &message);
        assert_eq!(status, 200, "{body}");
        let id = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap_or_default().to_owned();
        assert!(!id.is_empty(), "{body}");
        let noted = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(self.send(world, &id, &noted).0, 202);
        (id, body["result"].clone())
    }

    fn call(&self, world: &str, session: &str, tool: &str, arguments: &Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        let (status, _, body) =
            self.send(world, session, &json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params }));
        assert_eq!((status, &body["id"]), (200, &json!(7)), "{body}");
        body
    }

    fn control(&self, order: &str) -> Answer {
        self.control_of("my-desk", order)
    }

    fn control_of(&self, world: &str, order: &str) -> Answer {
        let token = format!("Bearer {}", self.operator);
        let method = if order.is_empty() { "GET" } else { "POST" };
        self.request(&format!("{method} /{world}/control"), &[("Authorization", &token)], order).expect("an answer")
    }

    /// The names of the tools that an agent has.
    fn tools(&self, world: &str, session: &str) -> Vec<String> {
        let (_, _, list) = self.send(world, session, &json!({ "jsonrpc": "2.0", "id": "l", "method": "tools/list" }));
        let tools = list["result"]["tools"].as_array().expect("a list");
        tools.iter().filter_map(|tool| tool["name"].as_str()).map(str::to_owned).collect()
    }

    /// Stops it with Ctrl-C.
    fn end(mut self) -> TempDir {
        let status = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().expect("kill starts");
        assert!(status.success());
        assert_eq!(self.child.wait().expect("assay ends").code(), Some(0));
        let folder = tempfile::tempdir().expect("a folder");
        std::mem::replace(&mut self.folder, folder)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The texts of a result.
fn texts(body: &Value) -> Vec<&str> {
    let content = body["result"]["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    content.iter().filter_map(|part| part["text"].as_str()).collect()
}

fn balance() -> Value {
    json!({ "collection": "accounts", "id": "A-1" })
}

fn journal(folder: &Path, run: &str) -> Vec<Value> {
    let text = fs::read_to_string(folder.join(run).join("results.jsonl")).expect("a journal");
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

#[test]
fn an_agent_solves_a_task_in_every_revision() {
    let served = Served::begin(&["--task", "balance", "--samples", "4", "--out", "runs"]);
    for revision in REVISIONS {
        let (session, begun) = served.open("my-desk", revision);
        assert_eq!(begun["protocolVersion"], revision);
        assert!(begun["instructions"].as_str().is_some_and(|text| text.contains("How many cents")), "{begun}");
        let (_, _, list) =
            served.send("my-desk", &session, &json!({ "jsonrpc": "2.0", "id": "l", "method": "tools/list" }));
        let tools = list["result"]["tools"].as_array().expect("a list");
        let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
        // Nobody is there to talk to in this task.
        assert_eq!(names, ["get_account", "reopen_ticket", "wait", "read_conversation", "finish_task"], "{list}");
        assert_eq!(tools[0]["inputSchema"]["type"], "object");
        assert_eq!(tools[0].get("annotations").is_some(), revision != REVISIONS[0]);
        let answer = served.call("my-desk", &session, "get_account", &balance());
        assert!(texts(&answer)[0].contains("1250") && answer["result"]["isError"] == false, "{answer}");
        let wrong = served.call("my-desk", &session, "get_account", &json!({ "id": 7 }));
        assert!(texts(&wrong)[0].contains("\"arguments\"") && wrong["result"]["isError"] == true, "{wrong}");
        let unknown = served.call("my-desk", &session, "get_acount", &json!({}));
        assert_eq!(unknown["error"]["code"], -32_602, "{unknown}");
        let last = served.call("my-desk", &session, "finish_task", &json!({ "message": "There are 1250 cents." }));
        assert!(texts(&last).join("\n").contains("the episode has ended"), "{last}");
        let late = served.call("my-desk", &session, "get_account", &balance());
        assert!(texts(&late)[0].contains("episode_ended") && late["result"]["isError"] == true, "{late}");
    }
    let (status, _, seen) = served.control("");
    assert_eq!(status, 200);
    let rewards: Vec<f64> =
        seen["sessions"].as_array().into_iter().flatten().filter_map(|one| one["reward"].as_f64()).collect();
    assert_eq!(rewards, [1.0; 4], "{seen}");
    let none =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "protocolVersion": "2025-11-25" } });
    let (_, _, none) = served.send("my-desk", "", &none);
    assert!(none["error"]["message"].as_str().is_some_and(|why| why.contains("no episode is left")), "{none}");
    let folder = served.end();
    assert_eq!(journal(folder.path(), "runs/my-desk").len(), 4);
    for sample in 1..=4 {
        let file = format!("runs/my-desk/episodes/balance.s{sample}.jsonl");
        let verified = assay(folder.path()).args(["trace", "verify", &file]).output().expect("assay starts");
        assert!(verified.status.success(), "{}", show(&verified));
    }
}

#[test]
fn an_agent_talks_to_the_user_and_leaves() {
    let served = Served::begin(&["--task", "reopen", "--out", "runs"]);
    let (session, begun) = served.open("my-desk", "2025-11-25");
    assert!(begun["instructions"].as_str().is_some_and(|text| text.contains("card reader")), "{begun}");
    // What the user knows is nowhere until they tell it.
    assert!(!begun.to_string().contains("T-1"), "{begun}");
    let answer = served.call("my-desk", &session, "message_user", &json!({ "text": "Which ticket is it?" }));
    assert!(texts(&answer)[0].contains("T-1"), "{answer}");
    let empty = served.call("my-desk", &session, "message_user", &json!({ "text": " " }));
    assert!(texts(&empty)[0].contains("`text` is empty") && empty["result"]["isError"] == true, "{empty}");
    served.call("my-desk", &session, "reopen_ticket", &json!({ "ticket_id": "T-1" }));
    served.call("my-desk", &session, "message_user", &json!({ "text": "T-1 is open again." }));
    let again = served.call("my-desk", &session, "read_conversation", &json!({}));
    assert!(texts(&again)[0].contains("card reader") && texts(&again)[0].contains("It is T-1."), "{again}");
    let token = format!("Bearer {}", served.agent);
    let headers = [("Authorization", token.as_str()), ("Mcp-Session-Id", session.as_str())];
    assert_eq!(served.request("DELETE /my-desk/mcp", &headers, "").map(|answer| answer.0), Some(204));
    assert_eq!(served.request("DELETE /my-desk/mcp", &headers, "").map(|answer| answer.0), Some(404));
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    assert_eq!(served.send("my-desk", &session, &ping).0, 404);
    // The score is there as soon as the session is closed.
    let lines = journal(served.folder.path(), "runs/my-desk");
    assert_eq!(lines[0]["result"]["scored"]["outcome"], "success", "{lines:?}");
}

#[test]
fn each_token_opens_its_own_door_only() {
    let served = Served::begin(&[]);
    let (agent, operator) = (format!("Bearer {}", served.agent), format!("Bearer {}", served.operator));
    let (agent, operator) = (("Authorization", agent.as_str()), ("Authorization", operator.as_str()));
    let own = format!("http://{}", served.host);
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let reset = r#"{"do":"reset"}"#;
    for (request, headers, body, expected) in [
        ("GET /my-desk/control", &[operator][..], "", 200),
        ("GET /my-desk/control", &[agent], "", 403),
        ("POST /my-desk/control", &[agent], reset, 403),
        ("GET /my-desk/control", &[], "", 401),
        ("GET /my-desk/control", &[("Authorization", "Bearer x")], "", 401),
        ("POST /my-desk/mcp", &[operator], ping, 403),
        ("POST /my-desk/mcp", &[], ping, 401),
        ("POST /my-desk/mcp", &[agent], ping, 400),
        ("POST /my-desk/mcp", &[agent, ("Mcp-Session-Id", "no")], ping, 404),
        ("POST /other/mcp", &[agent], ping, 404),
        ("GET /my-desk/mcp", &[agent], "", 405),
        ("GET /elsewhere", &[agent], "", 404),
        ("POST /my-desk/control", &[operator], reset, 409),
        ("POST /my-desk/control", &[operator], r#"{"do":"reset","session":"no"}"#, 404),
        ("POST /my-desk/control", &[operator], r#"{"do":"rest"}"#, 400),
        ("POST /my-desk/control", &[operator], r#"{"do":"end","extra":1}"#, 400),
        // A page in a browser: what a form can send, another origin, another name of this machine.
        ("POST /my-desk/control", &[operator, ("Content-Type", "text/plain")], reset, 415),
        ("POST /my-desk/mcp", &[agent, ("Content-Type", "text/plain")], ping, 415),
        ("POST /my-desk/mcp", &[agent, ("Origin", "http://evil.example")], ping, 403),
        ("POST /my-desk/mcp", &[agent, ("Origin", &own)], ping, 400),
        ("POST /my-desk/mcp", &[agent, ("Sec-Fetch-Site", "cross-site")], ping, 403),
        ("POST /my-desk/mcp", &[agent, ("Host", "evil.example")], ping, 421),
        ("GET /my-desk/control", &[operator, ("Host", "evil.example")], "", 421),
    ] {
        let answer = served.request(request, headers, body);
        assert_eq!(answer.as_ref().map(|answer| answer.0), Some(expected), "{request} {headers:?} {body} {answer:?}");
    }
}

#[test]
fn what_is_no_message_is_refused() {
    let served = Served::begin(&[]);
    let (session, _) = served.open("my-desk", "2025-11-25");
    let (old, _) = served.open("my-desk", "2025-03-26");
    let token = format!("Bearer {}", served.agent);
    let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
    let long = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "x".repeat(600 << 10));
    let pings = |count: usize| {
        let pings: Vec<Value> = (0..count).map(|id| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" })).collect();
        Value::Array(pings).to_string()
    };
    let call = |params: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
    for (session, body, status, code) in [
        (&session, "{".to_owned(), 400, -32_700),
        (&session, "\u{0}".to_owned(), 400, -32_700),
        (&session, deep, 400, -32_700),
        (&session, "7".to_owned(), 400, -32_600),
        (&session, r#"{"jsonrpc":"2.0","id":[],"method":"ping"}"#.to_owned(), 400, -32_600),
        (&session, r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}"#.to_owned(), 400, -32_602),
        (&session, r#"{"jsonrpc":"2.0","id":1,"method":"reset"}"#.to_owned(), 200, -32_601),
        (&session, r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#.to_owned(), 200, -32_601),
        (&session, call("{}"), 200, -32_602),
        (&session, call(r#"{"name":7}"#), 200, -32_602),
        (&session, call(r#"{"name":"wait","arguments":"none"}"#), 200, -32_602),
        (&session, call(r#"{"name":"reset","arguments":{}}"#), 200, -32_602),
        (&session, r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#.to_owned(), 200, -32_602),
        (&session, long, 413, 0),
        // Several at once were part of older revisions.
        (&session, pings(2), 400, -32_600),
        (&old, pings(65), 400, -32_600),
        (&old, "[]".to_owned(), 400, -32_600),
        (&old, pings(3), 200, 0),
    ] {
        let headers = [("Authorization", token.as_str()), ("Mcp-Session-Id", session.as_str())];
        let answer = served.request("POST /my-desk/mcp", &headers, &body).expect("an answer");
        let shown: String = body.chars().take(100).collect();
        assert_eq!((answer.0, answer.2["error"]["code"].as_i64().unwrap_or(0)), (status, code), "{shown} {}", answer.2);
    }
    let headers = [
        ("Authorization", token.as_str()),
        ("Mcp-Session-Id", session.as_str()),
        ("MCP-Protocol-Version", "1999-01-01"),
    ];
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    assert_eq!(served.request("POST /my-desk/mcp", &headers, ping).map(|answer| answer.0), Some(400));
}

#[test]
fn a_thousand_calls_at_once_are_all_answered() {
    let served = Served::begin(&["--task", "balance"]);
    let (session, _) = served.open("my-desk", "2025-11-25");
    let message = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": { "name": "get_account", "arguments": balance() } });
    let (served, body, token) = (&served, message.to_string(), format!("Bearer {}", served.agent));
    let headers = [("Authorization", token.as_str()), ("Mcp-Session-Id", session.as_str())];
    let answers: Vec<Option<Answer>> = thread::scope(|scope| {
        let ask = || served.request("POST /my-desk/mcp", &headers, &body);
        let asking: Vec<_> = (0..1_000).map(|_| scope.spawn(ask)).collect();
        asking.into_iter().map(|one| one.join().expect("it asks")).collect()
    });
    let mut made = 0;
    for answer in answers.into_iter().flatten() {
        match (answer.0, answer.2["error"]["code"].as_i64()) {
            (200, None) if texts(&answer.2)[0].contains("1250") => made += 1,
            (200, None) => assert!(texts(&answer.2)[0].contains("episode_ended"), "{}", answer.2),
            (200, Some(code)) => assert_eq!(code, -32_000, "{}", answer.2),
            (status, _) => assert_eq!(status, 503),
        }
    }
    // A call is a turn, and the task has 30 of them.
    assert_eq!(made, 30);
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    assert_eq!(served.send("my-desk", &session, &ping).2["result"], json!({}));
    assert_eq!(served.control("").2["sessions"][0]["state"], "ended");
}

/// A record that could not be stored would begin the episode anew, which only the operator may do.
#[test]
fn what_an_agent_writes_cannot_undo_its_episode() {
    let clerk = root().join("examples/worlds/accounts-clerk");
    let served = Served::begin(&[clerk.to_str().expect("a path of text"), "--out", "runs"]);
    let (session, _) = served.open("accounts-clerk", REVISIONS[2]);
    let columns: Vec<String> = (1..=256).map(|number| format!("c{number}")).collect();
    let table = format!("CREATE TABLE z({})", columns.join(","));
    let row = "INSERT INTO z(c1) VALUES (replace(hex(zeroblob(120000)), '0', char(1)))";
    let long = "x".repeat(100_000);
    for (tool, arguments, expected) in [
        ("sql", json!({ "sql": table }), ""),
        ("sql", json!({ "sql": row }), ""),
        ("sql", json!({ "sql": long }), "the arguments have more than"),
        (&long[..], json!({}), "the name more than"),
        ("list_staff", json!({}), "staff"),
    ] {
        let body = served.call("accounts-clerk", &session, tool, &arguments);
        let answer = texts(&body).join("\n");
        assert!(answer.contains(expected) && !answer.contains("interrupted"), "{arguments:.80}: {body:.2000}");
    }
}

#[test]
fn the_operator_resets_forks_and_ends() {
    let served = Served::begin(&["--out", "runs"]);
    let (session, _) = served.open("my-desk", "2025-06-18");
    served.call("my-desk", &session, "get_account", &balance());
    assert_eq!(served.control("").2["sessions"][0]["moves"], 1);
    // The same episode from its beginning, in the same session.
    let (status, _, again) = served.control(r#"{"do":"reset"}"#);
    assert_eq!(
        (status, &again["moves"], &again["attempt"], &again["task"]),
        (200, &json!(0), &json!(2), &json!("balance")),
        "{again}"
    );
    assert_eq!(again["session"], session.as_str());
    served.call("my-desk", &session, "get_account", &balance());
    // Another agent goes on from here.
    let (status, _, fork) = served.control(r#"{"do":"fork"}"#);
    assert_eq!((status, &fork["moves"]), (200, &json!(1)), "{fork}");
    let path = fork["path"].as_str().expect("a path").trim_matches('/').trim_end_matches("/mcp").to_owned();
    let (other, _) = served.open(&path, "2025-06-18");
    served.call(&path, &other, "finish_task", &json!({ "message": "There are 1250 cents." }));
    let (status, _, ended) = served.control(&format!(r#"{{"do":"end","session":"{session}"}}"#));
    assert_eq!((status, &ended["reward"], &ended["state"]), (200, &json!(0.0), &json!("ended")), "{ended}");
    let late = served.call("my-desk", &session, "get_account", &balance());
    assert!(texts(&late)[0].contains("episode_ended"), "{late}");
    // Another task in the same session; of the first one no sample is left.
    let order = |task: &str| format!(r#"{{"do":"reset","session":"{session}","task":"{task}"}}"#);
    assert_eq!(served.control(&order("balance")).0, 409);
    let (status, _, next) = served.control(&order("reopen"));
    assert_eq!((status, &next["task"], &next["state"]), (200, &json!("reopen"), &json!("running")), "{next}");
    let folder = served.end();
    let rewards = |run: &str| -> Vec<Value> {
        journal(folder.path(), run).iter().map(|line| line["result"]["scored"]["reward"].clone()).collect()
    };
    assert_eq!(rewards("runs/my-desk"), [json!(0.0)]);
    assert_eq!(rewards("runs/my-desk.forks/fork-1"), [json!(1.0)]);
}

#[test]
fn a_client_speaks_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = assay(folder.path()).args(["worlds", "new", "desk"]).output().expect("assay starts");
    assert!(made.status.success(), "{}", show(&made));
    let mut child = assay(folder.path())
        .args(["worlds", "serve", "desk", "--stdio", "--task", "balance", "--out", "runs"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("assay starts");
    let script = [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        "no JSON",
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_account","arguments":{"collection":"accounts","id":"A-1"}}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"finish_task","arguments":{"message":"1250 cents"}}}"#,
    ];
    let mut input = child.stdin.take().expect("it is piped");
    input.write_all((script.join("\n") + "\n").as_bytes()).expect("written");
    drop(input);
    let output = child.wait_with_output().expect("assay ends");
    let lines: Vec<Value> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("not a message: {line}")))
        .collect();
    assert_eq!(lines.len(), 4, "{}", show(&output));
    assert_eq!(lines[0]["result"]["protocolVersion"], "2024-11-05");
    assert_eq!(lines[1]["error"]["code"], -32_700);
    assert!(texts(&lines[2])[0].contains("1250"), "{}", lines[2]);
    assert_eq!(output.status.code(), Some(0), "{}", show(&output));
    assert_eq!(journal(folder.path(), "runs/my-desk")[0]["result"]["scored"]["outcome"], "success");
}

#[test]
fn what_cannot_be_served_is_refused_with_a_hint() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["desk", "other"] {
        let made = assay(folder.path()).args(["worlds", "new", name]).output().expect("assay starts");
        assert!(made.status.success(), "{}", show(&made));
    }
    for (arguments, expected) in [
        (&["desk", "other"][..], "two worlds have the name my-desk"),
        (&["desk", "--task", "balanc"], "did you mean `balance`?"),
        (&["desk", "--samples", "0"], "--samples must be 1 to 10000"),
        (&["desk", "--samples", "10000"], "at most 10000"),
        (&["desk", "other", "--stdio"], "--stdio serves one world"),
        (&["desk", "--stdio", "--port", "1"], "cannot be used with"),
        (&["absent"], "assay worlds new"),
    ] {
        let output = assay(folder.path()).args(["worlds", "serve"]).args(arguments).output().expect("assay starts");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}\n{}", show(&output));
        assert!(String::from_utf8_lossy(&output.stderr).contains(expected), "{arguments:?}\n{}", show(&output));
    }
    for file in ["other/world.toml", "other/tasks/reopen.toml"] {
        let path = folder.path().join(file);
        let text = fs::read_to_string(&path).expect("a file");
        fs::write(&path, text.replace("\"reopen_ticket\"", "\"finish_task\"")).expect("written");
    }
    let output = assay(folder.path()).args(["worlds", "serve", "other"]).output().expect("assay starts");
    assert!(String::from_utf8_lossy(&output.stderr).contains("has a tool finish_task"), "{}", show(&output));
}

/// The interpreter that `make setup-python` prepares for these requirements.
fn interpreter(requirements: &str) -> PathBuf {
    let setup = Command::new(root().join("tests/python/setup"))
        .arg("--where")
        .arg(root().join(requirements))
        .output()
        .expect("bash is there");
    assert!(setup.status.success(), "{}", show(&setup));
    PathBuf::from(String::from_utf8_lossy(&setup.stdout).trim())
}

/// The one with the official client.
fn python() -> PathBuf {
    let python = interpreter("tests/mcp/requirements.txt");
    assert!(python.is_file(), "{} is not there: run `make setup-python`", python.display());
    python
}

#[test]
fn the_official_client_uses_two_worlds_at_once() {
    let desk = root().join("examples/worlds/support-desk");
    let served = Served::begin(&[desk.to_str().expect("UTF-8"), "--samples", "3"]);
    let url = |world: &str| format!("http://{}/{world}/mcp", served.host);
    let output = Command::new(python())
        .arg(root().join("tests/mcp/client.py"))
        .arg(&served.agent)
        .args([&url("my-desk"), "get_account", &balance().to_string()])
        .args([&url("support-desk"), "get_ticket", r#"{"ticket_id":"T-6"}"#])
        .output()
        .expect("python runs");
    assert!(output.status.success(), "{}", show(&output));
    let text = String::from_utf8_lossy(&output.stdout);
    let seen: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let revisions: Vec<&str> = seen.iter().filter_map(|one| one["revisions"][1].as_str()).collect();
    assert_eq!(revisions, [&REVISIONS[..], &["2025-11-25"]].concat(), "{text}");
    for one in &seen {
        assert_eq!(one["errors"], json!([false, false]), "{one}");
        assert!(one["tools"][0].to_string().contains("reopen_ticket"), "{one}");
        assert!(one["tools"][1].to_string().contains("refund_payment"), "{one}");
        assert!(
            one["answers"][0].to_string().contains("1250") && one["answers"][1].to_string().contains("O-110"),
            "{one}"
        );
    }
}
