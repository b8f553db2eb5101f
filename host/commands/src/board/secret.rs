//! The secret of a board's sealed seeds, which also authenticates what the board says of itself. Nothing here names a seed.

use super::settings::SecretSettings;
use crate::Failure;
use assay_evaluate::Seeds;
use assay_evaluate::board::{BoardDefinition, SealedSeeds};
use assay_files::Links;
use assay_gate::policy::{SECRET_CHARS_MIN, Secret};
use assay_model::Seed;

/// Separate these uses of a secret from every other; part of the format.
const SEALED_CONTEXT: &str = "assay.board 1 sealed seeds";
const COMMITMENT_CONTEXT: &str = "assay.board 2 commitment to a season";
const PUBLIC_CONTEXT: &str = "assay.board 1 public seeds";
/// A longer file is not a secret.
const SECRET_BYTES_MAX: u64 = 4_096;

pub(super) fn read(settings: &SecretSettings) -> Result<Secret, Failure> {
    let hint = "head -c 24 /dev/urandom | base64 > secret.txt, and --secret-file secret.txt";
    let (text, place) = match (&settings.secret_env, &settings.secret_file) {
        (Some(name), _) => {
            let place = format!("the variable {name}");
            let text = std::env::var(name).map_err(|error| {
                Failure::usage(format!("failed to read the secret from {place}: {error}")).hint(hint)
            })?;
            (text, place)
        }
        (None, Some(path)) => {
            let place = path.display().to_string();
            let text = assay_files::read_text(path, Links::Followed, SECRET_BYTES_MAX).map_err(|error| {
                Failure::usage(format!("failed to read the secret from {place}: {error}")).hint(hint)
            })?;
            (text, place)
        }
        (None, None) => return Err(Failure::usage("the secret of the sealed seeds is missing").hint(hint)),
    };
    Secret::new(&text).ok_or_else(|| {
        Failure::usage(format!("{place} is too short for a secret"))
            .hint(format!("use at least {SECRET_CHARS_MIN} characters: {hint}"))
    })
}

/// The sealed seeds of a season.
pub(super) fn sealed(secret: &Secret, label: &str, count: u64, public: &[u64]) -> Result<Seeds, Failure> {
    secret
        .seeds(SEALED_CONTEXT, label, count, &|seed| public.contains(&seed.0))
        .map_err(|fault| Failure::usage(format!("failed to draw the sealed seeds: {fault}")))
}

/// What is published of the sealed seeds of a board. It covers everything else that the board says, so whoever changes that needs the secret.
pub(super) fn commitment(secret: &Secret, seeds: &Seeds, board: &BoardDefinition) -> Result<String, Failure> {
    let sealed = SealedSeeds { commitment: String::new(), ..board.sealed.clone() };
    let terms = serde_json::to_vec(&BoardDefinition { sealed, ..board.clone() })
        .map_err(|error| Failure::infrastructure(format!("failed to write the board: {error}")))?;
    Ok(secret.commitment_to(COMMITMENT_CONTEXT, seeds, &terms))
}

/// The sealed seeds of a board, if this is its secret and the board says what it said when it was made.
pub(super) fn of_board(secret: &Secret, board: &BoardDefinition) -> Result<Seeds, Failure> {
    let label = BoardDefinition::label(&board.name, board.season, &board.scenario.hash);
    let seeds = sealed(secret, &label, board.sealed.count, &board.public)?;
    if commitment(secret, &seeds, board)? != board.sealed.commitment {
        return Err(Failure::usage(format!(
            "this is not the secret of season {} of {}, or board.json was changed since the season was made: they do not match",
            board.season, board.name
        ))
        .hint("ask the person who created the board; if the secret is lost and nobody has a copy of the file, the season is over"));
    }
    Ok(seeds)
}

/// Public seeds that nobody chose: the first of a stream that board, season and market decide. Small enough to be typed.
pub(super) fn public(label: &str, count: u64) -> Result<Seeds, Failure> {
    let mut hasher = blake3::Hasher::new_derive_key(PUBLIC_CONTEXT);
    hasher.update(label.as_bytes());
    let mut stream = hasher.finalize_xof();
    let mut seeds: Vec<Seed> = Vec::new();
    while (seeds.len() as u64) < count {
        let mut bytes = [0; 4];
        stream.fill(&mut bytes);
        let seed = Seed(u64::from(u32::from_le_bytes(bytes)));
        if !seeds.contains(&seed) {
            seeds.push(seed);
        }
    }
    Seeds::list(seeds.into_iter().map(|seed| seed.0).collect()).map_err(Failure::usage)
}
