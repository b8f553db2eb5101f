//! The Python pass: what a Python strategy's text may not contain.
//!
//! ```text
//! bytes ──check_python_text──► text ──(the interpreter's own parser, in the sandbox)──► survey ──check_python_survey──► findings
//! ```
//!
//! The text is parsed by the interpreter that would run it, inside the sandbox, and never executed there: what is judged cannot differ from
//! what runs, and no text can harm the parser's host. The survey lists names with their places; the rules are here. A language as dynamic as
//! Python can be written so that no survey sees what it does. This pass is a help for honest authors and a first line; what holds is the
//! sandbox, which does not rely on it.

mod declared;
mod lists;

pub use declared::python_parameters;

use crate::code::Code;
use crate::finding::{Finding, Findings, Place};
use crate::limits;
use crate::source::text::SourceText;
use lists::{CALLBACKS, CLOCKS, DYNAMIC, HARMLESS, MODULES, OUTSIDE, PACKAGES};
use proc_macro2::LineColumn;
use serde::Deserialize;
use std::collections::BTreeSet;

/// The modules that a Python strategy can import.
#[must_use]
pub const fn python_modules() -> &'static [&'static str] {
    MODULES
}

/// Judges the bytes of a Python strategy before any parser sees them: size, encoding, hidden characters. The text, if it is one.
#[must_use]
pub fn check_python_text<'a>(name: &str, bytes: &'a [u8]) -> (Findings, Option<&'a str>) {
    let mut findings = Findings::new();
    let file = || Place::File { file: crate::escape::escape(name) };
    if bytes.len() as u64 > limits::PYTHON_SOURCE_BYTES_MAX {
        let finding = Finding::new(Code::SourceTooLarge, file(), "the source file is too large")
            .limit(format_args!("{} bytes", limits::PYTHON_SOURCE_BYTES_MAX))
            .observed(format_args!("{} bytes", bytes.len()));
        findings.push(finding);
        return (findings, None);
    }
    let text = match std::str::from_utf8(bytes) {
        // A byte order mark is not part of the text.
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => {
            let observed = format!("an invalid sequence at byte {}", error.valid_up_to());
            findings.push(Finding::new(Code::NotUtf8, file(), "the source file is not UTF-8").observed(observed));
            return (findings, None);
        }
    };
    let lines = SourceText::new(name, text);
    for (offset, character) in lines.hidden_characters() {
        if findings.wants(Code::HiddenCharacter) {
            let message = format!("hidden character U+{:04X}", u32::from(character));
            let place = lines.place_at(offset, character.len_utf8());
            findings.push(Finding::new(Code::HiddenCharacter, place, message));
        } else {
            findings.omit(Code::HiddenCharacter.severity());
        }
    }
    (findings, Some(text))
}

/// Line, column, end line, end column; lines from 1, columns from 0 in characters.
type Span = (u32, u32, u32, u32);

/// What the interpreter found in the text; see `guest-sdk/python/assay_survey.py`.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct Survey {
    syntax: Option<Syntax>,
    too_deep: Option<String>,
    depth: u64,
    deepest: Option<Span>,
    /// Some lists are not whole.
    cut: bool,
    imports: Vec<(String, Span)>,
    /// Built-in names.
    names: Vec<(String, Span)>,
    internal: Vec<(String, Span)>,
    classes: Vec<Class>,
    parameters: Vec<declared::Declared>,
    /// Calls of `parameter` that declare nothing that could be set.
    stray_parameters: Vec<Span>,
}

#[derive(Deserialize)]
struct Syntax {
    message: String,
    place: Span,
}

#[derive(Deserialize)]
struct Class {
    name: String,
    place: Span,
    bases: Vec<String>,
    methods: Vec<Method>,
}

#[derive(Deserialize)]
struct Method {
    name: String,
    place: Span,
    /// Parameters that a call must give, `self` included.
    required: u32,
    /// Positional parameters that a call may give; any number if there is none.
    most: Option<u32>,
    /// Without a decorator.
    plain: bool,
    /// `async`, or a generator.
    suspends: bool,
}

/// Judges what the interpreter found in `text`; `survey` is its answer. `name` appears in the findings as given.
#[must_use]
pub fn check_python_survey(name: &str, text: &str, survey: &str) -> Findings {
    let mut judge = Judge { text: SourceText::new(name, text), findings: Findings::new() };
    match serde_json::from_str(survey) {
        Ok(survey) => judge.all(&survey),
        Err(error) => judge.file(Code::UnreadableSource, format!("the interpreter's answer cannot be read: {error}")),
    }
    judge.findings
}

/// The finding for a text that the interpreter could not even read; `why` is what became of it.
#[must_use]
pub fn python_unreadable(name: &str, why: &str) -> Finding {
    let file = crate::escape::escape(name);
    Finding::new(Code::PythonTooDeep, Place::File { file }, "the interpreter failed to read this file").observed(why)
}

struct Judge<'a> {
    text: SourceText<'a>,
    findings: Findings,
}

impl Judge<'_> {
    fn place(&self, (line, column, end_line, end_column): Span) -> Place {
        let at = |line: u32, column: u32| LineColumn { line: line as usize, column: column as usize };
        self.text.place(at(line, column), at(end_line, end_column))
    }

    fn push(&mut self, code: Code, span: Span, message: impl AsRef<str>, hint: Option<&str>) {
        if !self.findings.wants(code) {
            return self.findings.omit(code.severity());
        }
        let finding = Finding::new(code, self.place(span), message);
        self.findings.push(match hint {
            Some(hint) => finding.hint(hint),
            None => finding,
        });
    }

    fn file(&mut self, code: Code, message: impl AsRef<str>) {
        let place = Place::File { file: self.text.name().to_owned() };
        self.findings.push(Finding::new(code, place, message));
    }

    fn all(&mut self, survey: &Survey) {
        if let Some(Syntax { message, place }) = &survey.syntax {
            return self.push(Code::PythonSyntax, *place, format!("not Python: {message}"), None);
        }
        if let Some(why) = &survey.too_deep {
            return self.file(Code::PythonTooDeep, format!("the interpreter cannot parse it: {why}"));
        }
        if survey.depth > limits::PYTHON_DEPTH_MAX {
            let place = self.place(survey.deepest.unwrap_or((1, 0, 1, 0)));
            let finding = Finding::new(Code::PythonTooDeep, place, "code is nested too deep");
            self.findings.push(finding.observed(format_args!("{} levels", survey.depth)));
        }
        if survey.cut {
            self.file(Code::PythonTooDeep, "the file contains too many imports, special names or classes to check");
        }
        for (module, span) in &survey.imports {
            self.import(module, *span);
        }
        for (name, span) in &survey.names {
            if DYNAMIC.contains(&name.as_str()) {
                self.push(Code::DynamicCode, *span, format!("`{name}` is not allowed"), None);
            } else if OUTSIDE.contains(&name.as_str()) {
                self.push(Code::OutsideCall, *span, format!("`{name}` is not allowed"), None);
            }
        }
        for (name, span) in &survey.internal {
            let name = name.as_str();
            if !HARMLESS.contains(&name) && !DYNAMIC.contains(&name) {
                let message = format!("`{name}` leads to the internals of the interpreter");
                self.push(Code::InternalName, *span, message, None);
            }
        }
        self.strategies(&survey.classes);
        self.parameters(survey);
    }

    fn parameters(&mut self, survey: &Survey) {
        for span in &survey.stray_parameters {
            let message = "`parameter` declares nothing that could be set here";
            let hint = "write `name = parameter(default, low, high)` in the body of the class, with numbers";
            self.push(Code::ParameterDeclaration, *span, message, Some(hint));
        }
        let invalid = declared::invalid(&self.text, survey);
        for one in &invalid {
            let message = format!("`{}` is not a valid parameter", one.name);
            let hint = "give it a short ASCII name, decimal numbers, a default within its range, and with `log` a range above 0";
            self.push(Code::ParameterDeclaration, one.place, message, Some(hint));
        }
        if invalid.is_empty()
            && let Err(malformed) = declared::read(&self.text, survey)
        {
            self.file(Code::ParameterDeclaration, malformed.to_string());
        }
    }

    fn import(&mut self, module: &str, span: Span) {
        if MODULES.contains(&module) {
            return;
        }
        let top = module.split('.').next().unwrap_or_default();
        let hint = if CLOCKS.contains(&top) {
            "the simulation's clock is the only one: use `self.exchange.now()`, in nanoseconds"
        } else if PACKAGES.contains(&top) {
            "there are no packages in the sandbox: use `math`, `statistics` and `array`"
        } else if module.starts_with('.') {
            "a strategy is one file: put the code into it"
        } else {
            return self.push(Code::UnlistedModule, span, format!("`{module}` cannot be imported"), None);
        };
        self.push(Code::UnlistedModule, span, format!("`{module}` cannot be imported"), Some(hint));
    }

    fn strategies(&mut self, classes: &[Class]) {
        let mut strategies = BTreeSet::from(["Strategy"]);
        // Classes are listed in no particular order, and each round finds at least one more or is the last.
        loop {
            let before = strategies.len();
            let derived = |class: &&Class| class.bases.iter().any(|base| strategies.contains(base.as_str()));
            let found: Vec<&str> = classes.iter().filter(derived).map(|class| class.name.as_str()).collect();
            strategies.extend(found);
            if strategies.len() == before {
                break;
            }
        }
        let is_strategy = |class: &&Class| class.bases.iter().any(|base| strategies.contains(base.as_str()));
        let is_base = |class: &Class| classes.iter().any(|other| other.bases.contains(&class.name));
        let leaves: Vec<&Class> = classes.iter().filter(is_strategy).filter(|class| !is_base(class)).collect();
        match leaves.as_slice() {
            [] => self.file(Code::MissingPythonStrategy, "there is no class that derives from `Strategy`"),
            [_] => {}
            several => {
                for class in several {
                    let message = format!("`{}` is one of {} strategies", class.name, several.len());
                    self.push(Code::SeveralStrategies, class.place, message, None);
                }
            }
        }
        for method in classes.iter().filter(is_strategy).flat_map(|class| &class.methods) {
            self.method(method);
        }
    }

    fn method(&mut self, method: &Method) {
        let Method { name, place, required, most, plain, suspends } = method;
        // The line of `def` is enough: a body may be long.
        let width = "def ".len() + name.chars().count();
        let span = (place.0, place.1, place.0, place.1.saturating_add(u32::try_from(width).unwrap_or(u32::MAX)));
        let Some((_, parameters, shape)) = CALLBACKS.iter().find(|(known, ..)| known == name) else {
            if name.starts_with("on_") {
                self.push(Code::UnknownCallback, span, format!("nothing calls `{name}`"), None);
            }
            return;
        };
        let given = parameters + 1;
        if *suspends {
            self.push(Code::CallbackShape, span, format!("`{name}` is `async` or a generator"), None);
        } else if *plain && (*required > given || most.is_some_and(|most| most < given)) {
            let message = format!("`{name}` is called with other parameters");
            self.push(Code::CallbackShape, span, message, Some(&format!("write it as `def {shape}`")));
        }
    }
}
