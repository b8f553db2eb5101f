//! The score tree: every rule, and that a missing number never becomes a number.

use crate::support::{START, leaf, number};
use assay_trace::score::{Finite, Rule, SCORE_DEPTH_MAX, ScoreNode, Term};
use assay_trace::{Outcome, Verdict};
use proptest::prelude::*;

fn node(name: &str, rule: Rule) -> ScoreNode {
    ScoreNode { name: name.into(), rule }
}

fn missing(name: &str) -> ScoreNode {
    ScoreNode::unscored(name, "no answer")
}

fn gate(needs: ScoreNode, then: ScoreNode) -> ScoreNode {
    node("gate", Rule::Gate { needs: Box::new(needs), at_least: number(1.0), then: Box::new(then) })
}

fn veto(any_of: Vec<ScoreNode>, of: ScoreNode) -> ScoreNode {
    node("veto", Rule::Veto { any_of, at_least: number(1.0), of: Box::new(of) })
}

fn sum(terms: Vec<(f64, ScoreNode)>) -> ScoreNode {
    let terms = terms.into_iter().map(|(weight, of)| Term { weight: number(weight), of });
    node("sum", Rule::WeightedSum(terms.collect()))
}

#[test]
fn each_rule_does_what_its_documentation_says() {
    let check = |tree: ScoreNode, expected: Result<f64, &str>| {
        let value = tree.value();
        match expected {
            Ok(number) => assert_eq!(value.number(), Some(number), "{tree:?}"),
            Err(path) => assert_eq!(value.to_string(), format!("unscored: {path}"), "{tree:?}"),
        }
    };
    let product = |parts: Vec<ScoreNode>| node("product", Rule::Product(parts));
    check(leaf("a", 0.25), Ok(0.25));
    check(missing("judge"), Err("judge: no answer"));

    check(gate(leaf("a", 1.0), leaf("b", 0.5)), Ok(0.5));
    check(gate(leaf("a", 0.99), leaf("b", 0.5)), Ok(0.0));
    check(gate(leaf("a", 0.0), missing("b")), Ok(0.0));
    check(gate(leaf("a", 1.0), missing("b")), Err("gate: b: no answer"));
    check(gate(missing("a"), leaf("b", 0.0)), Err("gate: a: no answer"));

    check(veto(vec![], leaf("b", 0.5)), Ok(0.5));
    check(veto(vec![leaf("cheat", 0.9)], leaf("b", 0.5)), Ok(0.5));
    check(veto(vec![missing("x"), leaf("cheat", 1.0)], missing("b")), Ok(0.0));
    check(veto(vec![missing("x"), leaf("cheat", 0.0)], leaf("b", 0.5)), Err("veto: x: no answer"));
    check(veto(vec![leaf("cheat", 0.0)], missing("b")), Err("veto: b: no answer"));

    check(product(vec![]), Ok(1.0));
    check(product(vec![leaf("a", 0.5), leaf("b", 0.5)]), Ok(0.25));
    check(product(vec![leaf("a", 0.0), missing("b")]), Err("product: b: no answer"));
    check(product(vec![leaf("a", f64::MAX), leaf("b", 2.0)]), Err("product: the result is not a finite number"));

    check(sum(vec![]), Ok(0.0));
    check(sum(vec![(0.5, leaf("a", 1.0)), (2.0, leaf("b", 0.25))]), Ok(1.0));
    check(sum(vec![(1.0, leaf("a", 1.0)), (0.0, missing("b"))]), Ok(1.0));
    check(sum(vec![(1.0, leaf("a", 1.0)), (0.1, missing("b"))]), Err("sum: b: no answer"));
    check(sum(vec![(f64::MAX, leaf("a", 2.0))]), Err("sum: the result is not a finite number"));
}

#[test]
fn a_verdict_cannot_contradict_itself() {
    let check = |verdict: Result<Verdict, assay_trace::VerdictError>, words: &str| {
        let error = verdict.unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    };
    check(
        Verdict::scored(START, "s", Outcome::Failure, "done", missing("judge")),
        "the outcome is failure, but the score has no number: judge: no answer",
    );
    check(Verdict::partly_scored(START, "s", leaf("a", 0.0)), "must not come to a number");
    check(Verdict::unscored(START, "s", ""), "must say why");
    let mut deep = leaf("a", 1.0);
    for _ in 0..SCORE_DEPTH_MAX {
        deep = node("p", Rule::Product(vec![deep]));
    }
    check(Verdict::scored(START, "s", Outcome::Success, "", deep), "25 levels, at most 24");

    let unscored = Verdict::unscored(START, "s", "no test engine").unwrap();
    assert_eq!((unscored.reward(), unscored.outcome(), unscored.reason()), (None, None, "no test engine"));
    let partly = Verdict::partly_scored(START, "s", gate(missing("a"), leaf("b", 1.0))).unwrap();
    assert_eq!(partly.reason(), "gate: a: no answer");
    let json = serde_json::to_string(&unscored).unwrap();
    assert!(json.contains(r#""outcome":"unscored","reason":"no test engine""#), "{json}");
    let lie = json.replace("unscored\",\"reason", "failure\",\"reason");
    assert!(serde_json::from_str::<Verdict>(&lie).is_err(), "a failure without a number is not read either");
}

#[test]
fn the_deepest_tree_can_be_read_back() {
    // A weighted sum takes most levels of JSON.
    let mut deep = leaf("a", 1.0);
    for _ in 1..SCORE_DEPTH_MAX {
        deep = sum(vec![(1.0, deep)]);
    }
    let verdict = Verdict::scored(START, "s", Outcome::Success, "", deep).unwrap();
    let text = serde_json::to_string(&verdict).unwrap();
    assert_eq!(serde_json::from_str::<Verdict>(&text).unwrap(), verdict);
}

#[test]
fn numbers_are_finite() {
    assert!([f64::NAN, f64::INFINITY, f64::NEG_INFINITY].iter().all(|number| Finite::new(*number).is_err()));
    assert!(serde_json::from_str::<ScoreNode>(r#"{"name":"a","rule":{"score":null}}"#).is_err());
    assert!(serde_json::from_str::<ScoreNode>(r#"{"name":"a","rule":{"score":1e999}}"#).is_err());
}

fn any_tree() -> impl Strategy<Value = ScoreNode> {
    let leaf = prop_oneof![
        (-2i8..=2).prop_map(|value| leaf("leaf", f64::from(value))),
        Just(missing("lost")),
        any::<f64>().prop_filter_map("finite", |value| Finite::new(value).ok()).prop_map(|v| ScoreNode::scored("f", v)),
    ];
    leaf.prop_recursive(5, 40, 4, |inner| {
        let many = || prop::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| gate(a, b)),
            (many(), inner.clone()).prop_map(|(a, b)| veto(a, b)),
            many().prop_map(|parts| node("product", Rule::Product(parts))),
            many().prop_map(|parts| sum(parts.into_iter().map(|part| (0.5, part)).collect())),
        ]
    })
}

/// The tree with every missing leaf filled with one number.
fn filled(tree: &ScoreNode, value: f64) -> ScoreNode {
    let fill = |node: &ScoreNode| Box::new(filled(node, value));
    let fill_all = |nodes: &[ScoreNode]| nodes.iter().map(|node| filled(node, value)).collect::<Vec<_>>();
    let rule = match &tree.rule {
        Rule::Unscored(_) => Rule::Score(number(value)),
        Rule::Score(value) => Rule::Score(*value),
        Rule::Gate { needs, at_least, then } => {
            Rule::Gate { needs: fill(needs), at_least: *at_least, then: fill(then) }
        }
        Rule::Veto { any_of, at_least, of } => {
            Rule::Veto { any_of: fill_all(any_of), at_least: *at_least, of: fill(of) }
        }
        Rule::Product(parts) => Rule::Product(fill_all(parts)),
        Rule::WeightedSum(terms) => Rule::WeightedSum(
            terms.iter().map(|term| Term { weight: term.weight, of: filled(&term.of, value) }).collect(),
        ),
    };
    node(&tree.name, rule)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// If a tree with missing leaves has a number, then whatever the leaves might have been, it is that number.
    #[test]
    fn a_number_never_rests_on_a_missing_leaf(tree in any_tree(), guess in -3.0..3.0f64) {
        if let Some(number) = tree.value().number() {
            prop_assert_eq!(filled(&tree, guess).value().number(), Some(number));
        }
    }

    #[test]
    fn a_tree_survives_its_json(tree in any_tree()) {
        let text = serde_json::to_string(&tree).unwrap();
        prop_assert_eq!(serde_json::from_str::<ScoreNode>(&text).unwrap(), tree);
    }
}
