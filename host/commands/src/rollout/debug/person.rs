//! The person at the keyboard, or whatever is piped in: asked before each request and each cell.

use super::paint;
use crate::face;
use assay_rollout::ports::{Decision, Supervisor};
use assay_rollout::run::Stop;
use assay_trace::{Message, Role};
use futures::future::BoxFuture;
use std::io::Write as _;
use std::process::Command;
use std::sync::Arc;

/// The longest line that is read as an answer.
const LINE_BYTES_MAX: usize = 64 << 10;
/// The largest text that an editor gives back.
const TEXT_BYTES_MAX: u64 = 1 << 20;

/// See the module documentation.
pub(super) struct Person {
    stop: Stop,
}

impl Person {
    /// A person who can also end the whole command.
    pub(super) fn new(stop: Stop) -> Self {
        Self { stop }
    }

    /// Asks until the answer makes sense. `text` is what `e` edits. Waiting blocks, so it has a thread of its own: one that no runtime waits for,
    /// because after Ctrl-C it may wait for a line for ever.
    async fn decide(&self, question: String, text: String, suffix: &'static str) -> Decision {
        let stop = self.stop.clone();
        let (answer, answered) = tokio::sync::oneshot::channel();
        let asking = std::thread::Builder::new().name("person".to_owned()).spawn(move || {
            // Whoever asked may be gone.
            let _ = answer.send(ask(&question, &text, suffix, &stop));
        });
        match asking {
            Ok(_) => answered.await.unwrap_or(Decision::Stop),
            Err(error) => {
                face::warn(&format!("failed to start a thread for your answer: {error}"));
                Decision::Stop
            }
        }
    }
}

impl Supervisor for Person {
    fn before_request<'a>(&'a self, step: u32, conversation: &'a [Arc<Message>]) -> BoxFuture<'a, Decision> {
        let last = conversation.iter().rev().find(|message| message.role() == Role::Assistant);
        let text = last.map(|message| message.text()).unwrap_or_default();
        let question = format!("step {step}: ask the model? (e writes its reply yourself)");
        Box::pin(self.decide(question, text, ".md"))
    }

    fn before_cell<'a>(&'a self, step: u32, code: &'a str) -> BoxFuture<'a, Decision> {
        face::out(&paint::python(&face::lines(code)));
        Box::pin(self.decide(format!("step {step}: run this code? (e edits it)"), code.to_owned(), ".py"))
    }
}

fn ask(question: &str, text: &str, suffix: &str, stop: &Stop) -> Decision {
    loop {
        face::note(&format!("{} [Enter continue, e edit, m TEXT say, s stop, q quit]", paint::title(question)));
        let line = match crate::input::line(&mut std::io::stdin().lock(), LINE_BYTES_MAX) {
            Ok(Some(line)) => String::from_utf8_lossy(&line).trim().to_owned(),
            // Whoever piped the answers has no more: the rest goes by itself.
            Ok(None) => return Decision::GoOn,
            Err(error) => {
                face::warn(&format!("failed to read your answer: {error}"));
                continue;
            }
        };
        match line.split_once(' ').map_or((line.as_str(), ""), |(word, rest)| (word, rest.trim())) {
            ("", _) => return Decision::GoOn,
            ("s", "") => return Decision::Stop,
            ("q", "") => {
                stop.stop();
                return Decision::Stop;
            }
            ("m", "") => face::note("enter the message as well: m TEXT"),
            ("m", said) => return Decision::Say(said.to_owned()),
            ("e", "") => match edit(text, suffix) {
                Ok(edited) if edited.trim().is_empty() => face::note("the result is empty, so nothing was changed"),
                Ok(edited) => return Decision::Replace(edited),
                Err(why) => face::warn(&why),
            },
            _ => face::note("that is not one of the choices"),
        }
    }
}

/// Has a text edited in `$VISUAL` or `$EDITOR`.
fn edit(text: &str, suffix: &str) -> Result<String, String> {
    let failed = |error: &dyn std::fmt::Display| format!("failed to edit: {error}");
    let set = |name| std::env::var(name).ok().filter(|value: &String| !value.trim().is_empty());
    let editor = set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    let mut file =
        tempfile::Builder::new().prefix("assay-").suffix(suffix).tempfile().map_err(|error| failed(&error))?;
    file.write_all(text.as_bytes()).and_then(|()| file.flush()).map_err(|error| failed(&error))?;
    // Editors are named with flags: `code --wait`. The shell splits them; the file's name is not part of its text.
    let status = Command::new("sh").arg("-c").arg(format!("{editor} \"$1\"")).arg("sh").arg(file.path()).status();
    match status {
        Ok(status) if status.success() => {}
        Ok(status) => return Err(failed(&format!("`{editor}` ended with {status}"))),
        Err(error) => return Err(failed(&error)),
    }
    if file.path().metadata().map_err(|error| failed(&error))?.len() > TEXT_BYTES_MAX {
        return Err(failed(&format!("the text has more than {TEXT_BYTES_MAX} bytes")));
    }
    std::fs::read_to_string(file.path()).map_err(|error| failed(&error))
}
