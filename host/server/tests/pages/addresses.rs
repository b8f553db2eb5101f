//! What the addresses of pages ask for: what a page does not understand is left out, the page says so, and no page links to such an address.

use crate::fixture::{Server, check_is_inert, rollout_folder};
use crate::{start, stored};

/// How every notice begins, up to what was left out.
const NOTICE: &str = "<p class=\"notice\"><code>";
const LEFT_OUT: &str = " was not understood and is left out: ";

#[test]
fn what_a_page_does_not_understand_is_left_out_and_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let (stored, change) = stored::everything(folder.path());
    rollout_folder(&folder.path().join("results/bugs"), 2);
    let server = Server::start_with(&[&folder.path().join("results")], change);
    let rollout = server.link("/rollouts", "/rollouts/");
    let trajectory = server.link(&rollout, "/t/");
    let world = server.link("/worlds", "/worlds/");
    let (run, other) = (stored.a, stored.b);
    let none = "no such parameter; there are none";
    for (path, told, why) in [
        ("/runs?kind=nope".to_owned(), "kind=nope", "use one of run, gate, rollout, refine"),
        ("/runs?status=complete".to_owned(), "status=complete", "use one of pending, running, completed"),
        ("/runs?page=0".to_owned(), "page=0", "use 1 or more"),
        ("/runs?page=abc".to_owned(), "page=abc", "it is not a number"),
        ("/runs?page=-1".to_owned(), "page=-1", "it is not a number"),
        ("/runs?page=4294967296".to_owned(), "page=4294967296", "use 4294967295 or less"),
        ("/runs?kind=run&kind=gate".to_owned(), "kind=gate", "it may be there only once"),
        (
            "/runs?Kind=run".to_owned(),
            "Kind=run",
            "no such parameter; there are kind, status, scenario, strategy, page",
        ),
        (format!("/runs/{run}?from=x"), "from=x", "it is not a number"),
        (format!("/runs/{run}?from=5"), "from=5", "a window has a `from` and a later `to`"),
        (format!("/compare?a={run}&b={other}&seed=x"), "seed=x", "it is not a number"),
        (format!("/compare?a={run}&page=0"), "page=0", "use 1 or more"),
        ("/board/spring?season=x".to_owned(), "season=x", "it is not a number"),
        (format!("{rollout}?state=nope"), "state=nope", none),
        (format!("{world}?state=nope"), "state=nope", none),
        (format!("{trajectory}?form=7"), "form=7", "no such parameter; there are from, q"),
        (format!("{trajectory}/outline?only=beauty"), "only=beauty", "use one of step, tool, tests, error, score"),
        (format!("{trajectory}/files?step=last"), "step=last", "it is not a number"),
        (format!("{trajectory}/record/0?from=1"), "from=1", "no such parameter; there are all, part"),
        ("/?x=1".to_owned(), "x=1", none),
        ("/gate?kind=run".to_owned(), "kind=run", none),
        ("/doctor?x".to_owned(), "x=", none),
    ] {
        let page = server.get(&path);
        assert_eq!(page.status, 200, "{path}\n{}", page.body);
        let notice = format!("{NOTICE}{told}</code>{LEFT_OUT}{why}");
        assert!(page.body.contains(&notice), "{path}: {notice}\n{}", page.body);
        assert_eq!(page.body.matches(LEFT_OUT).count(), 1, "{path}\n{}", page.body);
    }
    let no_window = server.get(&format!("/runs/{run}?from=9&to=3")).body;
    assert_eq!(no_window.matches("a window has a `from` and a later `to`").count(), 2, "{no_window}");
    // Written anew, each quote has three bytes: the address would be longer than one may be.
    let long = server.get(&format!("/runs?x=1&scenario={}", "'".repeat(22_000)));
    assert!(long.status == 200 && long.body.contains("the address is too long"), "{}", long.body);
    // What is understood counts, and what is empty asks for nothing.
    let listed = server.get("/runs?kind=rollout&page=abc&status=&strategy=");
    let is_one = listed.body.contains(">1 run</p>") && listed.body.contains("value=\"rollout\" selected");
    assert!(is_one && listed.body.matches(LEFT_OUT).count() == 1, "{}", listed.body);
    // A page that says why there is no other says this, too; a part of a page has no place for it.
    let missing = server.get("/rollouts/0000000000000000?x=1");
    assert!(missing.status == 404 && missing.body.contains(LEFT_OUT), "{}", missing.body);
    let rows = server.get(&format!("{trajectory}/rows?from=x"));
    assert!(rows.status == 200 && !rows.body.contains(LEFT_OUT), "{}", rows.body);
    let evil = server.get("/runs?%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E%E2%80%AE%00=%3Cimg%20src%3Dx%3E");
    assert!(evil.body.contains(LEFT_OUT), "{}", evil.body);
    check_is_inert("/runs", &evil);
    let many: Vec<String> = (0..50).map(|number| format!("x{number}=1")).collect();
    let many = server.get(&format!("/runs?{}", many.join("&"))).body;
    assert!(many.matches(LEFT_OUT).count() == 10 && many.contains("40 more parameters were left out."), "{many}");
}

#[test]
fn no_page_links_to_what_is_not_understood() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, change) = stored::everything(folder.path());
    let results = folder.path().join("results");
    rollout_folder(&results.join("bugs"), 3);
    let brought = start::work(folder.path());
    let server = Server::start_with(&[&results], |settings| {
        change(settings);
        settings.work = Some(brought);
    });
    start::fill(&server);
    let pages = server.crawl();
    let asked = pages.iter().filter(|(path, _)| path.contains('?'));
    assert!(asked.count() > 10, "{:?}", pages.keys());
    for (path, page) in &pages {
        assert!(!page.body.contains(LEFT_OUT), "{path}\n{}", page.body);
    }
}
