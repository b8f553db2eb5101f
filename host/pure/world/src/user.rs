//! Simulated users: a machine decides what they tell and when, templates word it.
//!
//! Invariants: what a user knows is a set of slots, each with a rule for when it is told; a template may only mention what its moment tells, which
//! [`UserSpec::leaks`] checks before any episode; patience and leaving are counted here and never by the wording.

use std::collections::BTreeSet;
use std::sync::Arc;

use assay_model::Seed;
use serde::Deserialize;

use crate::condition::Condition;
use crate::scope::{Scope, names_of_text};
use crate::secret::Secret;
use crate::state::draw;
use crate::words::nearest;
use crate::work::Work;

/// Characters of a goal that is looked for in templates: shorter ones are words that anybody uses.
const GOAL_CHARS_MIN: usize = 12;
/// Answers that one message of a user gives at most.
const ANSWERS_MAX: usize = 2;
/// Words with which agents ask for a yes.
const CONFIRM: [&str; 8] =
    ["confirm", "shall i", "should i", "do you want", "would you like", "is that ok", "proceed", "go ahead"];

/// When a user tells what they know.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tells {
    /// In the first message.
    Opening,
    /// When the agent asks for it.
    #[default]
    Asked,
    /// When a twist reveals it.
    Twist,
    /// Never: it is theirs.
    Never,
}

/// Something that a user knows.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slot {
    /// Its name, for templates.
    pub name: String,
    /// What they know.
    pub value: String,
    /// When they tell it.
    #[serde(default)]
    pub tells: Tells,
    /// Words by which the agent asks for it.
    #[serde(default)]
    pub asked_by: Vec<String>,
    /// How they say it: a template that may mention this slot and those of the opening.
    #[serde(default)]
    pub say: String,
}

/// A change of mind, an interruption, a contradiction.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Twist {
    /// After this number of the agent's messages.
    pub after: u32,
    /// What they say.
    pub say: String,
    /// Slots that it may mention.
    #[serde(default)]
    pub reveals: Vec<String>,
}

/// Who the agent talks to.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserSpec {
    /// What kind of person it is, for readers of the task.
    #[serde(default)]
    pub persona: String,
    /// What they want, for readers of the task. Nobody in the episode sees it.
    pub goal: String,
    /// Their first message.
    pub opening: String,
    /// Messages without any use to them before they leave.
    #[serde(default = "patience")]
    pub patience: u32,
    /// Whether they say yes when they are asked to confirm.
    #[serde(default = "yes")]
    pub confirms: bool,
    /// What they know.
    #[serde(default, rename = "slot")]
    pub slots: Vec<Slot>,
    /// What they do of their own accord.
    #[serde(default, rename = "twist")]
    pub twists: Vec<Twist>,
    /// What they say beside the point, before an answer.
    #[serde(default)]
    pub chatter: Vec<String>,
    /// What they say when a message is of no use to them.
    #[serde(default = "fallback")]
    pub fallback: Vec<String>,
    /// What must hold for them to be content.
    #[serde(default)]
    pub content: Vec<Condition>,
}

fn patience() -> u32 {
    6
}

fn yes() -> bool {
    true
}

fn fallback() -> Vec<String> {
    ["Okay, and?", "I don't know what you mean.", "Can you please just sort this out?"].map(str::to_owned).to_vec()
}

impl UserSpec {
    /// What is wrong with its templates: a slot that is mentioned before it is told, or that nobody knows. The template, or the name of the slot, and what.
    #[must_use]
    pub fn leaks(&self) -> Vec<(&str, String)> {
        let told_at =
            |moment: Tells| self.slots.iter().filter(move |slot| slot.tells == moment).map(|slot| slot.name.as_str());
        let opening: BTreeSet<&str> = told_at(Tells::Opening).collect();
        let mut leaks = self.leaks_of("opening", &self.opening, &opening);
        for slot in &self.slots {
            let mut may = opening.clone();
            if slot.tells == Tells::Asked {
                may.insert(&slot.name);
            }
            leaks.extend(self.leaks_of(&format!("say of the slot {}", slot.name), &slot.say, &may));
            if slot.tells == Tells::Asked && (slot.asked_by.is_empty() || slot.say.is_empty()) {
                let what = format!("the slot {} is told when asked for, but lacks `asked_by` or `say`", slot.name);
                leaks.push((slot.name.as_str(), what));
            }
        }
        for twist in &self.twists {
            let reveals = twist.reveals.iter().map(String::as_str);
            let never: BTreeSet<&str> = told_at(Tells::Never).collect();
            if let Some(secret) = reveals.clone().find(|name| never.contains(name)) {
                leaks.push((twist.say.as_str(), format!("a twist reveals the slot {secret}, which is never told")));
            }
            let may = opening.iter().copied().chain(reveals).collect();
            leaks.extend(self.leaks_of("twist", &twist.say, &may));
        }
        for text in self.chatter.iter().chain(&self.fallback) {
            leaks.extend(self.leaks_of("chatter or fallback", text, &opening));
        }
        leaks
    }

    /// The first template that says the goal, word for word, which nobody in the episode sees: its key and the template. Case, spaces and punctuation make
    /// no difference.
    #[must_use]
    pub fn tells_goal(&self) -> Option<(String, &str)> {
        if self.goal.trim().chars().count() < GOAL_CHARS_MIN {
            return None;
        }
        let goal = Secret::new(&self.goal);
        let mut templates = vec![("opening".to_owned(), self.opening.as_str())];
        templates.extend(self.slots.iter().map(|slot| (format!("say of the slot {}", slot.name), slot.say.as_str())));
        templates.extend(self.twists.iter().map(|twist| ("say of a twist".to_owned(), twist.say.as_str())));
        templates.extend(self.chatter.iter().map(|text| ("chatter".to_owned(), text.as_str())));
        templates.extend(self.fallback.iter().map(|text| ("fallback".to_owned(), text.as_str())));
        templates.into_iter().find(|(_, template)| goal.is_in(template))
    }

    fn leaks_of<'t>(&self, place: &str, template: &'t str, may: &BTreeSet<&str>) -> Vec<(&'t str, String)> {
        let mut leaks = Vec::new();
        for name in names_of_text(template) {
            if !self.slots.iter().any(|slot| slot.name == name) {
                let near = nearest(name, self.slots.iter().map(|slot| slot.name.as_str()));
                let hint = near.map(|near| format!("; did you mean {{{near}}}?")).unwrap_or_default();
                leaks.push((template, format!("{place}: {{{name}}} is not a slot{hint}")));
            } else if !may.contains(name) {
                leaks.push((template, format!("{place}: mentions the slot {name}, which is not told then")));
            }
        }
        let written = template.to_lowercase();
        for slot in self.slots.iter().filter(|slot| !may.contains(slot.name.as_str()) && slot.value.len() >= 3) {
            if written.contains(&slot.value.to_lowercase()) {
                let what = format!("{place}: gives away the value of the slot {}, which is not told then", slot.name);
                leaks.push((template, what));
            }
        }
        leaks
    }
}

/// Why a user is gone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gone {
    /// They have what they came for. The agent may finish what it began.
    Content,
    /// They lost patience.
    Impatient,
}

/// A user during an episode.
#[derive(Clone, Debug)]
pub struct User {
    spec: Arc<UserSpec>,
    seed: Seed,
    told: BTreeSet<String>,
    heard: u32,
    patience: u32,
}

impl User {
    /// A user before the first word.
    #[must_use]
    pub fn new(spec: Arc<UserSpec>, seed: Seed) -> Self {
        let told =
            spec.slots.iter().filter(|slot| slot.tells == Tells::Opening).map(|slot| slot.name.clone()).collect();
        let patience = spec.patience.max(1);
        Self { spec, seed, told, heard: 0, patience }
    }

    /// Their first message.
    #[must_use]
    pub fn opening(&self) -> String {
        self.word(&self.spec.opening)
    }

    /// The slots that they have told so far.
    pub fn told(&self) -> impl Iterator<Item = &String> {
        self.told.iter()
    }

    /// The conditions under which they are content.
    #[must_use]
    pub fn content(&self) -> &[Condition] {
        &self.spec.content
    }

    /// What they say to a message of the agent, and whether they are gone after it.
    pub fn hear(&mut self, text: &str, is_content: bool) -> (String, Option<Gone>) {
        self.heard += 1;
        let spec = Arc::clone(&self.spec);
        if let Some(twist) = spec.twists.iter().find(|twist| twist.after == self.heard) {
            self.told.extend(twist.reveals.iter().cloned());
            return (self.word(&twist.say), None);
        }
        if is_content {
            return ("Thank you, that is all I needed.".to_owned(), Some(Gone::Content));
        }
        let text = text.to_lowercase();
        let asked = |slot: &&Slot| {
            slot.tells == Tells::Asked && slot.asked_by.iter().any(|words| text.contains(&words.to_lowercase()))
        };
        let asked: Vec<&Slot> = spec.slots.iter().filter(asked).take(ANSWERS_MAX).collect();
        if !asked.is_empty() {
            // What was told before costs patience.
            if asked.iter().all(|slot| self.told.contains(&slot.name)) && self.lose_patience() {
                return (LEAVING.to_owned(), Some(Gone::Impatient));
            }
            self.told.extend(asked.iter().map(|slot| slot.name.clone()));
            let answers: Vec<String> = asked.iter().map(|slot| self.word(&slot.say)).collect();
            return (self.with_chatter(answers.join(" ")), None);
        }
        if CONFIRM.iter().any(|words| text.contains(words)) {
            let answer = if spec.confirms { "Yes, please." } else { "No, please leave it as it is." };
            return (answer.to_owned(), None);
        }
        if self.lose_patience() {
            return (LEAVING.to_owned(), Some(Gone::Impatient));
        }
        let wordings = &spec.fallback;
        let pick = draw(self.seed, "user fallback", u64::from(self.heard)).below(wordings.len() as u64);
        let template = usize::try_from(pick).ok().and_then(|pick| wordings.get(pick));
        (template.map_or_else(|| "Okay.".to_owned(), |template| self.word(template)), None)
    }

    /// Whether it was the last of it.
    fn lose_patience(&mut self) -> bool {
        self.patience = self.patience.saturating_sub(1);
        self.patience == 0
    }

    fn with_chatter(&self, answer: String) -> String {
        let mut stream = draw(self.seed, "user chatter", u64::from(self.heard));
        let pick = stream.below(self.spec.chatter.len() as u64);
        match usize::try_from(pick).ok().and_then(|pick| self.spec.chatter.get(pick)) {
            Some(chatter) => format!("{} {answer}", self.word(chatter)),
            None => answer,
        }
    }

    fn word(&self, template: &str) -> String {
        let mut scope = Scope::default();
        for slot in &self.spec.slots {
            scope.set(&slot.name, slot.value.clone().into());
        }
        // The slots and templates of a task's file are far below what a call may build.
        scope.text(template, &mut Work::new()).unwrap_or_default()
    }
}

/// What an impatient user says last.
const LEAVING: &str = "This is going nowhere. I will try elsewhere.";
