//! Where a session is, as somebody who looks on is told; and logs of earlier versions, which are still read.

use assay_refine::core::bandit::by_operator;
use assay_refine::core::event::{Body, Event};
use assay_refine::core::progress::Progress;
use assay_refine::core::state::State;
use serde_json::{Value, json};

/// A session of two models with a judge, of three slots.
fn began() -> Value {
    let mut rules = serde_json::to_value(assay_refine::core::plan::Rules::default()).expect("JSON");
    rules["width"] = json!(3);
    json!({"what": "began", "plan": {
        "rules_version": 6, "assay": "0", "seed": 1, "goal": "balanced", "markets": [{"name": "calm", "hash": ""}],
        "strategy": "a.rs", "source_hash": "",
        "writer": {"kind": "model", "model": "one", "others": ["two"], "goal": "more", "prompts_hash": "", "judge_model": "judge"},
        "search": "evolve", "rules": rules, "budget": {"microdollars": null, "tokens": null, "minutes": null},
    }})
}

fn fold(bodies: &[Value]) -> State {
    let event = |(seq, body): (u64, &Value)| Event {
        seq,
        at_ms: 0,
        owner: 0,
        body: serde_json::from_value(body.clone()).unwrap_or_else(|error| panic!("{error}: {body}")),
    };
    let events: Vec<Event> = (1..).zip(bodies).map(event).collect();
    State::fold(&events).expect("it folds").expect("it begins")
}

/// What is said once all of these have happened.
fn check(bodies: &[Value], stages: &Value, waits: &str) {
    let progress = serde_json::to_value(Progress::of(&fold(bodies))).expect("JSON");
    assert_eq!((&progress["stages"], &progress["waits"]), (stages, &json!(waits)), "{:#?}", bodies.last());
}

#[test]
fn every_slot_has_a_stage_and_somebody_waits_for_something() {
    let mut bodies = vec![began()];
    let mut then = |new: &[Value], stages: Value, waits: &str| {
        bodies.extend_from_slice(new);
        check(&bodies, &stages, waits);
    };
    let written = |place: &str| json!({"what": "written", "candidate": place, "parent": null, "program": {"source": ""}, "idea": ""});
    let probed = |place: &str| json!({"what": "probed", "candidate": place, "print": place, "failure": null});
    let asked =
        |place: &str, attempt: u32| json!({"what": "asked", "candidate": place, "attempt": attempt, "model": 1});
    let answered = |place: &str, attempt: u32| json!({"what": "answered", "candidate": place, "attempt": attempt, "reply": "", "tokens": 5, "microdollars": 7});
    let scored = |place: &str, points: f64| json!({"what": "scored", "candidate": place, "from_block": 0, "points": [points, points]});
    then(&[], json!({"writing": 1}), "the origin waits to be written down");
    then(&[written("0.0")], json!({"executing": 1}), "1 candidate waits for the probe seeds");
    then(
        &[probed("0.0"), json!({"what": "closed", "generation": 0})],
        json!({"writing": 1, "waiting": 2}),
        "1.0 waits for what its writer is told",
    );
    then(&[asked("0.0", 1_000)], json!({"explaining": 1, "waiting": 2}), "1.0 waits for one (explaining)");
    then(
        &[answered("0.0", 1_000), asked("1.0", 0)],
        json!({"writing": 1, "waiting": 2}),
        "1.0 waits for two (writing)",
    );
    then(
        &[answered("1.0", 0), asked("1.0", 2_000)],
        json!({"writing": 1, "waiting": 2}),
        "1.0 waits for two (reviewing)",
    );
    then(&[answered("1.0", 2_000)], json!({"validating": 1, "waiting": 2}), "1.0 waits for its checks");
    then(
        &[written("1.0"), json!({"what": "unwritten", "candidate": "1.1", "why": "prose"})],
        json!({"waiting": 1, "writing": 1, "failed": 1}),
        "1.2 waits for what its writer is told",
    );
    then(&[written("1.2")], json!({"executing": 2, "failed": 1}), "2 candidates wait for the probe seeds");
    then(
        &[probed("1.0"), probed("1.2")],
        json!({"executing": 2, "failed": 1}),
        "3 candidates wait for search blocks 1 to 2",
    );
    then(
        &[scored("1.0", 5.0)],
        json!({"executing": 1, "aggregating": 1, "failed": 1}),
        "2 candidates wait for search blocks 1 to 2",
    );
    then(
        &[scored("1.2", 4.0), scored("0.0", 4.5)],
        json!({"executing": 1, "done": 1, "failed": 1}),
        "2 candidates wait for search blocks 3 to 6",
    );
    let more = |place: &str, from: u32, to: u32, points: f64| json!({"what": "scored", "candidate": place, "from_block": from, "points": vec![points; (to - from) as usize]});
    let race = [more("1.0", 2, 6, 5.0), more("0.0", 2, 6, 4.5), more("1.0", 6, 12, 5.0), more("0.0", 6, 12, 4.5)];
    then(
        &race,
        json!({"executing": 1, "done": 1, "failed": 1}),
        "1.0 and 0.0 wait for fresh blocks 1 to 16 of trial 1",
    );
    a_trial(bodies);
}

/// After a race: the leader meets the champion, and somebody gives an opinion.
fn a_trial(mut bodies: Vec<Value>) {
    let mut then = |new: &[Value], stages: Value, waits: &str| {
        bodies.extend_from_slice(new);
        check(&bodies, &stages, waits);
    };
    let compared =
        json!({"what": "compared", "trial": 1, "candidate": "1.0", "from_block": 0, "pairs": vec![(5.0, 4.5); 48]});
    let decided = json!({"what": "decided", "trial": 1, "candidate": "1.0", "promoted": true, "e_value": 40.0, "needed": 33.0, "blocks": 48});
    then(
        &[compared],
        json!({"executing": 1, "done": 1, "failed": 1}),
        "1.0 and 0.0 wait for 1024 fresh seeds together, which decide trial 1",
    );
    let found = json!({"seeds": 1_024, "challenger": 5.0, "champion": 4.5, "at_least": 0.3});
    let pooled = json!({"what": "pooled", "trial": 1, "candidate": "1.0", "found": found});
    then(&[pooled, decided], json!({"done": 2, "failed": 1}), "the verdict on trial 1 waits for judge (judging)");
    let verdict = json!({"score": 5.0, "comparison": "worse", "recommendation": "keep", "reasoning": ""});
    let judged =
        |agreed: bool| json!({"what": "judged", "trial": 1, "candidate": "1.0", "verdict": verdict, "agreed": agreed});
    then(&[judged(false)], json!({"done": 2, "failed": 1}), "nobody waits");
    what_the_judge_says_decides_nothing(&bodies, &[judged(true), judged(false)]);
}

fn with(event: &Value, at: &str, value: Value) -> Value {
    let mut event = event.clone();
    let (parent, key) = at.rsplit_once('/').expect("a path");
    event.pointer_mut(parent).expect("there")[key] = value;
    event
}

/// The last of these is its verdict; the wrong ones cannot follow what was before it, or it.
fn what_the_judge_says_decides_nothing(bodies: &[Value], wrong: &[Value; 2]) {
    let state = fold(bodies);
    assert_eq!((state.agreement(), state.champion().to_string()), ((1, 0), "1.0".to_owned()), "it decides nothing");
    let progress = Progress::of(&state);
    assert!(progress.proven.is_some_and(|lead| lead.blocks == 48 && (lead.mean - 0.5).abs() < 1e-9));
    // Nor can a log promote who has not won.
    let [before @ .., compared, pooled, decided, _] = bodies else { panic!("a trial comes first") };
    let few =
        json!({"what": "compared", "trial": 1, "candidate": "1.0", "from_block": 0, "pairs": vec![(5.0, 4.5); 16]});
    let behind = with(pooled, "/found/at_least", json!(-0.01));
    let vetoed = with(pooled, "/found/veto", json!("ruin"));
    let other = with(pooled, "/found/seeds", json!(8));
    for (so_far, next) in [
        (vec![few.clone()], decided),
        (vec![few], pooled),
        (vec![], pooled),
        (vec![compared.clone()], decided),
        (vec![compared.clone()], &other),
        (vec![compared.clone()], &with(pooled, "/found/challenger", json!(99))),
        (vec![compared.clone()], &with(pooled, "/found/at_least", json!(0.6))),
        (vec![compared.clone(), pooled.clone()], pooled),
        (vec![compared.clone(), behind], decided),
        (vec![compared.clone(), vetoed], decided),
    ] {
        let mut state = fold(&[before, &so_far].concat());
        let body = serde_json::from_value(next.clone()).expect("an event");
        assert!(state.apply(&Event { seq: state.seq() + 1, at_ms: 0, owner: 0, body }).is_err(), "{so_far:?} {next}");
    }
    // A log cannot say that a judge agreed with what was not decided, or that there are two verdicts.
    for (wrong, before) in wrong.iter().zip([&bodies[..bodies.len() - 1], bodies]) {
        let mut state = fold(before);
        let body = serde_json::from_value(wrong.clone()).expect("an event");
        assert!(state.apply(&Event { seq: state.seq() + 1, at_ms: 0, owner: 0, body }).is_err());
    }
}

/// Each node begins once and ends once; those that are open are shown, the innermost one last.
#[test]
fn nodes_begin_and_end_once() {
    let entered = |node: &str, candidate: &str| json!({"what": "entered", "node": node, "candidate": candidate});
    let left = |node: &str, candidate: &str| json!({"what": "left", "node": node, "candidate": candidate});
    let written = json!({"what": "written", "candidate": "0.0", "parent": null, "program": {"source": ""}, "idea": ""});
    let closed = json!({"what": "closed", "generation": 0});
    let probed = json!({"what": "probed", "candidate": "0.0", "print": "p", "failure": null});
    let first = [began(), entered("write", "0.0"), written, entered("execute", "0.0"), probed, closed];
    let asked = json!({"what": "entered", "node": "write", "candidate": "1.0", "operator": "simplify"});
    let inner = [asked, entered("feed_back", "1.0"), entered("explain", "0.0")];
    let check = |more: &[Value], expected: Result<&[&str], &str>| {
        let bodies = [&first[..], more].concat();
        let (last, before) = bodies.split_last().expect("events");
        let mut state = fold(before);
        let body = serde_json::from_value(last.clone()).expect("an event");
        let applied = state.apply(&Event { seq: state.seq() + 1, at_ms: 0, owner: 0, body });
        let nodes: Vec<&str> = state.open().iter().map(|visit| visit.node.word()).collect();
        assert_eq!(applied.as_ref().map(|()| &nodes[..]).map_err(|error| error.why), expected, "{last}");
    };
    let with = |more: &[Value]| [&inner[..], more].concat();
    check(&[], Ok(&[]));
    check(&inner, Ok(&["write", "feed back", "explain"]));
    check(&with(&[entered("explain", "0.0")]), Err("the node has begun already"));
    check(&with(&[left("validate", "1.0")]), Err("the node has not begun"));
    let explained = with(&[left("explain", "0.0")]);
    check(&explained, Ok(&["write", "feed back"]));
    check(&[&explained[..], &[entered("explain", "0.0")]].concat(), Err("the node has begun already"));
    let unwritten = json!({"what": "unwritten", "candidate": "1.0", "why": "prose"});
    check(&[&explained[..], &[left("feed_back", "1.0"), unwritten.clone()]].concat(), Ok(&[]));
    let state = fold(&[&first[..], &inner[..]].concat());
    let progress = serde_json::to_value(Progress::of(&state)).expect("JSON");
    assert_eq!(
        (&progress["stages"], progress["nodes"].as_array().map(Vec::len)),
        (&json!({"explaining": 1, "waiting": 2}), Some(3))
    );
    let simplified = by_operator(&fold(&[&first[..], &with(&[unwritten])].concat()), u32::MAX);
    assert_eq!(
        simplified.iter().map(|arm| arm.name.as_str()).collect::<Vec<_>>(),
        ["simplify"],
        "what was asked for is known"
    );
}

/// What version 3 wrote, line by line, is read, and would be written again as it was.
#[test]
fn logs_of_version_3_are_read() {
    let log = r#"{"seq":1,"at_ms":0,"owner":1,"body":{"what":"began","plan":{"rules_version":3,"assay":"0.1.0","seed":1,"goal":"balanced","markets":[{"name":"calm","hash":"x"}],"family":[],"strategy":"a.rs","source_hash":"x","writer":{"kind":"model","model":"scripted:a","goal":"more","prompts_hash":"x","explain_model":"scripted:b"},"search":"evolve","rules":{"generations":12,"width":1,"block_seeds":8,"probe_seeds":4,"rungs":[2,6,12],"keep_one_in":3,"trial_blocks":160,"batch_blocks":8,"trials_max":100,"sealed_blocks":48,"family_blocks":16,"alpha":0.05,"bet_max":0.9,"plateau":3,"target":8.0},"budget":{"microdollars":null,"tokens":null,"minutes":null}}}}
{"seq":2,"at_ms":1,"owner":1,"body":{"what":"written","candidate":"0.0","parent":null,"program":{"source":"x"},"idea":"what it began with"}}
{"seq":3,"at_ms":2,"owner":1,"body":{"what":"probed","candidate":"0.0","print":"p","failure":null}}
{"seq":4,"at_ms":2,"owner":1,"body":{"what":"closed","generation":0}}
{"seq":5,"at_ms":3,"owner":1,"body":{"what":"asked","candidate":"0.0","attempt":1000}}
{"seq":6,"at_ms":3,"owner":1,"body":{"what":"answered","candidate":"0.0","attempt":1000,"reply":"r","tokens":10,"microdollars":2}}
{"seq":7,"at_ms":3,"owner":1,"body":{"what":"asked","candidate":"1.0","attempt":0}}
{"seq":8,"at_ms":4,"owner":1,"body":{"what":"answered","candidate":"1.0","attempt":0,"reply":"r","tokens":10,"microdollars":2}}
{"seq":9,"at_ms":4,"owner":1,"body":{"what":"written","candidate":"1.0","parent":"0.0","program":{"source":"y"},"idea":"this"}}
"#;
    let events: Vec<Event> = log.lines().map(|line| serde_json::from_str(line).expect("an event")).collect();
    let state = State::fold(&events).expect("it folds").expect("it begins");
    assert_eq!((state.spent().replies, state.spent().tokens), (2, 20));
    assert!(events.iter().all(|event| !matches!(event.body, Body::Planned(_) | Body::Judged(_))));
    let again: String = events.iter().map(|event| serde_json::to_string(event).expect("JSON") + "\n").collect();
    assert_eq!(again, log);
    assert!(assay_refine::story::story(&state).contains("No model was asked for a verdict"));
    // What it cost is told where there was a price.
    for (microdollars, cost) in [("25000", "$0.0500"), ("0", "unknown")] {
        let log = log.replace("\"microdollars\":2}", &format!("\"microdollars\":{microdollars}}}"));
        let events: Vec<Event> = log.lines().map(|line| serde_json::from_str(line).expect("an event")).collect();
        let story = assay_refine::story::story(&State::fold(&events).expect("it folds").expect("it begins"));
        assert!(story.contains(&format!("Replies: 2, 20 tokens, cost {cost};")), "{story}");
    }
}
