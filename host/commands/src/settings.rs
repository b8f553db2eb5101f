//! What was asked for, as text, becomes what commands need: scenarios, seeds, folders, limits; and what this machine offers.

mod choices;
mod machine;
mod market;
mod report_folder;
mod text;

pub use choices::{FiguresFormat, GradeRule, ModelAccess, RecordSettings, StoreSettings};
pub use machine::Machine;
pub(crate) use machine::docker_logins;
pub use market::DEFAULT_SCENARIO;
pub(crate) use market::{changed_scenario, scenario, unknown_scenario};
pub(crate) use report_folder::ReportFolder;
pub(crate) use text::{seeds, steps, threads, time_limit};
