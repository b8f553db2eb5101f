//! The pages over real connections: who is let in, what hostile text becomes, long and growing files, streams, exports.

mod accessibility;
mod addresses;
mod altered;
mod api;
mod backed;
mod browser;
mod chromium;
mod contradicted;
mod damaged;
mod described;
mod fixture;
mod impossible;
mod recognised;
mod results;
mod start;
mod stored;
mod unlisted;

use fixture::{Answer, Server, evil, rollout_folder, trajectory_line, write_trajectory};
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

/// Far beyond what anything here takes: a test that fails ends all the same.
const PATIENCE: Duration = Duration::from_secs(120);

#[test]
fn strangers_are_refused_over_a_real_connection() {
    let server = Server::start(&[]);
    let (port, cookie, token) = (server.port(), server.cookie(), server.token().to_owned());
    let host = format!("Host: localhost:{port}");
    let cookie = format!("Cookie: {cookie}");
    let own = format!("Origin: http://localhost:{port}");
    for (request, headers, expected) in [
        ("GET /", vec![host.as_str(), &cookie], 200),
        ("GET /", vec![&host], 401),
        ("GET /style.css", vec![&host], 401),
        ("GET /live?topic=store", vec![&host], 401),
        ("GET /nowhere", vec![&host], 401),
        ("GET /", vec![&cookie], 421),
        ("GET /", vec!["Host: evil.example", &cookie], 421),
        ("GET /nowhere", vec!["Host: evil.example", &cookie], 421),
        ("GET /live?topic=store", vec!["Host: evil.example", &cookie], 421),
        ("GET /", vec![&host, "Host: evil.example", &cookie], 421),
        ("GET http://evil.example/", vec![&host, &cookie], 421),
        ("GET /", vec![&host, &cookie, "Origin: http://evil.example"], 403),
        ("GET /", vec![&host, &cookie, "Origin: null"], 403),
        ("GET /", vec![&host, &cookie, "Sec-Fetch-Site: cross-site"], 403),
        ("GET /live?topic=store", vec![&host, &cookie, "Sec-Fetch-Site: cross-site"], 403),
        ("GET /", vec![&host, &cookie, "Sec-Fetch-Site: same-site"], 403),
        ("POST /refine/0123456789abcdef/stop", vec![&host, &cookie, "Content-Length: 0"], 403),
        ("POST /refine/0123456789abcdef/stop", vec![&host, &cookie, &own, "Content-Length: 0"], 403),
        ("POST /refine/0123456789abcdef/stop", vec![&host, &own, "Content-Length: 0"], 401),
        ("POST /refine/0123456789abcdef/stop", vec![&host, &cookie, &own, "Content-Length: 1073741824"], 413),
        ("PUT /", vec![&host, &cookie, "Content-Length: 0"], 405),
        ("DELETE /runs/latest", vec![&host, &cookie], 405),
        ("GET /refine/0123456789abcdef/stop", vec![&host, &cookie], 405),
    ] {
        let answer = server.ask(request, &headers);
        assert_eq!(answer.status, expected, "{request} {headers:?}\n{}", answer.body);
        assert!(!answer.body.contains(&token), "{request}: the token is on the page");
        for header in [
            "content-security-policy: default-src 'none'; script-src 'self'",
            "x-content-type-options: nosniff",
            "referrer-policy: same-origin",
        ] {
            assert!(answer.head.contains(header), "{request}: no {header}\n{}", answer.head);
        }
    }
}

#[test]
fn the_token_becomes_a_cookie_and_disappears() {
    let server = Server::start(&[]);
    let host = format!("Host: localhost:{}", server.port());
    let answer = server.ask(&format!("GET /runs?kind=run&token={}", server.token()), &[&host]);
    assert_eq!(answer.status, 303);
    assert_eq!(answer.header("location"), Some("/runs?kind=run"));
    let cookie = answer.header("set-cookie").expect("a cookie");
    for part in [&format!("assay_{}=", server.port()), "HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!format!("{}{}", answer.head, answer.body).contains(server.token()));
}

#[test]
fn addresses_are_ids_and_never_paths() {
    let folder = tempfile::tempdir().expect("a folder");
    rollout_folder(&folder.path().join("bugs"), 2);
    fs::write(folder.path().join("secret.jsonl"), "{\"_type\":\"metadata\",\"secret\":\"hunter2\"}\n")
        .expect("written");
    std::os::unix::fs::symlink(folder.path().join("secret.jsonl"), folder.path().join("bugs/episodes/link.jsonl"))
        .expect("a link");
    let server = Server::start(&[&folder.path().join("bugs")]);
    let id = server.link("/rollouts", "/rollouts/");
    let id = id.trim_start_matches("/rollouts/");
    for path in [
        "/../../../etc/passwd".to_owned(),
        "/t/..%2f..%2fetc%2fpasswd".to_owned(),
        format!("/t/{id}.link"),
        format!("/t/{id}...%2fsecret"),
        format!("/t/{id}.%2e%2e%2f%2e%2e%2fsecret"),
        format!("/t/{id}./etc/passwd"),
        format!("/t/{id}.a%00b"),
        format!("/t/{id}.absent"),
        format!("/rollouts/{id}/../../secret"),
        "/rollouts/0000000000000000".to_owned(),
        "/rollouts/%3Cscript%3E".to_owned(),
        "/runs/%F0%9F%92%A9".to_owned(),
        "/runs/latest".to_owned(),
        "/gate/0000000000000000.x".to_owned(),
        "/refine/0000000000000000/c/0.0".to_owned(),
        format!("/t/{}", "x".repeat(5_000)),
    ] {
        let answer = server.get(&path);
        assert!((400..500).contains(&answer.status), "{path}: {}", answer.status);
        for secret in ["hunter2", "root:", "<script>"] {
            assert!(!answer.body.contains(secret), "{path} shows {secret}");
        }
    }
}

#[test]
fn hostile_text_is_only_ever_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let bugs = folder.path().join("bugs");
    rollout_folder(&bugs, 2);
    let lines: Vec<String> = (0..4).map(|kind| trajectory_line(kind, &evil())).collect();
    write_trajectory(&bugs.join("episodes/task-0.s1.jsonl"), &lines);
    fixture::batch_folder(&folder.path().join("verdicts"), &evil());
    fixture::session_folder(&folder.path().join("session"), &evil());
    let server = Server::start(&[folder.path()]);
    let pages = server.crawl();
    assert!(pages.len() > 12, "{:?}", pages.keys());
    for (path, page) in &pages {
        assert_eq!(page.status, 200, "{path}\n{}", page.body);
        fixture::check_is_inert(path, page);
    }
    let session = pages.iter().find(|(path, _)| path.starts_with("/refine/")).expect("a session").1;
    for part in ["Promotion trials", "Sealed seeds", "champion", "<path"] {
        assert!(session.body.contains(part), "{part}: {}", session.body);
    }
    for part in ["/rollouts/", "/t/", "/record/", "/gate/", "/refine/", "/c/"] {
        assert!(pages.keys().any(|path| path.contains(part)), "no page below {part}: {:?}", pages.keys());
    }
}

#[test]
fn long_trajectories_are_shown_by_pages_and_grow() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("long.jsonl");
    let mut lines: Vec<String> = (0..2_500).map(|number| trajectory_line(1, &format!("words of {number}"))).collect();
    lines[0] = trajectory_line(0, "market");
    let long = format!("\"text\":\"{}\"", "x".repeat(300_000));
    lines[7] = trajectory_line(1, "w").replacen("\"text\":\"w\"", &long, 1);
    write_trajectory(&file, &lines);
    let server = Server::start(&[folder.path()]);
    let path = server.link("/rollouts", "/rollouts/");
    let path = server.link(&path, "/t/");
    let rows = |answer: &Answer| answer.body.matches("data-row").count();

    let first = server.get(&path);
    assert_eq!((first.status, rows(&first)), (200, 1_000));
    assert!(first.body.contains("2,500 records") && first.body.contains("words of 999"), "{}", first.body);
    assert_eq!(rows(&server.get(&format!("{path}?from=2000"))), 500);
    assert_eq!(rows(&server.get(&format!("{path}?from=99999999999999999999"))), 1_000);
    // Beyond the end is the last page.
    for from in ["2500", "99999999", "18446744073709551615"] {
        let last = server.get(&format!("{path}?from={from}"));
        assert_eq!(rows(&last), 500, "{from}");
        assert!(
            last.body.contains("2,000 to 2,499 are here") && last.body.contains("aria-current=\"page\">2,000"),
            "{from}"
        );
    }
    assert_eq!(rows(&server.get(&format!("{path}/rows?from=2490&count=5"))), 5);
    let record = server.get(&format!("{path}/record/2499"));
    assert!(record.body.contains("words of 2499"), "{}", record.body);
    // A long one is known by its beginning, cut, and there in whole.
    assert!(first.body.contains("<li id=\"7\" class=\"assistant\""), "{}", first.body);
    for (query, has_link, bytes) in
        [("", true, 60_000..100_000), ("?part=1", true, 60_000..100_000), ("?all=1", false, 300_000..400_000)]
    {
        let record = server.get(&format!("{path}/record/7{query}")).body;
        let link = format!("Only part of it is shown. <a href=\"{path}/record/7?all=1\">Show all of it</a>");
        assert_eq!(record.contains(&link), has_link, "{query}");
        assert!(bytes.contains(&record.len()), "{query}: {} bytes", record.len());
    }
    assert_eq!(server.get(&format!("{path}/record/2500")).status, 404);
    let found = server.get(&format!("{path}?q=of+1234"));
    assert!(found.body.contains("1 record found") && found.body.contains("/record/1234"), "{}", found.body);

    // It grows, with half a line at its end.
    lines.push(trajectory_line(1, "the last"));
    write_trajectory(&file, &lines);
    let mut open = fs::OpenOptions::new().append(true).open(&file).expect("it is there");
    open.write_all(b"{\"_type\":\"mess").expect("written");
    let grown = server.get(&format!("{path}?from=2000"));
    assert_eq!(rows(&grown), 501);
    assert!(grown.body.contains("the last 14 bytes are not a whole record"), "{}", grown.body);

    // It is another one.
    fs::remove_file(&file).expect("removed");
    write_trajectory(&file, &[trajectory_line(0, "other"), trajectory_line(1, "anew")]);
    let other = server.get(&path);
    assert!(rows(&other) == 2 && other.body.contains("anew"), "{}", other.body);
    fs::remove_file(&file).expect("removed");
    assert_eq!(server.get(&path).status, 404);
}

#[test]
fn an_outline_leads_to_steps_tools_tests_and_errors() {
    let folder = tempfile::tempdir().expect("a folder");
    let event = |kind: &str, body: &str| {
        format!(
            "{{\"_type\":\"event\",\"at_ns\":1,\"kind\":\"{kind}\",\"body\":{body},\"_hash\":\"{}\"}}",
            "0".repeat(64)
        )
    };
    let mut lines = vec![trajectory_line(0, "task")];
    for step in 0..700 {
        lines.push(trajectory_line(1, &format!("words of step {step}")));
        lines.push(event("tool_run", "{\"tool\":\"lookup\",\"latency_ns\":1}"));
        if step % 100 == 50 {
            lines.push(event("tool_run", "{\"tool\":\"run_tests\",\"latency_ns\":1}"));
            lines.push(event("flag", "{\"name\":\"odd\",\"detail\":\"x\"}"));
        }
    }
    lines.push(trajectory_line(3, "success"));
    let patch = event(
        "patch",
        "{\"base\":\"\",\"files\":\"\",\"patch\":\"diff --git a/x.py b/x.py\\n--- a/x.py\\n+++ b/x.py\\n@@ -1 +1 @@\\n-old\\n+new\\n\"}",
    );
    lines.insert(lines.len() - 1, patch);
    rollout_folder(&folder.path().join("bugs"), 1);
    write_trajectory(&folder.path().join("bugs/episodes/task-0.s1.jsonl"), &lines);
    let server = Server::start(&[folder.path()]);
    let page = server.link("/rollouts", "/rollouts/");
    let path = server.link(&page, "/t/");
    let entries = |answer: &Answer| answer.body.matches("data-row").count();
    // Beside the rows of a page, what is among them.
    let rows = server.get(&path).body;
    assert!(rows.contains("Outline: 495 steps, 494 tools, 5 runs of tests, 5 errors"), "{}", &rows[..3_000]);
    assert!(rows.contains("href=\"#1\""), "an entry leads to its row");

    let first = server.get(&format!("{path}/outline"));
    assert_eq!((first.status, entries(&first)), (200, 500));
    assert!(first.body.contains(&format!("{path}/files?step=1\"")), "{}", &first.body[..3_000]);
    let next = first.between("rel=\"next\" href=\"", "\"").expect("a next part").replace("&amp;", "&");
    assert_eq!(entries(&server.get(&next)), 500);
    for (only, expected, words) in [
        ("step", 500, "words of step 0"),
        ("tests", 7, "run_tests"),
        ("error", 7, "flag · odd"),
        ("score", 1, "success"),
        ("beauty", 500, "words of step 0"),
    ] {
        let answer = server.get(&format!("{path}/outline?only={only}"));
        assert_eq!(entries(&answer), expected, "{only}");
        assert!(answer.body.contains(words), "{only}: {words}");
    }
    // A later page of rows is where an entry leads.
    let tests = server.get(&format!("{path}/outline?only=tests")).body;
    assert!(tests.contains(&format!("href=\"{path}?from=1000#")), "{tests}");
    assert_eq!(entries(&server.get(&format!("{path}/outline?from=18446744073709551615"))), 0);

    // Without the tasks, the files are told by the patch that the record ends with.
    let files = server.get(&format!("{path}/files?step=3")).body;
    for words in
        ["after step 3", "--sources DIR", "<span class=\"removed\">−old", "<span class=\"added\">+new", "+++ b/x.py"]
    {
        assert!(files.contains(words), "{words}\n{files}");
    }
}

#[test]
fn a_stream_tells_what_is_new_and_what_was_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("live.jsonl");
    write_trajectory(&file, &[trajectory_line(0, "market"), trajectory_line(1, "one")]);
    let server = Server::start(&[folder.path()]);
    let page = server.link("/rollouts", "/rollouts/");
    let topic = server.link(&page, "/t/").replace("/t/", "t-");

    let mut stream = server.stream(&format!("/live?topic={topic}&after=0"), &[]);
    assert_eq!(stream.event(), ("change".to_owned(), 2));
    let mut open = fs::OpenOptions::new().append(true).open(&file).expect("it is there");
    writeln!(open, "{}", trajectory_line(1, "two")).expect("written");
    assert_eq!(stream.event(), ("change".to_owned(), 3));
    drop(stream);
    // What came while nobody listened is told at once; what the browser says last counts more than the address.
    for (after, last, expected) in [
        ("1", None, ("change", 3)),
        ("3", Some("2"), ("change", 3)),
        ("99", None, ("gap", 3)),
        ("0", Some("7"), ("gap", 3)),
    ] {
        let header = last.map(|last| format!("Last-Event-ID: {last}"));
        let headers: Vec<&str> = header.as_deref().into_iter().collect();
        let mut stream = server.stream(&format!("/live?topic={topic}&after={after}"), &headers);
        assert_eq!(stream.event(), (expected.0.to_owned(), expected.1), "{after} {last:?}");
    }
    for (topic, status) in [("", 400), ("t-", 404), ("nothing", 404), ("t-../../x", 404)] {
        let answer = server.get(&format!("/live?topic={topic}"));
        assert_eq!((answer.status, answer.header("content-type")), (status, Some("application/json")), "{topic}");
        assert!(answer.body.contains("\"field\":\"topic\"") && answer.body.contains("folder-ID"), "{}", answer.body);
    }
}

#[test]
fn a_crowd_of_connections_is_bounded_and_passes() {
    let server = Server::start(&[]);
    let mut crowd: Vec<TcpStream> = Vec::new();
    for _ in 0..400 {
        if let Ok(stream) = TcpStream::connect(("127.0.0.1", server.port())) {
            crowd.push(stream);
        }
    }
    // Those beyond the limit are told so; the others are waited for.
    let last = crowd.last_mut().expect("a connection");
    last.set_read_timeout(Some(PATIENCE)).expect("set");
    let mut said = [0; 12];
    last.read_exact(&mut said).expect("an answer");
    assert_eq!(&said, b"HTTP/1.1 503");
    drop(crowd);
    let patient = std::time::Instant::now();
    while server.try_get("/").is_none_or(|answer| answer.status != 200) {
        assert!(patient.elapsed() < PATIENCE, "the server does not come back");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn headers_that_never_end_end() {
    let server = Server::start(&[]);
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("set");
    stream.write_all(b"GET / HTTP/1.1\r\nHost: loc").expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("the server ends it");
    assert!(!String::from_utf8_lossy(&answer).contains("200 OK"));
    assert_eq!(server.get("/").status, 200);
}

#[test]
fn read_only_offers_nothing_that_changes_anything() {
    let folder = tempfile::tempdir().expect("a folder");
    let session = folder.path().join("session");
    fixture::session_folder(&session, "an idea");
    let _running = fixture::run_session(&session);
    for is_read_only in [false, true] {
        let server = Server::start_with(&[folder.path()], |settings| settings.read_only = is_read_only);
        let path = server.link("/refine", "/refine/");
        let page = server.get(&path);
        assert_eq!(page.body.contains("method=\"post\""), !is_read_only, "{}", page.body);
        let form = page.between("name=\"form\" value=\"", "\"").unwrap_or_default().to_owned();
        let origin = format!("Origin: http://localhost:{}", server.port());
        let wrong = server.post(&format!("{path}/stop"), "form=wrong", &[&origin]);
        assert_eq!(wrong.status, 403);
        assert!(!session.join("stop").exists());
        let asked = server.post(&format!("{path}/stop"), &format!("form={form}"), &[&origin]);
        assert_eq!(
            (asked.status, session.join("stop").exists()),
            if is_read_only { (403, false) } else { (303, true) }
        );
        let _ = fs::remove_file(session.join("stop"));
    }
}

#[test]
fn an_export_has_the_same_pages_and_no_dead_links() {
    let folder = tempfile::tempdir().expect("a folder");
    rollout_folder(&folder.path().join("results/bugs"), 2);
    fixture::batch_folder(&folder.path().join("results/verdicts"), &evil());
    fixture::session_folder(&folder.path().join("results/session"), &evil());
    // Two more trajectories than there are places for, one with a long name, and a report that is none.
    let many = folder.path().join("results/many");
    for number in 0..498 {
        write_trajectory(&many.join(format!("t{number}.jsonl")), &[trajectory_line(0, "x")]);
    }
    write_trajectory(&many.join(format!("{}.jsonl", "n".repeat(236))), &[trajectory_line(0, "a long name")]);
    fs::create_dir(folder.path().join("results/damaged")).expect("made");
    fs::write(folder.path().join("results/damaged/run.json"), "{\"series\":1}").expect("written");
    let site = folder.path().join("site");
    let sources = fixture::sources(&[&folder.path().join("results")], &folder.path().join("cache"));
    let exported = assay_server::export(sources, &site).expect("it is written");
    assert!(exported.pages >= 500 && exported.left_out == 3, "{exported:?}");
    let mut texts = String::new();
    for entry in fs::read_dir(&site).expect("a folder") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("text");
        for part in text.split("href=\"").skip(1) {
            let link = part.split('"').next().unwrap_or_default();
            let file = link.split('#').next().unwrap_or_default();
            let is_there = file.is_empty() || file == "data:," || site.join(file).is_file();
            assert!(is_there, "{}: {link}", path.display());
        }
        assert!(!text.contains("<script"), "{}", path.display());
        texts.push_str(&text);
    }
    for words in ["a long name", "It cannot be read", "results/damaged/run.json"] {
        assert!(texts.contains(words), "{words}");
    }
}

#[test]
fn a_damaged_report_is_named_and_nobody_else_blamed() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(&[folder.path()]);
    fs::create_dir(folder.path().join("broken")).expect("made");
    let path = folder.path().join("broken/run.json");
    fs::write(&path, "{").expect("written");
    let patient = std::time::Instant::now();
    // What was seen a moment ago counts for a second.
    while !server.get("/runs").body.contains("broken") {
        assert!(patient.elapsed() < PATIENCE, "the folder is not seen");
        std::thread::sleep(Duration::from_millis(20));
    }
    let page = server.link("/runs", "/runs/");
    let long = format!("{{\"{}\":1}}", "y".repeat(500));
    let markets = "{\"schema\":{\"name\":\"assay.runs\",\"version\":\"1.0\"}}";
    for (text, expected) in
        [("", "EOF"), ("[[[[", "damaged"), (&long, "expected one of"), (markets, "schema assay.runs")]
    {
        fs::write(&path, text).expect("written");
        let answer = server.get(&page);
        assert_eq!(answer.status, 422, "{text}\n{}", answer.body);
        for words in ["broken/run.json", expected] {
            assert!(answer.body.contains(words), "{text}: {words}\n{}", answer.body);
        }
        assert!(!answer.body.contains("fault of Assay"), "{text}\n{}", answer.body);
    }
}

#[test]
fn a_folder_that_becomes_a_link_leads_nowhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let (inside, outside) = (folder.path().join("root/way/results"), folder.path().join("outside/results"));
    write_trajectory(&inside.join("t.jsonl"), &[trajectory_line(0, "ours")]);
    write_trajectory(&outside.join("t.jsonl"), &[trajectory_line(0, "hunter2")]);
    let server = Server::start(&[&folder.path().join("root")]);
    let list = server.link("/rollouts", "/rollouts/");
    let page = server.link(&list, "/t/");
    assert!(server.get(&page).body.contains("ours"));
    fs::rename(folder.path().join("root/way"), folder.path().join("root/.way")).expect("renamed");
    std::os::unix::fs::symlink(folder.path().join("outside"), folder.path().join("root/way")).expect("a link");
    for path in [list, page] {
        let answer = server.get(&path);
        assert!((400..500).contains(&answer.status) && !answer.body.contains("hunter2"), "{path}\n{}", answer.body);
    }
}

#[test]
fn whoever_is_refused_keeps_no_place() {
    let server = Server::start(&[]);
    let host = format!("localhost:{}", server.port());
    for (headers, expected) in [(String::new(), true), (format!("Cookie: {}\r\n", server.cookie()), false)] {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port())).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("set");
        stream.write_all(format!("GET / HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n").as_bytes()).expect("sent");
        let mut head = String::new();
        let mut lines = std::io::BufRead::lines(std::io::BufReader::new(stream));
        while let Some(line) = lines.next().transpose().expect("an answer").filter(|line| !line.is_empty()) {
            head.push_str(&line.to_ascii_lowercase());
            head.push('\n');
        }
        assert_eq!(head.contains("connection: close"), expected, "{head}");
    }
}

#[test]
fn what_cannot_begin_says_why() {
    let free = |settings: &mut assay_server::Settings| settings.port = 0;
    let busy = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = busy.local_addr().expect("bound").port();
    for (change, expected) in [
        (&mut (|settings: &mut assay_server::Settings| settings.port = port) as &mut dyn FnMut(&mut _), "is in use"),
        (
            &mut |settings: &mut assay_server::Settings| {
                free(settings);
                settings.address = [0, 0, 0, 0].into();
            },
            "needs a host name and a token file",
        ),
        (
            &mut |settings: &mut assay_server::Settings| {
                free(settings);
                settings.sources.folders.push("/nowhere/at/all".into());
            },
            "failed to use the folder",
        ),
    ] {
        let error = fixture::refused(change);
        assert!(error.contains(expected), "{error}");
    }
}
