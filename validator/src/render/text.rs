//! The rendering for a person: source excerpt, caret, hint.

use crate::finding::{Excerpt, Finding, Findings, Place};
use crate::severity::Severity;
use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan,
    SpanContents,
};
use std::fmt;
use std::fmt::Write as _;

/// How the text is laid out.
#[derive(Clone, Copy, Debug)]
pub struct TextStyle {
    /// Columns of the terminal.
    pub width: usize,
    /// Colour by ANSI escapes.
    pub colour: bool,
}

impl Findings {
    /// The findings as a person reads them, with a closing line that counts them; empty when there are none.
    #[must_use]
    pub fn to_text(&self, style: TextStyle) -> String {
        let theme = if style.colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        let handler =
            GraphicalReportHandler::new_themed(theme).with_width(style.width).with_links(false).with_context_lines(1);
        let mut text = String::new();
        for finding in self {
            // Writing to a string cannot fail; a rendering error would only lose decoration, so the plain line stands in.
            if handler.render_report(&mut text, &Report(finding)).is_err() {
                let _ = writeln!(text, "{} {}: {}", finding.code.id(), finding.place, finding.message);
            }
        }
        if !self.is_empty() {
            let _ = writeln!(text, "\n{}", self.summary());
        }
        text
    }

    /// One line that counts errors, warnings and what is not shown.
    #[must_use]
    pub fn summary(&self) -> String {
        let plural = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
        let counts = format!("{}, {}", plural(self.errors(), "error"), plural(self.warnings(), "warning"));
        match self.omitted() {
            0 => counts,
            omitted => format!("{counts} ({omitted} not shown)"),
        }
    }
}

/// A finding as miette sees it.
#[derive(Debug)]
struct Report<'a>(&'a Finding);

impl fmt::Display for Report<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let finding = self.0;
        formatter.write_str(&finding.message)?;
        match &finding.place {
            Place::Source { .. } => Ok(()),
            place => write!(formatter, " ({place})"),
        }
    }
}

impl std::error::Error for Report<'_> {}

impl miette::Diagnostic for Report<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(format!("{} {}", self.0.code.id(), self.0.code.name())))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.0.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let Finding { observed, limit, hint, .. } = self.0;
        Some(match (observed, limit) {
            (Some(observed), Some(limit)) => Box::new(format!("{hint}\nseen: {observed}; allowed: {limit}")),
            (Some(observed), None) => Box::new(format!("{hint}\nseen: {observed}")),
            (None, _) => Box::new(hint),
        })
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        match &self.0.place {
            Place::Source { .. } => Some(self),
            _ => None,
        }
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        match &self.0.place {
            Place::Source { excerpt: Excerpt { start, length, .. }, .. } => {
                let label = LabeledSpan::new_with_span(Some("here".to_owned()), (*start, *length));
                Some(Box::new(std::iter::once(label)))
            }
            _ => None,
        }
    }
}

impl SourceCode for Report<'_> {
    /// The excerpt is all there is, whatever context is asked for; its lines keep the numbers of the file. Without context it is the
    /// position for the headline that is asked for.
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let Place::Source { file, excerpt, start, .. } = &self.0.place else { return Err(MietteError::OutOfBounds) };
        if before + after == 0 {
            let position = (start.line.saturating_sub(1) as usize, start.column.saturating_sub(1) as usize);
            let marked = excerpt.text.as_bytes().get(span.offset()..span.offset() + span.len()).unwrap_or_default();
            let contents = MietteSpanContents::new_named(file.clone(), marked, *span, position.0, position.1, 1);
            return Ok(Box::new(contents));
        }
        let whole = SourceSpan::new(0.into(), excerpt.text.len());
        let first_line = excerpt.first_line.saturating_sub(1) as usize;
        let lines = excerpt.text.lines().count();
        Ok(Box::new(MietteSpanContents::new_named(file.clone(), excerpt.text.as_bytes(), whole, first_line, 0, lines)))
    }
}
