//! Which ids a task may have: they name files, episodes and jobs.

/// The longest id of a task, in bytes: with the numbers of sample, attempt and job, and an ending, it stays the name of a file.
pub const TASK_ID_BYTES_MAX: usize = 200;
/// What [`is_task_id`] asks for, in words.
pub const TASK_ID_RULE: &str = "1 to 200 letters, digits, `-`, `_`, `.` and `+`, the first neither `.` nor `-`";

/// Whether a task may be called so: a plain name of a file, not hidden, not a flag.
#[must_use]
pub fn is_task_id(id: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+');
    (1..=TASK_ID_BYTES_MAX).contains(&id.len()) && !id.starts_with(['.', '-']) && id.chars().all(is_plain)
}
