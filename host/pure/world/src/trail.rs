//! What was changed on the way, step by step: what tells damage that was undone from none.
//!
//! Invariants: every change of the state is noted, whoever made it, so that what a path held in the beginning, and what others last put there, is known; of
//! each path only the first value is kept that is neither, by the agent's own doing. What others do later takes nothing of that back. Cloning is a fork.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::changes::Change;
use crate::value;

/// Bytes of memory of a path that was changed, beside its name and values.
const PATH_BYTES: u64 = 128;

/// What became of one path.
#[derive(Clone, Debug)]
struct Touched {
    /// What it held in the beginning.
    beginning: Option<Value>,
    /// What others last put there, if they did.
    others: Option<Option<Value>>,
    /// What the agent's own doing first put there instead of these, and what did it.
    own: Option<(Option<Value>, Arc<str>)>,
    /// Whether the agent's own doing changed it at all.
    is_own: bool,
}

/// See the module documentation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trail(Arc<BTreeMap<String, Touched>>);

impl Trail {
    /// Takes in what one step changed; `by` says what of the agent's own did it. About how many bytes of memory that takes.
    pub(crate) fn note(&mut self, changes: Vec<Change>, by: Option<&str>) -> u64 {
        if changes.is_empty() {
            return 0;
        }
        let by: Option<Arc<str>> = by.map(Arc::from);
        let paths = Arc::make_mut(&mut self.0);
        let weight = |value: &Option<Value>| value.as_ref().map_or(0, value::weight);
        let mut bytes = 0;
        for Change { path, before, after } in changes {
            if !paths.contains_key(&path) {
                bytes += PATH_BYTES + path.len() as u64 + weight(&before);
            }
            let first = Touched { beginning: before, others: None, own: None, is_own: false };
            let touched = paths.entry(path).or_insert(first);
            let Some(by) = &by else {
                bytes += weight(&after);
                touched.others = Some(after);
                continue;
            };
            touched.is_own = true;
            let is_news = touched.beginning != after && touched.others.as_ref() != Some(&after);
            if touched.own.is_none() && is_news {
                bytes += weight(&after);
                touched.own = Some((after, Arc::clone(by)));
            }
        }
        bytes
    }

    /// Whether the agent's own doing changed a path at any time.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.0.get(path).is_some_and(|touched| touched.is_own)
    }

    /// Whether the agent's own doing changed anything below a path at any time. The path ends with a slash.
    pub(crate) fn has_below(&self, folder: &str) -> bool {
        let below = self.0.range(folder.to_owned()..).take_while(|(path, _)| path.starts_with(folder));
        below.into_iter().any(|(_, touched)| touched.is_own)
    }

    /// What the agent changed at any time, each with what did it. Who only puts back what others have changed, or what they put there, changes nothing.
    pub(crate) fn own(&self) -> impl Iterator<Item = (Change, &str)> {
        self.0.iter().filter_map(|(path, touched)| {
            let (after, by) = touched.own.as_ref()?;
            let change = Change { path: path.clone(), before: touched.beginning.clone(), after: after.clone() };
            Some((change, &**by))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(path: &str, before: Option<i64>, after: Option<i64>) -> Change {
        Change { path: path.to_owned(), before: before.map(Value::from), after: after.map(Value::from) }
    }

    #[test]
    fn what_was_undone_is_remembered_and_what_others_did_is_not_the_agents() {
        let mut trail = Trail::default();
        trail.note(vec![change("a", Some(1), Some(2))], Some("call 1"));
        trail.note(vec![change("a", Some(2), Some(1))], Some("call 2"));
        // Somebody else was there before, or comes later.
        trail.note(vec![change("b", Some(1), Some(2))], None);
        trail.note(vec![change("b", Some(2), Some(3))], Some("call 3"));
        trail.note(vec![change("b", Some(3), Some(2))], Some("call 4"));
        trail.note(vec![change("e", Some(1), Some(9))], Some("call 5"));
        trail.note(vec![change("e", Some(9), Some(2))], None);
        // Only puts back what somebody else had changed.
        trail.note(vec![change("c", None, Some(1))], None);
        trail.note(vec![change("c", Some(1), None)], Some("call 6"));
        trail.note(vec![change("d", Some(1), None)], Some("call 7"));
        let own: Vec<(String, String)> = trail.own().map(|(change, by)| (change.to_string(), by.to_owned())).collect();
        let told = |text: &str, by: &str| (text.to_owned(), by.to_owned());
        let expected = [
            told("~ a = 2 (was 1)", "call 1"),
            told("~ b = 3 (was 1)", "call 3"),
            told("- d = 1", "call 7"),
            told("~ e = 9 (was 1)", "call 5"),
        ];
        assert_eq!(own, expected);
        trail.note(vec![change("f/g", None, Some(1))], Some("call 8"));
        trail.note(vec![change("h/i", None, Some(1))], None);
        assert!(trail.has("c") && !trail.has("h/i") && trail.has_below("f/") && !trail.has_below("h/"));
    }
}
