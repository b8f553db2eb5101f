//! The newest commits of a repository, and which of them change code and tests.
//!
//! Invariant: the number of commits that are read is bounded, however long the history is.

use assay_rollout::grading::{is_configuration, is_of_tests};

use crate::files::{Change, Reader, Trouble, shown};
use crate::git::{Commit, Mode, ObjectError, Oid, Sort, commit, tag_target};
use crate::language::Language;
use crate::refusal::{Reason, Refusal};

/// Bytes of a commit: a message of a megabyte is no message.
const COMMIT_BYTES_MAX: u64 = 1 << 20;
/// Tags of tags that are followed.
const TAGS_MAX: usize = 5;

/// A commit that changes code and tests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Found {
    pub(crate) commit: Commit,
    /// The files before.
    pub(crate) parent_tree: Oid,
    /// What belongs to the fix.
    pub(crate) code: Vec<Change>,
    /// What belongs to the tests: put in place when a submission is graded.
    pub(crate) tests: Vec<Change>,
    /// The files of tests that are run.
    pub(crate) test_files: Vec<String>,
    pub(crate) language: Language,
}

/// The commits from `from` on, each followed by its first parent, at most `max`. Ends early where a parent is not there, as in a shallow clone.
pub(crate) fn walk(reader: &mut Reader, from: &Oid, max: usize) -> Result<Vec<Commit>, Trouble> {
    let mut next = Some(peeled(reader, from)?);
    let mut commits = Vec::new();
    while commits.len() < max
        && let Some(id) = next
    {
        match read(reader, &id) {
            Ok(commit) => {
                next = commit.parents.first().cloned();
                commits.push(commit);
            }
            Err(Trouble::Refused(_)) if !commits.is_empty() => break,
            Err(trouble) => return Err(trouble),
        }
    }
    Ok(commits)
}

fn read(reader: &mut Reader, id: &Oid) -> Result<Commit, Trouble> {
    let bytes = reader.objects.read(id, Sort::Commit, COMMIT_BYTES_MAX)?;
    commit(id, &bytes).ok_or_else(|| ObjectError::NotThat(id.to_string()).into())
}

/// The commit that a tag stands for.
fn peeled(reader: &mut Reader, id: &Oid) -> Result<Oid, Trouble> {
    let mut id = id.clone();
    for _ in 0..TAGS_MAX {
        if reader.objects.look(&id)?.0 != Sort::Tag {
            return Ok(id);
        }
        let bytes = reader.objects.read(&id, Sort::Tag, COMMIT_BYTES_MAX)?;
        id = tag_target(&bytes).ok_or_else(|| Trouble::from(ObjectError::NotThat(id.to_string())))?;
    }
    Err(ObjectError::NotThat(id.to_string()).into())
}

/// Tells a commit's changes apart. With `merges`, a merge is taken as one change against its first parent.
pub(crate) fn sort(reader: &mut Reader, commit: &Commit, merges: bool) -> Result<Found, Trouble> {
    let refused = |reason, why: &str| Trouble::Refused(Refusal::new(reason, why));
    if commit.parents.len() > 1 && !merges {
        return Err(refused(Reason::Merge, "it is a merge"));
    }
    let Some(parent) = commit.parents.first() else {
        return Err(refused(Reason::NoParent, "it has no parent"));
    };
    let parent = match read(reader, parent) {
        Err(Trouble::Refused(_)) => return Err(refused(Reason::NoParent, "its parent is not in the repository")),
        other => other?,
    };
    let changes = reader.changes(&parent.tree, &commit.tree)?;
    let (mut code, mut tests) = (Vec::new(), Vec::new());
    for change in changes {
        let path = shown(&change.path);
        if is_of_tests(&path) || is_configuration(&path) { tests.push(change) } else { code.push(change) }
    }
    let language = code.iter().find_map(|change| Language::of(&shown(&change.path)));
    let Some(language) = language else {
        return Err(refused(Reason::NoCode, "it changes no code outside of tests"));
    };
    let test_files: Vec<String> = tests
        .iter()
        .filter(|change| matches!(&change.new, Some((Mode::File | Mode::Executable, _))))
        .map(|change| shown(&change.path))
        .filter(|path| is_of_tests(path) && language.is_run(path))
        .collect();
    if test_files.is_empty() {
        return Err(refused(Reason::NoTests, "it adds or changes no tests"));
    }
    for change in code.iter().chain(&tests) {
        let modes = [&change.old, &change.new].into_iter().flatten().map(|(mode, _)| *mode);
        for mode in modes {
            let path = shown(&change.path);
            match mode {
                Mode::Submodule => return Err(refused(Reason::Submodule, &format!("{path} is another repository"))),
                Mode::Link => return Err(refused(Reason::Link, &format!("{path} is a symbolic link"))),
                Mode::Folder | Mode::File | Mode::Executable => {}
            }
        }
    }
    Ok(Found { commit: commit.clone(), parent_tree: parent.tree, code, tests, test_files, language })
}
