//! State that forks, steps, faults and users, against naive models and cases.

use std::collections::BTreeMap;
use std::sync::Arc;

use assay_model::{Nanos, Seed, Time};
use assay_world::changes::fits;
use assay_world::{
    Body, BuiltIn, Caller, Documents, Fault, Letter, Profile, Reach, Single, State, Step, Tool, ToolSpec, Tools,
    UserSpec, World, draw, fault_of,
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn steps(text: &str) -> Vec<Step> {
    #[derive(serde::Deserialize)]
    struct File {
        steps: Vec<Step>,
    }
    toml::from_str::<File>(text).expect("the steps are valid").steps
}

fn world(tools: Vec<Tool>, singles: Vec<Single>) -> World {
    let mut state = State::new(Time(1_000_000_000_000), Seed(5));
    state.documents.put("orders", "O-1", json!({ "status": "pending", "cents": 100 })).expect("a document");
    let tools: Tools = tools.into_iter().map(|tool| (tool.spec.name.clone(), tool)).collect();
    World::new(Arc::new(tools), state, Seed(5), Profile::None, singles.into())
}

fn tool(name: &str, text: &str) -> Tool {
    let steps = steps(text);
    let spec = ToolSpec {
        name: name.to_owned(),
        parameters: json!({ "type": "object", "properties": { "id": { "type": "string" } } }),
        is_write: steps.iter().any(Step::is_write),
        ..ToolSpec::default()
    };
    Tool::new(spec, Body::Rules { steps, answer: json!("done") }).expect("a tool")
}

#[derive(Clone, Debug)]
enum Change {
    Put(u8, i64),
    Remove(u8),
    Fork(u8),
}

fn changes() -> impl Strategy<Value = Vec<(u8, Change)>> {
    let one = prop_oneof![
        (0..8_u8, 0..4_i64).prop_map(|(id, value)| Change::Put(id, value)),
        (0..8_u8).prop_map(Change::Remove),
        (0..4_u8).prop_map(Change::Fork),
    ];
    prop::collection::vec((0..4_u8, one), 0..60)
}

proptest! {
    /// Four documents' worlds that are forked from one another at will behave like four maps that are copied; digests are equal exactly where contents are.
    #[test]
    fn forks_are_independent(changes in changes()) {
        let mut ours = vec![Documents::default(); 4];
        let mut naive = vec![BTreeMap::<String, Value>::new(); 4];
        for (side, change) in changes {
            let side = usize::from(side);
            match change {
                Change::Put(id, value) => {
                    let document = json!({ "value": value });
                    ours[side].put("c", &id.to_string(), document.clone()).expect("within limits");
                    naive[side].insert(id.to_string(), document);
                }
                Change::Remove(id) => {
                    let was_there = naive[side].remove(&id.to_string()).is_some();
                    prop_assert_eq!(ours[side].remove("c", &id.to_string()), was_there);
                }
                Change::Fork(from) => {
                    ours[side] = ours[usize::from(from)].clone();
                    naive[side] = naive[usize::from(from)].clone();
                }
            }
            for (ours, naive) in ours.iter().zip(&naive) {
                let listed: BTreeMap<String, Value> = ours.list("c").map(|(id, v)| (id.to_owned(), v.clone())).collect();
                prop_assert_eq!(&listed, naive);
                prop_assert_eq!(ours.len(), naive.len());
            }
            for one in 0..4 {
                for other in 0..4 {
                    let same = ours[one].digest() == ours[other].digest();
                    prop_assert_eq!(same, naive[one] == naive[other]);
                    let (mut left, mut right) = (BTreeMap::new(), BTreeMap::new());
                    ours[one].differing(&ours[other], &mut left, &mut right);
                    prop_assert_eq!(left == right, same);
                }
            }
        }
    }

    /// Whole numbers have one spelling and keys no order.
    #[test]
    fn equal_values_have_one_digest(number in -1_000_000_i64..1_000_000) {
        let mut one = Documents::default();
        let mut other = Documents::default();
        one.put("c", "d", json!({ "a": number, "b": [1] })).expect("a document");
        other.put("c", "d", json!({ "b": [1.0], "a": number as f64 })).expect("a document");
        prop_assert_eq!(one.digest(), other.digest());
    }
}

#[test]
fn a_call_does_everything_or_nothing() {
    let half = tool(
        "half",
        "steps = [{ set = \"orders\", id = \"O-1\", path = \"status\", value = \"x\" }, { fail = \"no\" }]",
    );
    let mut world = world(vec![half], Vec::new());
    let before = world.state().documents.digest();
    let called = world.call(Caller::Agent, "half", "{}");
    assert_eq!(called.text, r#"{"error":{"type":"refused","message":"no"}}"#);
    assert_eq!(world.state().documents.digest(), before);
}

#[test]
fn faults_say_what_they_say_and_do_what_they_do() {
    let add = || tool("add", "steps = [{ add = \"orders\", id = \"O-1\", path = \"cents\", value = 1 }]");
    for (fault, text, added) in [
        (Fault::RateLimit, "429", 0),
        (Fault::ServerError, "503", 0),
        (Fault::TimeoutBefore, "timed out", 0),
        (Fault::TimeoutAfter, "timed out", 1),
        (Fault::Malformed, "502", 1),
        (Fault::Truncated, "…", 1),
        (Fault::Duplicate, "done", 2),
    ] {
        let mut world = world(vec![add()], vec![Single::new("add", 1, fault)]);
        let called = world.call(Caller::Agent, "add", "{}").clone();
        assert!(called.text.contains(text), "{fault:?}: {}", called.text);
        assert_eq!(called.was_done, added > 0, "{fault:?}");
        let document = world.state().documents.get("orders", "O-1").expect("there");
        assert_eq!(document["cents"], 100 + added, "{fault:?}");
    }
}

#[test]
fn a_rate_limit_lasts_until_its_time_and_stale_reads_show_the_past() {
    let add = tool("add", "steps = [{ add = \"orders\", id = \"O-1\", path = \"cents\", value = 1 }]");
    let singles = [("add", 1, Fault::RateLimit), ("read", 1, Fault::StaleRead)];
    let singles = singles.map(|(tool, call, fault)| Single::new(tool, call, fault)).to_vec();
    let steps = steps("steps = [{ get = \"orders\", id = \"O-1\", as = \"order\" }]");
    let spec = ToolSpec { name: "read".to_owned(), ..ToolSpec::default() };
    let read = Tool::new(spec, Body::Rules { steps, answer: json!("$order.cents") }).expect("a tool");
    let mut world = world(vec![add, read], singles);
    let until = world.call(Caller::Agent, "add", "{}").not_before.expect("a limit");
    assert!(world.call(Caller::Agent, "add", "{}").result.is_err(), "too soon");
    world.pass_to(until + Nanos(1));
    assert!(world.call(Caller::Agent, "add", "{}").result.is_ok());
    assert_eq!(world.call(Caller::Agent, "read", "{}").text, "100");
    assert_eq!(world.call(Caller::Agent, "read", "{}").text, "101");
}

#[test]
fn chance_is_keyed_by_place_and_lets_nobody_fail_for_ever() {
    let at = |seed: u64, n: u64| fault_of(Profile::Rough, &[], Seed(seed), ("tool", true, false), n);
    let all: Vec<_> = (1..=2_000).map(|n| at(9, n)).collect();
    assert_eq!(all, (1..=2_000).map(|n| at(9, n)).collect::<Vec<_>>());
    assert!(all.windows(4).all(|four| four.iter().any(Option::is_none)), "four in a row");
    let failed = all.iter().filter(|fault| fault.is_some()).count();
    assert!((300..700).contains(&failed), "{failed}");
    for never in [Fault::StaleRead, Fault::Duplicate, Fault::PartialWrite] {
        assert!(!all.contains(&Some(never)), "{never:?}");
    }
    for sometimes in [Fault::DroppedConnection, Fault::ConcurrentWriter, Fault::SchemaDrift, Fault::SlowDays] {
        assert!(all.contains(&Some(sometimes)), "{sometimes:?}");
    }
    let light = |n: u64| fault_of(Profile::Light, &[], Seed(9), ("tool", true, false), n);
    let light: Vec<_> = (1..=2_000).filter_map(light).collect();
    assert!(light.iter().all(|fault| matches!(fault, Fault::RateLimit | Fault::ServerError)));
}

/// What `rough` drew before there were more kinds is drawn still: the old rule, written out.
#[test]
fn more_kinds_move_no_draw() {
    let old = [
        Fault::RateLimit,
        Fault::ServerError,
        Fault::TimeoutBefore,
        Fault::TimeoutAfter,
        Fault::Malformed,
        Fault::Truncated,
        Fault::StaleRead,
        Fault::Duplicate,
    ];
    for (seed, name, is_write, is_idempotent) in
        [(1, "get_order", false, true), (2, "add", true, false), (3, "cancel_order", true, true)]
    {
        let suited: Vec<Fault> = old.into_iter().filter(|fault| fault.suits(is_write, is_idempotent)).collect();
        let drawn = |n: u64| {
            let mut stream = draw(Seed(seed), &format!("fault {name}"), n);
            (stream.below(1_000) < 250).then(|| suited[stream.below(suited.len() as u64) as usize])
        };
        for n in 1..=500 {
            let expected = drawn(n).filter(|_| n < 4 || (1..=3).any(|back| drawn(n - back).is_none()));
            let found = fault_of(Profile::Rough, &[], Seed(seed), (name, is_write, is_idempotent), n);
            assert_eq!(found.filter(|fault| old.contains(fault)), expected, "{name} {n}");
        }
    }
}

#[test]
fn a_partial_write_does_the_first_steps_and_says_no_more_than_it_knows() {
    let tool = || {
        tool(
            "ship",
            "steps = [
                { add = \"orders\", id = \"O-1\", path = \"cents\", value = 1 },
                { get = \"orders\", id = \"O-1\", as = \"order\" },
                { add = \"orders\", id = \"O-1\", path = \"cents\", value = 10 },
                { add = \"orders\", id = \"O-1\", path = \"cents\", value = 100 },
            ]",
        )
    };
    assert_eq!(tool().parts(), 3);
    let single = || vec![Single::new("ship", 1, Fault::PartialWrite)];
    let mut world = world(vec![tool()], single());
    let called = world.call(Caller::Agent, "ship", "{}").clone();
    assert!(!called.was_done && called.result.is_err(), "{}", called.text);
    assert!(["broke off", "connection was lost"].iter().any(|words| called.text.contains(words)), "{}", called.text);
    let cents = world.state().documents.get("orders", "O-1").expect("there")["cents"].clone();
    assert!([json!(101), json!(111)].contains(&cents), "{cents}");
    // What refuses does nothing, in part neither.
    let refusing =
        "steps = [{ fail = \"no\" }, { remove = \"orders\", id = \"O-1\" }, { write = \"f\", value = \"x\" }]";
    let mut world = self::world(vec![self::tool("ship", refusing)], single());
    assert!(world.call(Caller::Agent, "ship", "{}").text.contains("\"no\""));
    assert!(world.state().documents.get("orders", "O-1").is_some());
}

#[test]
fn somebody_else_writes_first_or_the_call_is_refused() {
    let set = || tool("set", "steps = [{ set = \"orders\", id = \"O-1\", path = \"status\", value = \"ours\" }]");
    let mut alone = world(vec![set()], vec![Single::new("set", 1, Fault::ConcurrentWriter)]);
    let before = alone.state().documents.digest();
    assert!(alone.call(Caller::Agent, "set", "{}").text.contains("\"type\":\"conflict\""));
    assert_eq!(alone.state().documents.digest(), before);
    assert!(alone.call(Caller::Agent, "set", "{}").result.is_ok());

    let theirs = "steps = [{ set = \"orders\", id = \"O-1\", path = \"status\", value = \"theirs\" }, { add = \"orders\", id = \"O-1\", path = \"cents\", value = 7 }]";
    let single = Single { steps: steps(theirs), ..Single::new("set", 1, Fault::ConcurrentWriter) };
    let mut crowded = world(vec![set()], vec![single]);
    assert!(crowded.call(Caller::Agent, "set", "{}").was_done);
    assert_eq!(
        crowded.state().documents.get("orders", "O-1"),
        Some(&json!({ "status": "ours", "cents": 107 })),
        "what they wrote to the same field is lost, and nothing else"
    );
    assert_eq!(crowded.happened()[0].source, "somebody else");
}

#[test]
fn a_changed_interface_stays_changed() {
    let add = tool("add", "steps = [{ add = \"orders\", id = \"O-1\", path = \"cents\", value = 1 }]");
    let mut world = world(vec![add], vec![Single::new("add", 2, Fault::SchemaDrift)]);
    for (arguments, expected) in [
        ("{}", "done"),
        ("{}", "\"required\":{\"api_version\":\"2\"}"),
        ("{\"id\":\"x\"}", "interface_changed"),
        ("{\"api_version\":2}", "interface_changed"),
        ("{\"api_version\":\"2\",\"id\":\"x\"}", "done"),
        ("{\"api_version\":\"2\",\"id\":7}", "/id: "),
    ] {
        let text = world.call(Caller::Agent, "add", arguments).text.clone();
        assert!(text.contains(expected), "{arguments}: {text}");
    }
    assert_eq!(world.state().documents.get("orders", "O-1").expect("there")["cents"], 102);
    assert!(world.call(Caller::Operator, "add", "{}").result.is_err(), "not theirs to call");
}

#[test]
fn a_field_of_an_answer_has_another_name_or_an_argument_is_wanted() {
    let mut seen = std::collections::BTreeSet::new();
    for seed in 1..=20 {
        let steps = steps("steps = [{ get = \"orders\", id = \"O-1\", as = \"order\" }]");
        let spec = ToolSpec { name: "read".to_owned(), ..ToolSpec::default() };
        let read = Tool::new(spec, Body::Rules { steps, answer: json!({ "order_status": "$order.status" }) });
        let tools: Tools = [("read".to_owned(), read.expect("a tool"))].into_iter().collect();
        let mut state = State::new(Time(0), Seed(seed));
        state.documents.put("orders", "O-1", json!({ "status": "pending" })).expect("a document");
        let singles = [Single::new("read", 1, Fault::SchemaDrift)];
        let mut world = World::new(Arc::new(tools), state, Seed(seed), Profile::None, singles.into());
        let text = world.call(Caller::Agent, "read", "{}").text.clone();
        let again = world.call(Caller::Agent, "read", "{}").text.clone();
        assert_eq!(text, again);
        seen.insert(if text == "{\"orderStatus\":\"pending\"}" { "field" } else { "argument" });
        assert!(text.contains("orderStatus") || text.contains("api_version"), "{text}");
    }
    assert_eq!(seen.len(), 2);
}

#[test]
fn a_slow_service_takes_a_hundred_times_as_long_for_a_day() {
    let read = tool("read", "steps = [{ get = \"orders\", id = \"O-1\", as = \"order\" }]");
    let mut world = world(vec![read], vec![Single::new("read", 2, Fault::SlowDays)]);
    let latency = |world: &mut World| world.call(Caller::Agent, "read", "{}").latency;
    assert_eq!(latency(&mut world), Nanos(300_000_000));
    assert_eq!(latency(&mut world), Nanos::from_secs(30));
    assert_eq!(latency(&mut world), Nanos::from_secs(30));
    assert!(world.happened()[0].notify.as_deref().expect("a notice").contains("slow today"));
    world.pass(Nanos::from_secs(24 * 3_600));
    assert_eq!(latency(&mut world), Nanos(300_000_000));
}

/// Whether it was done is drawn, and the caller cannot tell.
#[test]
fn a_dropped_connection_hides_what_was_done() {
    let mut seen = BTreeMap::new();
    for seed in 1..=20 {
        let add = tool("add", "steps = [{ add = \"orders\", id = \"O-1\", path = \"cents\", value = 1 }]");
        let mut state = State::new(Time(0), Seed(seed));
        state.documents.put("orders", "O-1", json!({ "cents": 0 })).expect("a document");
        let tools: Tools = [("add".to_owned(), add)].into_iter().collect();
        let singles = [Single::new("add", 1, Fault::DroppedConnection)];
        let mut world = World::new(Arc::new(tools), state, Seed(seed), Profile::None, singles.into());
        let called = world.call(Caller::Agent, "add", "{}").clone();
        let cents = world.state().documents.get("orders", "O-1").expect("there")["cents"].clone();
        assert_eq!(cents, u64::from(called.was_done));
        seen.insert(called.was_done, called.text);
    }
    assert_eq!(seen.get(&true), seen.get(&false));
    assert!(seen[&true].contains("\"type\":\"connection\""), "{seen:?}");
}

#[test]
fn events_happen_in_their_order_and_only_when_time_passes() {
    let plan = tool(
        "plan",
        "steps = [
            { later = 20, steps = [{ set = \"orders\", id = \"O-1\", path = \"status\", value = \"second\" }], notify = \"2 of {id}\" },
            { later = 10, steps = [{ set = \"orders\", id = \"O-1\", path = \"status\", value = \"first\" }], notify = \"1\" },
            { later = 10, steps = [{ fail = \"never\" }], notify = \"lost\" },
        ]",
    );
    let mut world = world(vec![plan], Vec::new());
    world.call(Caller::Agent, "plan", "{\"id\": \"x\"}");
    let status = |world: &World| world.state().documents.get("orders", "O-1").expect("there")["status"].clone();
    let mut later = world.clone();
    later.pass(Nanos::from_secs(15));
    assert_eq!((status(&world), status(&later)), (json!("pending"), json!("first")));
    later.pass(Nanos::from_secs(15));
    assert_eq!(status(&later), json!("second"));
    let told: Vec<_> =
        later.happened().iter().map(|event| (event.notify.as_deref(), event.failed.as_deref())).collect();
    assert_eq!(told, [(Some("1"), None), (None, Some("step 1 (fail): never")), (Some("2 of x"), None)]);
}

#[test]
fn new_ids_depend_on_what_they_are_of_and_not_on_the_order() {
    let mut one = State::new(Time(0), Seed(1));
    let mut other = one.fork();
    let (a, b) = (one.new_id("R-", "a"), one.new_id("R-", "b"));
    assert_eq!((other.new_id("R-", "b"), other.new_id("R-", "a")), (b, a.clone()));
    assert_ne!(one.new_id("R-", "a"), a);
}

#[test]
fn changes_name_leaves() {
    let mut before = State::new(Time(0), Seed(1));
    before.documents.put("c", "1", json!({ "a": { "b": [1, 2] }, "k/y": 1 })).expect("a document");
    let mut after = before.fork();
    after.documents.put("c", "1", json!({ "a": { "b": [1, 3] } })).expect("a document");
    let letter = |to: &str| Letter {
        from: "x".to_owned(),
        to: to.to_owned(),
        subject: String::new(),
        body: "hi".to_owned(),
        at: Time(9),
    };
    after.mail.send(letter("y")).expect("sent");
    after.files.put(b"notes.txt", b"hi".to_vec().into(), Time(0)).expect("written");
    let paths: Vec<String> =
        before.changes(&after).expect("comparable").iter().map(|change| change.path.clone()).collect();
    let mail = ["body", "from", "subject", "to"].map(|field| format!("mail/y/0/{field}"));
    let expected: Vec<String> = ["documents/c/1/a/b/1", "documents/c/1/k~1y", "files/notes.txt"]
        .map(str::to_owned)
        .into_iter()
        .chain(mail)
        .collect();
    assert_eq!(paths, expected);
    assert!(after.mail.send(letter("a/b")).is_err());
}

#[test]
fn patterns_fit_parts() {
    for (pattern, path, expected) in [
        ("documents/*/1/a", "documents/c/1/a", true),
        ("documents/*/1/a", "documents/c/d/1/a", false),
        ("mail/**", "mail/y/0/body", true),
        ("mail/*/*/body", "mail/y/0/subject", false),
        ("mail", "mail/y", false),
    ] {
        assert_eq!(fits(pattern, path), expected, "{pattern} {path}");
    }
}

#[test]
fn users_tell_what_they_are_asked_and_leave_when_it_takes_too_long() {
    let spec: UserSpec = toml::from_str(
        "goal = \"g\"\nopening = \"Hello.\"\npatience = 2\nfallback = [\"What?\"]\n[[slot]]\nname = \"code\"\nvalue = \"K-7\"\nasked_by = [\"your code\"]\nsay = \"It is {code}.\"\n",
    )
    .expect("a user");
    assert!(spec.leaks().is_empty(), "{:?}", spec.leaks());
    let mut user = assay_world::User::new(Arc::new(spec), Seed(1));
    assert_eq!(user.opening(), "Hello.");
    assert_eq!(user.hear("What is Your Code?", false), ("It is K-7.".to_owned(), None));
    assert_eq!(user.hear("Nice weather.", false), ("What?".to_owned(), None));
    assert_eq!(user.hear("Nice weather.", false).1, Some(assay_world::Gone::Impatient));
}

#[test]
fn every_built_in_tool_has_a_specification() {
    for kind in BuiltIn::ALL {
        let tool = Tool::built_in(*kind, Reach::default(), |_| {}).unwrap_or_else(|error| panic!("{kind:?}: {error}"));
        assert_eq!(tool.spec.chat()["function"]["name"], json!(kind));
    }
}
