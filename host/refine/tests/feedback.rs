//! The feedback benchmark on scripted models of known skill: who names the flaw is ranked before who does not, a text that has nothing to say lifts nothing,
//! no stored reply is asked for again, and a spent budget leaves whole units.

use assay_files::Folder;
use assay_model::{Seed, Stream};
use assay_refine::explain::Explanation;
use assay_refine::feedback::{ArmRecord, Benchmark, Setup, Subject, run};
use assay_refine::model::{Answer, Ask, NoAnswer, Speaker};
use assay_refine::session::Trouble;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

/// A strategy is a number, its worth; its flaw is what it lacks.
struct Flawed(&'static str);

impl Subject for Flawed {
    fn name(&self) -> &str {
        self.0
    }
    fn source(&self) -> &str {
        if self.0 == "a.rs" { "0" } else { "0.0" }
    }
    fn summary(&self) -> &str {
        match self.0 {
            "a.rs" => "a.rs lost; perhaps FLAW-a",
            _ => "b.rs lost; perhaps FLAW-b",
        }
    }
    fn explain(&self, model: &dyn Ask) -> Result<Explanation, NoAnswer> {
        let Answer { text, tokens, microdollars } = model.ask(&[(Speaker::User, self.0.to_owned())], 0)?;
        Ok(Explanation { text, struck: 0, questions: 0, tokens, microdollars })
    }
    fn check(&self, source: &str) -> Result<Result<(), String>, Trouble> {
        Ok(source.trim().parse::<f64>().map(drop).map_err(|error| error.to_string()))
    }
    fn score(&self, source: &str, blocks: &[Vec<Seed>]) -> Result<Vec<f64>, Trouble> {
        let worth: f64 = source.trim().parse().expect("it was checked");
        let noise = |block: &Vec<Seed>| 0.2 * Stream::new(block[0], "market", "block").normal();
        Ok(blocks.iter().map(|block| 4.0 + worth + noise(block)).collect())
    }
}

/// Names the flaw once in a given number of times, at a given cost; says something else otherwise.
struct Explainer {
    one_in: u64,
    microdollars: u64,
    asked: Cell<u64>,
}

impl Ask for Explainer {
    fn ask(&self, messages: &[(Speaker, String)], _: u32) -> Result<Answer, NoAnswer> {
        let asked = self.asked.replace(self.asked.get() + 1);
        let names = self.one_in > 0 && (asked / 2).is_multiple_of(self.one_in);
        let flaw = messages[0].1.trim_end_matches(".rs");
        let text = if names { format!("The cause is SURELY-{flaw}.") } else { "Markets are hard.".to_owned() };
        Ok(Answer { text, tokens: 10, microdollars: self.microdollars })
    }
}

/// Draws a rewrite: better by one where the flaw is named for certain, by a half where it is told of the strategy's own run, and noise in any case.
struct Writer {
    asked: Cell<u64>,
}

impl Ask for Writer {
    fn ask(&self, messages: &[(Speaker, String)], _: u32) -> Result<Answer, NoAnswer> {
        let asked = self.asked.replace(self.asked.get() + 1);
        let told = &messages[1].1;
        let own = if told.contains("<data>\n0.0\n") { "b" } else { "a" };
        let skill = match () {
            () if told.contains(&format!("SURELY-{own}")) => 1.0,
            () if told.contains(&format!("{own}.rs lost")) => 0.5,
            () => 0.0,
        };
        let worth = skill + 0.3 * Stream::new(Seed(asked), "writer", "draw").normal();
        Ok(Answer { text: format!("IDEA: as told\n```\n{worth}\n```"), tokens: 100, microdollars: 1_000 })
    }
}

fn explainer(one_in: u64, microdollars: u64) -> Explainer {
    Explainer { one_in, microdollars, asked: Cell::new(0) }
}

fn benchmark(folder: &Folder, subjects: &[&dyn Subject], microdollars: Option<u64>) -> (Benchmark, u64) {
    let (good, fair, poor) = (explainer(1, 500), explainer(2, 50), explainer(0, 5_000));
    let writer = Writer { asked: Cell::new(0) };
    let models: [(String, &dyn Ask); 3] =
        [("poor".to_owned(), &poor), ("fair".to_owned(), &fair), ("good".to_owned(), &good)];
    let setup = Setup {
        subjects,
        writer: ("writer", &writer),
        models: &models,
        flaws: &BTreeMap::new(),
        goal: "more",
        guide: "",
        samples: 20,
        blocks: (4, 8),
        seed: 1,
        budget: (None, microdollars),
        folder,
        stop: &AtomicBool::new(false),
    };
    let mut units = 0;
    let found = run(&setup, &mut |done, _| units = done).expect("nothing is out of reach");
    assert_eq!(found.units, units);
    (found, writer.asked.get() + good.asked.get() + fair.asked.get() + poor.asked.get())
}

fn arm<'a>(found: &'a Benchmark, name: &str) -> &'a ArmRecord {
    found.arms.iter().find(|arm| arm.arm == name).expect("it took part")
}

#[test]
fn models_are_ranked_by_what_their_feedback_is_worth() {
    let home = tempfile::tempdir().expect("a folder");
    let folder = Folder::make(home.path()).expect("it can be made");
    let subjects: [&dyn Subject; 2] = [&Flawed("a.rs"), &Flawed("b.rs")];
    let (found, asked) = benchmark(&folder, &subjects, None);
    let order: Vec<&str> = found.arms.iter().map(|arm| arm.arm.as_str()).collect();
    println!("{}", serde_json::to_string_pretty(&found).expect("it can be written"));
    assert_eq!(order[0], "good", "{order:?}");
    assert_eq!((arm(&found, "good").rank, arm(&found, "good").verdict), (1, "helps"));
    for (name, least, most) in
        [("good", 0.8, 1.2), ("fair", 0.3, 0.7), ("summary", 0.3, 0.7), ("poor", -0.2, 0.2), ("shuffled", -0.2, 0.2)]
    {
        let uplift = arm(&found, name).uplift;
        assert!((least..most).contains(&uplift), "{name}: {uplift}");
    }
    for null in ["poor", "shuffled"] {
        assert_eq!(arm(&found, null).verdict, "not told apart", "{null} has nothing to say of this strategy");
    }
    assert_eq!((arm(&found, "withheld").verdict, arm(&found, "withheld").uplift), ("reference", 0.0));
    // What explaining and writing cost, in 40 units.
    let costs = |name: &str| (arm(&found, name).explaining_microdollars, arm(&found, name).microdollars);
    assert_eq!((costs("good"), costs("summary")), ((20_000, 60_000), (0, 40_000)));

    let (again, asked_again) = benchmark(&folder, &subjects, None);
    assert_eq!((again, asked_again), (found, 0), "{asked} replies are stored");
}

#[test]
fn a_text_that_has_nothing_to_say_lifts_nothing() {
    /// Its summary says nothing that this writer uses.
    struct Mute(Flawed);
    impl Subject for Mute {
        fn name(&self) -> &str {
            self.0.name()
        }
        fn source(&self) -> &str {
            self.0.source()
        }
        fn summary(&self) -> &str {
            "it ran"
        }
        fn explain(&self, model: &dyn Ask) -> Result<Explanation, NoAnswer> {
            self.0.explain(model)
        }
        fn check(&self, source: &str) -> Result<Result<(), String>, Trouble> {
            self.0.check(source)
        }
        fn score(&self, source: &str, blocks: &[Vec<Seed>]) -> Result<Vec<f64>, Trouble> {
            self.0.score(source, blocks)
        }
    }
    let home = tempfile::tempdir().expect("a folder");
    let folder = Folder::make(home.path()).expect("it can be made");
    let (found, _) = benchmark(&folder, &[&Mute(Flawed("a.rs")), &Mute(Flawed("b.rs"))], None);
    for name in ["shuffled", "summary", "poor"] {
        let arm = arm(&found, name);
        let interval = arm.interval.expect("there are 40 units");
        assert!(arm.verdict == "not told apart" && interval.low < 0.0 && interval.high > 0.0, "{name}: {arm:?}");
    }
    let (alone, _) = benchmark(&folder, &[&Mute(Flawed("a.rs"))], None);
    assert!(alone.arms.iter().all(|arm| arm.arm != "shuffled"), "there is nothing to shuffle");
}

#[test]
fn a_spent_budget_leaves_whole_units_and_a_larger_one_goes_on() {
    let home = tempfile::tempdir().expect("a folder");
    let folder = Folder::make(home.path()).expect("it can be made");
    let subjects: [&dyn Subject; 2] = [&Flawed("a.rs"), &Flawed("b.rs")];
    // A unit costs 6 programs and 3 explanations: 11,550.
    let (found, asked) = benchmark(&folder, &subjects, Some(30_000));
    assert!(found.budget_spent && found.units == 2, "{found:?}");
    assert!((18..27).contains(&asked), "{asked}");
    let (more, asked_more) = benchmark(&folder, &subjects, None);
    assert!(!more.budget_spent && more.units == 40 && asked + asked_more == 40 * 9, "{asked} {asked_more}");
}
