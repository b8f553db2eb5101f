//! The validator's findings as a verdict has them: named as the submission is, with who signed them off.

use crate::policy::Policy;
use crate::verdict::{Finding, Level, Place, Region, SignOff, Submission};
use assay_validator::{Finding as Found, Findings, FunctionPlace, Place as FoundPlace, Severity, escape};
use toml::value::Date;

pub(super) fn convert(
    policy: &Policy,
    findings: &Findings,
    submission: &Submission,
    path: &str,
    today: Option<Date>,
) -> Vec<Finding> {
    let names = Names { path: escape(path), name: submission.name.clone() };
    findings.iter().map(|found| finding(policy, found, submission.hash.as_deref(), &names, today)).collect()
}

fn finding(policy: &Policy, found: &Found, hash: Option<&str>, names: &Names, today: Option<Date>) -> Finding {
    let level = match found.severity {
        Severity::Warning if !policy.findings.denies(found.code) => Level::Warning,
        Severity::Warning | Severity::Error => Level::Error,
    };
    let sign_off = hash
        .and_then(|hash| policy.sign_off(found.code, hash, today))
        .map(|rule| SignOff { by: rule.by.clone(), reason: rule.reason.clone() });
    Finding {
        code: found.code.id().to_owned(),
        level,
        place: place(&found.place, names),
        message: names.in_text(&found.message),
        observed: found.observed.as_deref().map(|text| names.in_text(text)),
        limit: found.limit.clone(),
        hint: names.in_text(&found.hint),
        sign_off,
    }
}

/// The submission's path on this machine, and what it is called in the verdict.
struct Names {
    path: String,
    name: String,
}

impl Names {
    /// A file of the submission.
    fn of_file(&self, file: &str) -> String {
        let file = escape(file);
        match file.strip_prefix(&self.path) {
            Some(rest) => format!("{}{rest}", self.name),
            None => file,
        }
    }

    /// Within a text, a path is told by its folders; a bare name is the same in both.
    fn in_text(&self, text: &str) -> String {
        if self.path.contains('/') { text.replace(&self.path, &self.name) } else { text.to_owned() }
    }
}

fn place(found: &FoundPlace, names: &Names) -> Place {
    let whole = |file: &str| Place { file: names.of_file(file), region: None, logical: None, byte_offset: None };
    match found {
        FoundPlace::File { file } => whole(file),
        FoundPlace::Source { file, start, end, .. } => Place {
            region: Some(Region {
                start_line: start.line,
                start_column: start.column,
                end_line: end.line,
                end_column: end.column,
            }),
            ..whole(file)
        },
        FoundPlace::Manifest { file, key } => Place { logical: (!key.is_empty()).then(|| escape(key)), ..whole(file) },
        FoundPlace::Component { section, function, offset } => Place {
            file: names.name.clone(),
            region: None,
            logical: Some(match function {
                None => (*section).to_owned(),
                Some(FunctionPlace { index, name: None }) => format!("{section}, function {index}"),
                Some(FunctionPlace { index, name: Some(name) }) => {
                    format!("{section}, function {index} `{}`", escape(name))
                }
            }),
            byte_offset: Some(*offset),
        },
    }
}
