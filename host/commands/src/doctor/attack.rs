//! The child that an attack runs in, where no command of the ordinary ones does: an order on standard input, an answer on standard output.

mod cache;
mod play;
mod python;

use assay_hostile::{Compile, Means};
use assay_sandbox::{CompileError, CompileFailure, CompileLimits};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The hidden first argument.
pub const WORD: &str = "attack";
/// The longest order: the largest attack, doubled by quoting.
const ORDER_BYTES_MAX: u64 = 16 << 20;

/// What to do.
#[derive(Serialize, Deserialize)]
pub(super) struct Order {
    /// By which means.
    pub means: Means,
    /// Where the compiled Python interpreter is kept. Strategies are compiled into a folder of the attack's own.
    pub cache: PathBuf,
}

/// What became of it.
#[derive(Serialize, Deserialize)]
pub(super) struct Answer {
    /// In the words of the tables.
    pub seen: String,
    /// More about it.
    pub detail: String,
}

impl Answer {
    fn new(seen: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { seen: seen.into(), detail: detail.into() }
    }
}

/// Why there is no answer: the attack could not be carried out.
type Trouble = Box<dyn std::error::Error>;

/// The whole life of the child.
pub fn main() -> ExitCode {
    let answer = order().and_then(|order| carry_out(&order));
    let answer = answer.unwrap_or_else(|trouble| Answer::new(format!("not carried out: {trouble}"), ""));
    match serde_json::to_string(&answer) {
        Ok(line) => crate::face::out(&line),
        Err(_) => return ExitCode::FAILURE,
    }
    ExitCode::SUCCESS
}

fn order() -> Result<Order, Trouble> {
    let mut bytes = Vec::new();
    std::io::stdin().take(ORDER_BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(serde_json::from_slice(&bytes)?)
}

fn carry_out(order: &Order) -> Result<Answer, Trouble> {
    let helper = std::env::current_exe()?;
    match &order.means {
        Means::Play(attack) => play::play(&helper, attack),
        Means::Same(attack) => play::same(&helper, attack),
        Means::Cache(attack) => cache::meddle(&helper, attack),
        Means::Compile(attack) => compile(&helper, attack),
        Means::Python(attack) => python::run(&helper, &order.cache, &attack.cells),
        Means::Any(path) => python::run(&helper, &order.cache, &[std::fs::read_to_string(path)?]),
        Means::Check(_) | Means::Run(_) | Means::Score(_) => Err("a separate command does that".into()),
    }
}

/// Gives a module to the compiler, past all checks.
fn compile(helper: &Path, attack: &Compile) -> Result<Answer, Trouble> {
    let (_, module) = attack.of.bytes()?.ok_or("a module has no file")?;
    let usual = CompileLimits::STANDARD;
    let limits = CompileLimits {
        memory_bytes: attack.megabytes.map_or(usual.memory_bytes, |megabytes| megabytes << 20),
        cpu_seconds: attack.cpu_seconds.unwrap_or(usual.cpu_seconds),
        ..usual
    };
    Ok(match assay_sandbox::compile(helper, &limits, &module) {
        Ok(artifact) => Answer::new("compiled", format!("{} bytes of native code", artifact.len())),
        Err(CompileError::Component(failure)) => Answer::new(
            match &failure {
                CompileFailure::Refused { .. } => "refused",
                CompileFailure::TooSlow { .. } => "too_slow",
                CompileFailure::TooMuchMemory { .. } => "too_much_memory",
                CompileFailure::TooLarge { .. } => "too_large",
                CompileFailure::Crashed { .. } => "crashed",
            },
            failure.to_string(),
        ),
        Err(error) => Answer::new("infrastructure", error.to_string()),
    })
}

/// An outcome as the tables write it, such as `out_of_fuel on_tick callback`, and its message.
pub(super) fn outcome_words(outcome: &Value) -> (String, String) {
    let words = ["kind", "callback", "scope", "trap", "limit"].iter().filter_map(|field| outcome[field].as_str());
    let message = ["message", "reason", "what"].iter().find_map(|field| outcome[field].as_str());
    (words.collect::<Vec<_>>().join(" "), message.unwrap_or_default().to_owned())
}
