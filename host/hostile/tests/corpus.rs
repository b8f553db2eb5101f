//! The tables: every attack has its bytes, and what the checks say of it in this process is what the tables expect of the command.

use assay_hostile::{Attack, Class, Corpus, Material, Means};
use assay_validator::{Findings, check_component, check_source_bytes};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The corpus is at least this large, and the portion for the doctor at most.
const ATTACKS_MIN: usize = 150;
const DOCTOR_MAX: usize = 120;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/hostile")
}

fn corpus() -> Corpus {
    Corpus::read(&folder()).expect("the corpus reads")
}

fn codes(findings: &Findings) -> String {
    let codes: BTreeSet<&str> = findings.iter().map(|finding| finding.code.id()).collect();
    if codes.is_empty() { "passed".to_owned() } else { codes.into_iter().collect::<Vec<_>>().join(" ") }
}

/// What is wrong with an attack that is only checked; a crate's folder and a missing ending are the command's.
fn wrong(attack: &Attack) -> Option<String> {
    let Means::Check(material) = &attack.by else { return None };
    let (ending, bytes) = match (material, material.bytes()) {
        (Material::File(path), _) if path.is_dir() => return None,
        (Material::File(path), _) => ("rs", std::fs::read(path).expect("the file reads")),
        (_, Ok(Some(made))) => made,
        (_, made) => return Some(format!("{}: {:?}", attack.id, made.map(|_| ()))),
    };
    let findings = match ending {
        "rs" => check_source_bytes("attack.rs", &bytes),
        _ => check_component(bytes).err().unwrap_or_default(),
    };
    let seen = codes(&findings);
    (!attack.expect.fits(&seen)).then(|| format!("{}: expected {}, saw {seen}", attack.id, attack.expect))
}

#[test]
fn the_checks_see_what_the_tables_expect() {
    let wrong: Vec<String> = corpus().attacks.iter().filter_map(wrong).collect();
    assert!(wrong.is_empty(), "{} attacks:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_is_played_passes_the_checks() {
    let mut wrong = Vec::new();
    for attack in corpus().attacks {
        let guest = match &attack.by {
            Means::Play(play) => &play.guest,
            Means::Same(same) => &same.guest,
            _ => continue,
        };
        match guest.component().map(check_component) {
            Ok(Ok(_)) => {}
            Ok(Err(findings)) => wrong.push(format!("{}: {}", attack.id, codes(&findings))),
            Err(error) => wrong.push(format!("{}: {error}", attack.id)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_compiled_past_the_checks_has_bytes() {
    for attack in corpus().attacks {
        if let Means::Compile(compile) = &attack.by {
            assert!(matches!(compile.of.bytes(), Ok(Some(_))), "{}: {:?}", attack.id, compile.of.bytes().err());
        }
    }
}

/// A file without a class is refused for that alone, and shows nothing of what it tries.
#[test]
fn python_strategies_have_a_class() {
    for attack in corpus().attacks {
        if let Means::Run(Material::Python(text)) = &attack.by {
            assert!(text.lines().any(|line| line.starts_with("class ")), "{}: it has no class", attack.id);
        }
    }
}

#[test]
fn every_class_has_attacks_and_a_portion_for_the_doctor() {
    let built_in = Corpus::built_in().expect("the tables read").attacks;
    assert!(corpus().attacks.len() > built_in.len(), "the files are there as well");
    assert!(built_in.len() >= ATTACKS_MIN);
    for class in Class::ALL {
        assert!(built_in.iter().any(|attack| attack.class == class && attack.doctor), "none of class {class}");
    }
    assert!(built_in.iter().filter(|attack| attack.doctor).count() <= DOCTOR_MAX);
    for attack in &built_in {
        let is_whole = !attack.tries.is_empty() && attack.seconds > 0 && attack.megabytes > 0;
        assert!(is_whole, "{}", attack.id);
    }
}

/// What the source check refuses it has only read; the rest it goes on to compile, and a compiler needs more.
#[test]
fn a_file_that_is_compiled_has_another_bound_than_one_that_is_refused() {
    let bounds: BTreeSet<(bool, u64)> = corpus()
        .attacks
        .iter()
        .filter_map(|attack| match &attack.by {
            Means::Check(Material::File(path)) if !path.is_dir() => {
                let findings = check_source_bytes("attack.rs", &std::fs::read(path).expect("the file reads"));
                Some((findings.has_errors(), attack.megabytes))
            }
            _ => None,
        })
        .collect();
    assert_eq!(bounds, BTreeSet::from([(true, 128), (false, 256)]));
}
