//! One client that speaks lines: the protocol over standard input and output.
//!
//! Invariants: a line is a message of at most [`MESSAGE_BYTES_MAX`] bytes, and an answer is a line; messages are answered one after the other; the end of the
//! input is the end of the episode.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use super::MESSAGE_BYTES_MAX;
use super::methods::{Reply, receive};
use super::room::Room;

/// Answers lines until there are no more; then the episodes that were begun end, and are scored. Sessions are named by their number.
///
/// # Errors
/// The input cannot be read, the output cannot be written, a line is too long, or the end of an episode cannot be kept.
pub async fn serve_lines(
    room: &Room,
    mut input: impl AsyncBufRead + Unpin,
    mut output: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let (mut session, mut begun) = (String::new(), 0_u32);
    let served = loop {
        let mut line = Vec::new();
        let most = MESSAGE_BYTES_MAX as u64 + 1;
        match (&mut input).take(most).read_until(b'\n', &mut line).await {
            Ok(0) => break Ok(()),
            Ok(_) if line.len() > MESSAGE_BYTES_MAX => {
                break Err(io::Error::other(format!("a message has more than {MESSAGE_BYTES_MAX} bytes")));
            }
            Ok(_) if line.trim_ascii().is_empty() => continue,
            Ok(_) => {}
            Err(error) => break Err(error),
        }
        let current = room.session(&session);
        let fresh = format!("session-{}", begun + 1);
        let answer = match receive(room, current.as_deref(), "", &fresh, &line).await {
            Reply::Nothing => continue,
            Reply::Message(message) | Reply::Refused(message) => message,
            Reply::Begun { session: name, message } => {
                if let Some(before) = &current {
                    room.leave(before).await.map_err(io::Error::other)?;
                }
                (session, begun) = (name, begun + 1);
                message
            }
        };
        let mut bytes = answer.to_string().into_bytes();
        bytes.push(b'\n');
        let written = async {
            output.write_all(&bytes).await?;
            output.flush().await
        };
        if let Err(error) = written.await {
            break Err(error);
        }
    };
    if let Some(session) = room.session(&session) {
        room.leave(&session).await.map_err(io::Error::other)?;
    }
    served
}
