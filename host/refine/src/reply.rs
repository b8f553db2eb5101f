//! From a model's reply to a program. The reply is a stranger's text: nothing of it is followed, and what does not have the agreed form is refused in words
//! that the model can act on.

/// Bytes of a reply that is read.
pub const REPLY_BYTES_MAX: usize = 1 << 20;
/// Characters of an idea that are kept.
const IDEA_CHARS_MAX: usize = 300;

const SEARCH: &str = "<<<<<<< SEARCH";
const DIVIDE: &str = "=======";
const REPLACE: &str = ">>>>>>> REPLACE";

/// What a reply proposes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proposal {
    /// The program.
    pub program: String,
    /// What it tries, in the model's words.
    pub idea: String,
    /// Whether the model changed it on looking it over; `None` if it did not look.
    pub revised: Option<bool>,
}

/// Why a reply is no proposal.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReplyError {
    /// It is longer than anybody needs.
    #[error("the answer has {0} bytes; at most {REPLY_BYTES_MAX} are read")]
    TooLong(usize),
    /// There is no program in it.
    #[error("the answer contains neither a fenced code block nor an edit")]
    Nothing,
    /// There are several.
    #[error("the answer contains {0} fenced code blocks; exactly one is needed")]
    Several(usize),
    /// An edit has another form.
    #[error("edit {0} does not have the form SEARCH, =======, REPLACE")]
    Broken(usize),
    /// An edit fits nowhere, or in several places.
    #[error("the SEARCH text of edit {edit} occurs {times} times in the program; it must occur exactly once")]
    Misfit {
        /// Which, from 1.
        edit: usize,
        /// How often its text occurs.
        times: usize,
    },
}

/// Reads a reply to somebody who was shown `shown`.
///
/// # Errors
/// [`ReplyError`].
pub fn read(reply: &str, shown: &str) -> Result<Proposal, ReplyError> {
    if reply.len() > REPLY_BYTES_MAX {
        return Err(ReplyError::TooLong(reply.len()));
    }
    // Whoever writes line ends in another way means the same.
    let reply = &*reply.replace("\r\n", "\n");
    let idea = reply.lines().find_map(|line| line.trim().strip_prefix("IDEA:")).unwrap_or_default();
    let idea = idea.trim().chars().take(IDEA_CHARS_MAX).collect();
    let program = if reply.contains(SEARCH) { edited(reply, shown)? } else { whole(reply)? };
    Ok(Proposal { program, idea, revised: None })
}

/// The one fenced block.
fn whole(reply: &str) -> Result<String, ReplyError> {
    let mut blocks: Vec<String> = Vec::new();
    let mut open = None;
    for line in reply.lines() {
        let fence = ["```", "~~~"].into_iter().find(|fence| line.trim_start().starts_with(fence));
        if fence.is_some() && (open.is_none() || open == fence) {
            open = if open.is_none() { fence } else { None };
            if open.is_some() {
                blocks.push(String::new());
            }
        } else if open.is_some()
            && let Some(block) = blocks.last_mut()
        {
            block.push_str(line);
            block.push('\n');
        }
    }
    match blocks.len() {
        0 => Err(ReplyError::Nothing),
        1 => blocks.pop().filter(|block| !block.trim().is_empty()).ok_or(ReplyError::Nothing),
        several => Err(ReplyError::Several(several)),
    }
}

/// The program with every edit made, one after the other.
fn edited(reply: &str, shown: &str) -> Result<String, ReplyError> {
    let mut program = shown.to_owned();
    for (index, part) in reply.split(SEARCH).skip(1).enumerate() {
        let edit = index + 1;
        let broken = ReplyError::Broken(edit);
        let (old, rest) = part.split_once(&format!("\n{DIVIDE}\n")).ok_or_else(|| broken.clone())?;
        let (new, _) = rest.split_once(REPLACE).ok_or(broken)?;
        let (old, new) = (old.trim_start_matches(['\r', '\n']), new.strip_suffix('\n').unwrap_or(new));
        let times = if old.is_empty() { 0 } else { program.matches(old).count() };
        if times != 1 {
            return Err(ReplyError::Misfit { edit, times });
        }
        program = program.replacen(old, new, 1);
    }
    Ok(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(reply: &str, expected: Result<&str, ReplyError>) {
        let shown = "let a = 1;\nlet b = 2;\nlet c = 1;\n";
        assert_eq!(read(reply, shown).map(|found| found.program), expected.map(str::to_owned), "{reply:.60}");
    }

    #[test]
    fn replies_of_all_kinds_have_a_named_end() {
        check("IDEA: x\n```rust\nfn a() {}\n```\n", Ok("fn a() {}\n"));
        check("~~~rust\nfn a() {}\n~~~\n", Ok("fn a() {}\n"));
        check("~~~rust\n//! ```text\n~~~\n", Ok("//! ```text\n"));
        check("Sure! I would widen the spread.", Err(ReplyError::Nothing));
        check("", Err(ReplyError::Nothing));
        check("```\n```", Err(ReplyError::Nothing));
        check("```rust\na\n```\nor\n```rust\nb\n```", Err(ReplyError::Several(2)));
        check(&"x".repeat(5 << 20), Err(ReplyError::TooLong(5 << 20)));
        let edit = |old: &str, new: &str| format!("{SEARCH}\n{old}\n{DIVIDE}\n{new}\n{REPLACE}\n");
        check(&edit("let b = 2;", "let b = 3;"), Ok("let a = 1;\nlet b = 3;\nlet c = 1;\n"));
        check(
            &(edit("let b = 2;", "let b = 3;") + &edit("b = 3", "b = 4")),
            Ok("let a = 1;\nlet b = 4;\nlet c = 1;\n"),
        );
        let crlf = edit("let b = 2;", "let b = 3;").replace('\n', "\r\n");
        check(&crlf, Ok("let a = 1;\nlet b = 3;\nlet c = 1;\n"));
        check(&edit("= 1;", "= 9;"), Err(ReplyError::Misfit { edit: 1, times: 2 }));
        check(&edit("let d", ""), Err(ReplyError::Misfit { edit: 1, times: 0 }));
        check(&edit("", "let d"), Err(ReplyError::Misfit { edit: 1, times: 0 }));
        check(&format!("{SEARCH}\nlet a"), Err(ReplyError::Broken(1)));
        assert_eq!(read("IDEA:  wider \n```\nx\n```", "").map(|found| found.idea), Ok("wider".to_owned()));
    }
}
