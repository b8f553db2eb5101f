//! Attacks on the artifact cache: native code that somebody else has touched must never be mapped.

use super::play::{checked, entry, episode, sandbox};
use super::{Answer, Trouble, outcome_words};
use assay_hostile::{Cache, Guest, Spoil};
use assay_model::Budget;
use assay_sandbox::{CompileLimits, Origin, compile};
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

/// Bytes of an entry before what its authentication code covers: format and code.
const SIGNED_FROM: usize = 40;

/// Loads, loads from the cache, meddles, loads again: what the third load says is the answer.
pub(super) fn meddle(helper: &Path, attack: &Cache) -> Result<Answer, Trouble> {
    let cache = tempfile::tempdir()?;
    let guest = checked(&Guest::default())?;
    let load = || -> Result<Origin, Trouble> {
        let program = sandbox(helper, cache.path())?.load(&guest)?;
        let verdict = episode(&program, &Budget::default())?;
        match outcome_words(&serde_json::to_value(&verdict.outcome)?).0.as_str() {
            "finished" => Ok(program.origin()),
            outcome => Err(format!("the guest ended as {outcome}").into()),
        }
    };
    let expect = |wanted: Origin| match load()? {
        origin if origin == wanted => Ok::<(), Trouble>(()),
        origin => Err(format!("a load that should be {wanted:?} was {origin:?}").into()),
    };
    expect(Origin::Compiled)?;
    expect(Origin::Cached)?;
    spoil(helper, cache.path(), attack.spoil)?;
    let seen = match load()? {
        Origin::Recompiled { why } => format!("recompiled {}", format!("{why:?}").to_lowercase()),
        origin => format!("{origin:?}").to_lowercase(),
    };
    expect(Origin::Cached)?;
    Ok(Answer::new(seen, "and the entry is whole again"))
}

fn spoil(helper: &Path, cache: &Path, how: Spoil) -> Result<(), Trouble> {
    let path = entry(cache)?;
    let key = cache.join("key");
    let edit = |change: &dyn Fn(&mut Vec<u8>)| -> std::io::Result<()> {
        let mut bytes = fs::read(&path)?;
        change(&mut bytes);
        fs::write(&path, bytes)
    };
    match how {
        Spoil::Flip(place) => edit(&|bytes| {
            let at = if place < 0 { bytes.len().saturating_add_signed(place as isize) } else { place as usize };
            bytes[at] ^= 1;
        })?,
        Spoil::Truncate(length) => edit(&|bytes| bytes.truncate(length as usize))?,
        Spoil::Lengthen => edit(&|bytes| bytes.push(0))?,
        Spoil::Stale => {
            let key: [u8; 32] = fs::read(&key)?.try_into().map_err(|_| "the key has another length")?;
            edit(&|bytes| {
                bytes[SIGNED_FROM] ^= 1;
                let code = blake3::keyed_hash(&key, &bytes[SIGNED_FROM..]);
                bytes[SIGNED_FROM - 32..SIGNED_FROM].copy_from_slice(code.as_bytes());
            })?;
        }
        Spoil::BareArtifact => {
            let module = checked(&Guest::default())?.module().to_vec();
            fs::write(&path, compile(helper, &CompileLimits::STANDARD, &module)?)?;
        }
        Spoil::Foreign => {
            // Signed with the same key, for another component.
            fs::remove_file(&path)?;
            let other = Guest { tick: "(drop (call $cash))".to_owned(), ..Guest::default() };
            sandbox(helper, cache)?.load(&checked(&other)?)?;
            let foreign = entry(cache)?;
            fs::rename(foreign, &path)?;
        }
        Spoil::LoseKey => fs::remove_file(key)?,
        Spoil::OpenKey => fs::set_permissions(key, Permissions::from_mode(0o644))?,
        Spoil::Pipe => {
            fs::remove_file(&path)?;
            rustix::fs::mknodat(
                rustix::fs::CWD,
                &path,
                rustix::fs::FileType::Fifo,
                rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
                0,
            )?;
        }
        Spoil::Sparse => File::create(&path)?.set_len(50 << 30)?,
        Spoil::Link => {
            let elsewhere = cache.join("elsewhere");
            fs::rename(&path, &elsewhere)?;
            symlink(elsewhere, &path)?;
        }
    }
    Ok(())
}
