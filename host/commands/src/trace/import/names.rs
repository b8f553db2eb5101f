//! Which file an imported episode goes into: `ID.jsonl`, and where another one is there, `ID-2.jsonl` and so on.
//!
//! Invariants: an episode that already exists is found, under whatever number; each file is tried once, and once more for each episode that it holds, so
//! the work grows with the episodes and not with their square, however many share an id.

use crate::output::Placed;
use assay_trace::Digest;
use std::collections::BTreeMap;

/// The longest name of a file, without its ending.
const NAME_BYTES_MAX: usize = 200;

/// What became of an attempt.
pub(super) enum Tried {
    /// The episode is there.
    Placed(Placed),
    /// Something else has the name: the digest of its bytes, where they can be read.
    Taken(Option<Digest>),
}

/// What is known of names that more than one episode wants.
#[derive(Default)]
pub(super) struct Names(BTreeMap<String, Shared>);

/// The files of one name.
#[derive(Default)]
struct Shared {
    /// All numbers up to this one are taken.
    last: u64,
    /// What they hold.
    numbers: BTreeMap<Digest, u64>,
}

impl Names {
    /// Finds the place of an episode with this digest. `attempt` tries the file of a number.
    pub(super) fn place<E>(
        &mut self,
        stem: &str,
        episode: Digest,
        mut attempt: impl FnMut(u64) -> Result<Tried, E>,
    ) -> Result<Placed, E> {
        let shared = self.0.get(stem);
        // Tried again, because it may have changed meanwhile.
        if let Some(number) = shared.and_then(|shared| shared.numbers.get(&episode))
            && let Tried::Placed(placed) = attempt(*number)?
        {
            return Ok(placed);
        }
        let mut number = shared.map_or(1, |shared| shared.last + 1);
        loop {
            let (found, placed) = match attempt(number)? {
                // Most names are wanted once: nothing is kept of them.
                Tried::Placed(placed) if number == 1 => return Ok(placed),
                Tried::Placed(placed) => (Some(episode), Some(placed)),
                Tried::Taken(found) => (found, None),
            };
            let shared = self.0.entry(stem.to_owned()).or_default();
            shared.last = number;
            if let Some(found) = found {
                shared.numbers.entry(found).or_insert(number);
            }
            if let Some(placed) = placed {
                return Ok(placed);
            }
            number += 1;
        }
    }
}

/// An id as the name of a file: what has another meaning there becomes `_`.
pub(super) fn stem(id: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+') { c } else { '_' };
    let mut name: String = id.chars().map(plain).take(NAME_BYTES_MAX).collect();
    if name.starts_with('.') {
        name.insert(0, '_');
    }
    name
}

/// The file of a number.
pub(super) fn file_name(stem: &str, number: u64) -> String {
    if number == 1 { format!("{stem}.jsonl") } else { format!("{stem}-{number}.jsonl") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::btree_map::Entry;
    use std::convert::Infallible;

    #[test]
    fn names_stay_in_the_folder() {
        for (id, expected) in [
            ("a__b-1", "a__b-1"),
            ("../../etc/passwd", "_.._.._etc_passwd"),
            (".hidden", "_.hidden"),
            ("a b\u{e4}", "a_b_"),
            (&"x".repeat(300), &"x".repeat(200)),
        ] {
            assert_eq!(stem(id), expected, "{id}");
        }
    }

    /// A folder in memory.
    type Folder = BTreeMap<String, Digest>;

    /// Imports episodes, by id and content; the number of attempts.
    fn import(folder: &mut Folder, episodes: &[(String, usize)]) -> usize {
        let (mut names, mut attempts) = (Names::default(), 0);
        for (id, content) in episodes {
            let digest = Digest::of(&content.to_le_bytes());
            let placed = names.place(id, digest, |number| {
                attempts += 1;
                Ok::<_, Infallible>(match folder.entry(file_name(id, number)) {
                    Entry::Occupied(found) if *found.get() == digest => Tried::Placed(Placed::Unchanged),
                    Entry::Occupied(found) => Tried::Taken(Some(*found.get())),
                    Entry::Vacant(free) => {
                        free.insert(digest);
                        Tried::Placed(Placed::Written)
                    }
                })
            });
            assert!(placed.is_ok());
        }
        attempts
    }

    #[test]
    fn ten_times_the_episodes_take_ten_times_the_attempts() {
        type Id = fn(usize) -> String;
        let check = |name: &str, id: Id| {
            // Attempts of a first import, of the same again, backwards, and with a new episode before the others.
            let attempts = |count: usize| {
                let mut episodes: Vec<(String, usize)> = (0..count).map(|at| (id(at), at)).collect();
                let mut folder = Folder::new();
                let first = import(&mut folder, &episodes);
                assert_eq!(folder.len(), count, "{name}: each has a file");
                let before = folder.clone();
                let again = import(&mut folder, &episodes);
                episodes.reverse();
                let backwards = import(&mut folder, &episodes);
                assert_eq!(folder, before, "{name}: what is there is found");
                episodes.reverse();
                episodes.insert(0, (id(0), count));
                let with_another = import(&mut folder, &episodes);
                assert_eq!(folder.len(), count + 1, "{name}: only what is new is written");
                [first, again, backwards, with_another]
            };
            for (few, many) in attempts(100).into_iter().zip(attempts(1_000)) {
                assert!(many <= 11 * few, "{name}: {few} attempts, then {many}");
            }
        };
        check("ids of their own", |at| format!("m{at}"));
        check("one id", |_| "m".to_owned());
        check("some ids", |at| format!("m{}", at % 7));
        check("an id and its numbers", |at| if at % 2 == 0 { "m".to_owned() } else { format!("m-{at}") });
        check("the same, the other way round", |at| if at % 2 == 0 { format!("m-{at}") } else { "m".to_owned() });
        check("numbers of numbers", |at| format!("m{}", "-2".repeat(at % 5)));
    }

    #[test]
    fn the_same_episode_is_there_once() {
        let mut folder = Folder::new();
        let episodes = ["m", "m", "n", "m", "m"].map(str::to_owned).into_iter().zip([0, 1, 0, 1, 0]);
        import(&mut folder, &episodes.collect::<Vec<_>>());
        assert_eq!(folder.keys().collect::<Vec<_>>(), ["m-2.jsonl", "m.jsonl", "n.jsonl"]);
    }

    /// Files that cannot be read, and one that changes after it was found.
    #[test]
    fn a_place_is_found_behind_others() {
        let digest = |text: &str| Digest::of(text.as_bytes());
        let mut names = Names::default();
        let mut tried = Vec::new();
        let mut place = |content: &str, found: &dyn Fn(u64) -> Option<Option<Digest>>| {
            tried.clear();
            let placed = names.place("m", digest(content), |number| {
                tried.push(number);
                Ok::<_, Infallible>(found(number).map_or(Tried::Placed(Placed::Written), Tried::Taken))
            });
            assert_eq!(placed, Ok(Placed::Written));
            tried.clone()
        };
        assert_eq!(place("a", &|number| (number < 3).then_some(None)), [1, 2, 3], "two cannot be read");
        assert_eq!(place("b", &|_| None), [4]);
        assert_eq!(place("a", &|number| (number == 3).then_some(None)), [3, 5], "it is no longer there");
    }
}
