//! Where the code is in a reply: fenced blocks whose first word is `repl`, as RLM has them.
//!
//! Invariants: the work is linear in the text, whatever it holds; blocks come in the order of the text and do not overlap; code in a fence of
//! another language, and anything said in prose, is never taken for code to run. Fences are those of `CommonMark` (§4.5), with one exception: a
//! line that looks like the end of the block does not end it while one of Python's triple-quoted strings is open, so that code may write Markdown.

/// The language whose blocks are run.
pub const LANGUAGE: &str = "repl";

/// A block of code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// The code, its lines ended by line feeds and freed of the fence's indentation.
    pub code: String,
    /// Whether its fence was closed. Where the model ran out of tokens it was not, and the code may be half a block.
    pub closed: bool,
}

/// The blocks to run, in order; those that hold nothing but white space are left out.
#[must_use]
pub fn find(text: &str) -> Vec<Block> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut blocks = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        let Some(fence) = Fence::opened_by(line) else { continue };
        let body = &lines[at..];
        let end = if fence.is_code { end_of_code(body, &fence) } else { end_of_other(body, &fence) };
        at += end.lines_with_fence;
        if fence.is_code {
            let code: String = body[..end.lines].iter().map(|line| fence.without_indentation(line)).collect();
            if !code.trim().is_empty() {
                blocks.push(Block { code, closed: end.lines_with_fence > end.lines });
            }
        }
    }
    blocks
}

/// How far a block goes.
struct End {
    lines: usize,
    /// As `lines`, with the closing fence if there is one.
    lines_with_fence: usize,
}

impl End {
    const fn closed_at(line: usize) -> Self {
        Self { lines: line, lines_with_fence: line + 1 }
    }

    const fn unclosed_at(line: usize) -> Self {
        Self { lines: line, lines_with_fence: line }
    }
}

fn end_of_other(body: &[&str], fence: &Fence) -> End {
    body.iter().position(|line| fence.is_closed_by(line)).map_or(End::unclosed_at(body.len()), End::closed_at)
}

/// A block also ends where the next one begins, for its fence was forgotten then. If a string was still open when a closing fence came, and the
/// next block or the end of the text came before the string's end, then it was the string's end that was forgotten, and the fence counts.
fn end_of_code(body: &[&str], fence: &Fence) -> End {
    let mut string = OpenString::default();
    let mut fence_in_string = None;
    for (place, line) in body.iter().enumerate() {
        if Fence::opened_by(line).is_some_and(|next| next.is_code) {
            match fence_in_string {
                Some(fence) => return End::closed_at(fence),
                None if string.is_open() => {}
                None => return End::unclosed_at(place),
            }
        } else if fence.is_closed_by(line) {
            if !string.is_open() {
                return End::closed_at(place);
            }
            fence_in_string.get_or_insert(place);
        }
        string.read(line);
    }
    fence_in_string.map_or(End::unclosed_at(body.len()), End::closed_at)
}

/// The line that opens a block.
struct Fence {
    mark: char,
    length: usize,
    indentation: usize,
    is_code: bool,
}

impl Fence {
    fn opened_by(line: &str) -> Option<Self> {
        let (indentation, mark, length, info) = parts(line)?;
        // A backtick in what follows makes it inline code.
        if mark == '`' && info.contains('`') {
            return None;
        }
        let is_code = info.split_whitespace().next() == Some(LANGUAGE);
        Some(Self { mark, length, indentation, is_code })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        parts(line).is_some_and(|(_, mark, length, info)| mark == self.mark && length >= self.length && info.is_empty())
    }

    fn without_indentation(&self, line: &str) -> String {
        let blank = line.bytes().take(self.indentation).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let line = &line[blank..];
        line.strip_suffix("\r\n").map_or_else(|| line.to_owned(), |line| format!("{line}\n"))
    }
}

/// Of a line that begins with at least three marks: its indentation in bytes, the mark, how many, and what follows, trimmed.
fn parts(line: &str) -> Option<(usize, char, usize, &str)> {
    let trimmed = line.trim_start_matches([' ', '\t']);
    let mark = trimmed.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let info = trimmed.trim_start_matches(mark);
    let length = trimmed.len() - info.len();
    (length >= 3).then(|| (line.len() - trimmed.len(), mark, length, info.trim()))
}

/// Whether one of Python's triple-quoted strings is open, and by which quote.
#[derive(Default)]
struct OpenString(Option<u8>);

impl OpenString {
    const fn is_open(&self) -> bool {
        self.0.is_some()
    }

    fn read(&mut self, line: &str) {
        let bytes = line.as_bytes();
        // A string in single quotes ends with its line at the latest.
        let mut quoted_by = None;
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let is_triple = bytes[at..].starts_with(&[byte; 3]);
            let is_quote = matches!(byte, b'"' | b'\'');
            at += match (self.0, quoted_by) {
                _ if byte == b'\\' => 2,
                (Some(quote), _) if byte == quote && is_triple => {
                    self.0 = None;
                    3
                }
                (None, None) if byte == b'#' => return,
                (None, None) if is_quote && is_triple => {
                    self.0 = Some(byte);
                    3
                }
                (None, None) if is_quote => {
                    quoted_by = Some(byte);
                    1
                }
                (None, Some(quote)) if byte == quote => {
                    quoted_by = None;
                    1
                }
                _ => 1,
            };
        }
    }
}
