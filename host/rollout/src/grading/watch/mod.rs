//! What a plugin of ours saw become something else in the process that tests: functions of the runner, tracing, handlers at the exit.
//!
//! The plugin is put beside pytest by the job's script, under a name drawn for the run, and is gone from the disk once it is loaded. Its report is one line
//! of the log that begins with a token drawn for the run, and is taken out of the log.
//!
//! Invariant: what it says is a flag, and a reason against a reward only where the right fix shows nothing of the kind.

use std::collections::BTreeSet;

use super::draw::Draw;

const PLUGIN: &str = include_str!("watch.py");
/// How the line of the report begins.
const LINE: &str = "assay-watch ";
/// Where an interpreter looks for pytest: a module beside it is found as it is.
pub(super) const PLACES: &str = "/usr/lib/python3/dist-packages /usr/lib/python3*/site-packages /usr/local/lib/python3*/*-packages \
    /opt/*/lib/python3*/site-packages /opt/*/envs/*/lib/python3*/site-packages .venv/lib/python3*/site-packages";

/// One run's watch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Watch {
    module: String,
    token: String,
}

impl Watch {
    pub(super) fn drawn(draw: &mut Draw) -> Self {
        // A name as packages have them: it says nothing to whoever lists modules.
        Self { module: format!("_{}", &draw.hex()[..12]), token: draw.hex() }
    }

    /// What goes before a job's script: the plugin, beside each pytest that there is. [`super::script`] asks pytest to load it.
    pub(super) fn script(&self) -> String {
        let Self { module, token } = self;
        let plugin = PLUGIN.replace("@TOKEN@", token);
        format!(
            "IFS= read -r -d '' assay_plugin << 'END_OF_PLUGIN'\n{plugin}END_OF_PLUGIN\nassay_watch=\nASSAY_PLACES=\n\
             for assay_place in {PLACES}; do\n  [[ -d $assay_place/_pytest ]] || continue\n  \
             printf '%s' \"$assay_plugin\" > \"$assay_place/{module}.py\" || continue\n  \
             ASSAY_PLACES+=$assay_place/{module}.py:\n  assay_watch={module}\ndone\nexport ASSAY_PLACES\nunset assay_plugin assay_place\n"
        )
    }

    /// Takes the report out of a log: what was seen, or `None` where there is not exactly one report.
    pub(super) fn take(&self, log: &mut Vec<u8>) -> Option<BTreeSet<String>> {
        let start = format!("{LINE}{} ", self.token);
        let mut seen = Vec::new();
        let lines = log.split_inclusive(|byte| *byte == b'\n');
        let kept: Vec<&[u8]> = lines
            .filter(|line| match line.strip_prefix(start.as_bytes()) {
                Some(rest) => {
                    seen.push(serde_json::from_slice::<BTreeSet<String>>(rest).ok());
                    false
                }
                None => true,
            })
            .collect();
        *log = kept.concat();
        match <[_; 1]>::try_from(seen) {
            Ok([report]) => report,
            Err(_) => None,
        }
    }
}

/// Whether what was seen has no honest reason: tests or the functions that run them were replaced, or something follows each of their steps.
pub(super) fn is_of_the_runner(seen: &str) -> bool {
    ["runner:_pytest", "runner:pluggy", "runner:unittest", "runner:os.", "tracing:", "test:"]
        .iter()
        .any(|kind| seen.starts_with(kind))
}

#[cfg(test)]
mod tests {
    use super::super::draw::Secret;
    use super::*;

    #[test]
    fn one_report_is_taken_and_nothing_else_is_changed() {
        let watch = Watch::drawn(&mut Secret::new([7; 32]).draw("a run"));
        let line = |token: &str, text: &str| format!("assay-watch {token} {text}\n");
        let mut log = format!("a\n{}b\n{}", line(&watch.token, "[\"tracing:x\"]"), line("forged", "[]")).into_bytes();
        assert_eq!(watch.take(&mut log), Some(BTreeSet::from(["tracing:x".to_owned()])));
        assert_eq!(log, format!("a\nb\n{}", line("forged", "[]")).into_bytes());
        assert_eq!(watch.take(&mut log), None);
        let mut twice = line(&watch.token, "[]").repeat(2).into_bytes();
        assert_eq!(watch.take(&mut twice), None);
        assert!(watch.script().contains(&watch.token) && !watch.script().contains("@TOKEN@"));
    }

    #[test]
    fn what_has_no_honest_reason() {
        for (seen, expected) in [
            ("runner:_pytest.python.Function.runtest", true),
            ("runner:pluggy._callers._multicall", true),
            ("runner:unittest.case.TestCase.run", true),
            ("runner:os._exit", true),
            ("tracing:sys.gettrace", true),
            ("test:test_slices", true),
            ("at_exit:2", false),
            ("signal:15", false),
            ("runner:builtins.print", false),
        ] {
            assert_eq!(is_of_the_runner(seen), expected, "{seen}");
        }
    }
}
