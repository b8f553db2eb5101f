//! Tasks from a git history: commits that change code and tests are run before and after, and what passes its own probes is admitted.
//!
//! ```text
//! repository ──(git cat-file, nothing else)──► commits ──► candidates ──► tests before, after, after ──► probes ──► a task folder
//!                                                              │                  └── containers, without network ──┘
//!                                                              └── an image's recipe, a bug report without the fix
//! ```
//!
//! Invariants: the repository is a stranger's, and nothing of it runs on this machine; no bug report that is taken from a message shows a name or a line that only
//! the fix adds; a commit is refused for a named reason; trouble with the infrastructure refuses nothing, and nothing is run twice.

mod attackers;
mod candidate;
mod files;
mod folder;
mod git;
mod history;
mod journal;
mod judge;
mod language;
mod mine;
mod recipe;
mod refusal;
mod secrets;
mod settings;
mod wording;

pub use files::CHANGED_FILES_MAX;
pub use folder::TaskFolder;
pub use git::PlaceError;
pub use journal::{FolderError, JOURNAL_NAME, Judged, ReportFrom, Standing};
pub use mine::{History, Listed, MineError, Watch, mine, name_of};
pub use recipe::BASE;
pub use refusal::{Reason, Refusal};
pub use settings::{HistorySettings, TaskSettings, WorkSettings};
