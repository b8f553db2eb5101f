//! Rewards of a task's own: expressions, commands, and what they come to.

use assay_grade::rule::Ended;
use assay_rollout::grading::Expression;
use assay_trace::score::Value;
use proptest::prelude::*;

use crate::support::{Bench, failing, fix, graded, overlaid, passing, run, task_with, write};

fn value(text: &str) -> Result<f64, String> {
    let expression = Expression::parse(text).map_err(|error| error.to_string())?;
    expression.value(&|name| match name {
        "solved" => Some(0.0),
        "partial" => Some(0.5),
        "steps" => Some(4.0),
        _ => None,
    })
}

#[test]
fn expressions_come_to_numbers() {
    for (text, expected) in [
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("8 - 2 - 1", 5.0),
        ("8 / 4 / 2", 1.0),
        ("-2 * -3", 6.0),
        ("!solved", 1.0),
        ("1 < 2 && 2 <= 2 && 3 > 2 && 3 >= 3 && 1 == 1 && 1 != 2", 1.0),
        ("0 || 0", 0.0),
        ("if(solved, 1, 0.5 * partial) - 0.01 * steps", 0.21),
        ("if(1, 2, cost)", 2.0),
        ("1 || cost", 1.0),
        ("clamp(5, 0, 1) + min(1, 2) + max(1, 2) + abs(-1)", 5.0),
    ] {
        let found = value(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!((found - expected).abs() < 1e-12, "{text}: {found}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    let (long, deep, chain) = ("1+".repeat(3000), "(".repeat(500), format!("1{}", "+1".repeat(500)));
    for (text, error) in [
        ("", "expected a number, a name or `(`, found the end"),
        ("1 +", "at character 4"),
        ("1 2", "expected an operator or the end, found `2`"),
        ("(1", "expected `)`"),
        ("stepz", "did you mean `steps`?"),
        ("system(1)", "unknown name `system`"),
        ("min(1)", "`min` takes 2 arguments, but 1 were given"),
        ("1.2.3", "expected a number"),
        ("cost", "`cost` is unknown here"),
        ("1 / 0", "not a finite number"),
        (&long, "too long"),
        (&deep, "too deep"),
        (&chain, "too deep"),
    ] {
        let found = value(text).unwrap_err();
        assert!(found.contains(error), "{}: {found}", &text[..text.len().min(40)]);
    }
}

proptest! {
    #[test]
    fn no_text_breaks_the_reader(text in "[a-z0-9+*/()<>=!&|., -]{0,200}") {
        let _ = value(&text);
    }
}

#[test]
fn a_tasks_own_reward_replaces_the_number_only() {
    let with = |expression: &str| task_with(|toml| format!("{toml}[reward]\nexpression = \"{expression}\"\n"));
    for (expression, run, reward, solved) in [
        ("if(solved, 2, 0.25 * pass_to_pass)", passing(), Some(2.0), true),
        ("if(solved, 2, 0.25 * pass_to_pass)", failing(), Some(0.25), false),
        ("changed_files + changed_lines", failing(), Some(4.0), false),
        ("cost", passing(), None, true),
    ] {
        let (_folder, task) = with(expression);
        let graded = graded(&task, &Bench::saying([Ok(run)]), fix);
        assert_eq!((graded.reward(), graded.is_solved()), (reward, solved), "{expression}: {:?}", graded.score.value());
    }
    let (_folder, task) = with("cost");
    let graded = graded(&task, &Bench::saying([Ok(passing())]), fix);
    assert!(matches!(graded.score.value(), Value::Unscored(why) if why.contains("`cost` is unknown here")));
}

#[test]
fn a_reward_command_sees_the_grading_and_not_the_submission() {
    for (said, ended, reward) in [
        ("working\n0.75\n", Ended::Exited(0), Some(0.75)),
        ("-3e-1\n\n", Ended::Exited(0), Some(-0.3)),
        ("good\n", Ended::Exited(0), None),
        ("inf\n", Ended::Exited(0), None),
        ("", Ended::Exited(0), None),
        ("1\n", Ended::Exited(1), None),
        ("1\n", Ended::TimedOut, None),
    ] {
        let (folder, task) = task_with(|toml| format!("{toml}[reward]\ncommand = \"python3 tests/score.py\"\n"));
        write(folder.path(), &[("repository/grading.json", "{}\n")]);
        let bench = Bench::saying([Ok(passing()), Ok(run(said, ended))]);
        let graded = graded(&task, &bench, fix);
        assert_eq!((graded.reward(), graded.is_solved()), (reward, true), "{said}");
        let job = bench.jobs().remove(1);
        assert!(job.script.contains("python3 tests/score.py"));
        assert!(overlaid(&job, "median.py").is_some_and(|text| !text.contains("statistics")), "the untouched file");
        let carried = |name: &str| overlaid(&job, &format!(".assay-reward-inputs/{name}")).unwrap_or_default();
        assert!(carried("grading.json").contains("\"verdict\"") && carried("submission.patch").contains("statistics"));
        let script = "mv .assay-reward-inputs /tmp/assay-reward || exit\nexport ASSAY_GRADING=/tmp/assay-reward/grading.json ASSAY_SUBMISSION=";
        assert!(job.script.contains(script), "{}", job.script);
        let own = ["grading.json", "submission.patch"].map(|name| overlaid(&job, name));
        assert_eq!(own, [Some("{}\n".to_owned()), None], "the repository's own files are as they were");
    }
}
