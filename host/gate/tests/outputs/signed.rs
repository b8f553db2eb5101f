//! Signed verdicts: others can verify them, and nothing that was changed, forged or malformed is taken.

use crate::support::{one_of_each, passed, read_by_others};
use assay_gate::sign::{
    ENVELOPE_BYTES_MAX, KeyError, PREDICATE_TYPE, PrivateKey, PublicKey, Refusal, SignError, sign, verify,
};
use assay_gate::{Decision, Verdict};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use ed25519_dalek::pkcs8::{DecodePrivateKey as _, EncodePublicKey as _, spki::der::pem::LineEnding};
use ed25519_dalek::{Signer as _, SigningKey, VerifyingKey};
use proptest::prelude::*;
use serde_json::{Value, json};

fn key() -> PrivateKey {
    PrivateKey::from_secret(&[7; 32])
}

/// An envelope as somebody with the key could make it of any payload.
fn envelope(payload_type: &str, payload: &[u8]) -> Value {
    let signer = SigningKey::from_bytes(&[7; 32]);
    let head = format!("DSSEv1 {} {payload_type} {} ", payload_type.len(), payload.len());
    let signature = signer.sign(&[head.as_bytes(), payload].concat()).to_bytes();
    json!({
        "payloadType": payload_type,
        "payload": STANDARD.encode(payload),
        "signatures": [{ "keyid": key().public().id(), "sig": STANDARD.encode(signature) }],
    })
}

fn file(envelope: &Value) -> Vec<u8> {
    format!("{envelope}\n").into_bytes()
}

const STATEMENT: &str = "application/vnd.in-toto+json";

fn statement() -> Value {
    let envelope: Value = serde_json::from_slice(&sign(&passed("good.rs"), &key()).expect("signed")).expect("JSON");
    let payload = STANDARD.decode(envelope["payload"].as_str().expect("text")).expect("base64");
    serde_json::from_slice(&payload).expect("JSON")
}

#[test]
fn what_is_signed_is_what_is_verified() {
    for verdict in one_of_each() {
        let signed = sign(&verdict, &key()).expect("signed");
        assert_eq!(verify(&signed, &key().public()).expect("it holds"), verdict);
        assert_eq!(sign(&verdict, &key()).expect("signed"), signed, "the same verdict gives the same bytes");
    }
    let mut unread = passed("lost.rs");
    unread.submission.hash = None;
    assert!(matches!(sign(&unread, &key()), Err(SignError::NoHash(name)) if name == "lost.rs"));
    let mut foreign = passed("good.rs");
    foreign.schema.version = "2.0".to_owned();
    assert!(matches!(sign(&foreign, &key()), Err(SignError::Schema { version, .. }) if version == "2.0"));
}

#[test]
fn others_verify_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let verdict = passed("good.rs");
    std::fs::write(folder.path().join("verdict.dsse.json"), sign(&verdict, &key()).expect("signed")).expect("written");
    std::fs::write(folder.path().join("key.pub"), key().public().to_pem().expect("PEM")).expect("written");
    let seen = &read_by_others(folder.path())["envelope"];
    assert_eq!(seen["accepted"].as_array().map(Vec::len), Some(1));
    let statement = &seen["statement"];
    assert_eq!(statement["_type"], "https://in-toto.io/Statement/v1");
    assert_eq!(statement["predicateType"], PREDICATE_TYPE);
    assert_eq!(statement["subject"], json!([{ "name": "good.rs", "digest": { "blake3": "a1".repeat(32) } }]));
    assert_eq!(statement["predicate"], serde_json::to_value(&verdict).expect("JSON"));
}

/// Changes of a good envelope, and the word of the refusal.
#[test]
fn hostile_envelopes_are_refused() {
    let good = envelope(STATEMENT, statement().to_string().as_bytes());
    let public = key().public();
    assert!(verify(&file(&good), &public).is_ok());
    let with = |change: &dyn Fn(&mut Value)| {
        let mut envelope = good.clone();
        change(&mut envelope);
        file(&envelope)
    };
    let text = good.to_string();
    let payload = good["payload"].as_str().expect("text").to_owned();
    let raw = |text: String| text.into_bytes();
    let sig = good["signatures"][0]["sig"].as_str().expect("text").to_owned();
    let url_safe = URL_SAFE.encode(STANDARD.decode(&sig).expect("base64"));
    // The last digit of 64 bytes has four bits that no byte takes: each of 16 digits would say the same.
    let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let last = digits.find(&sig[85..86]).expect("a digit");
    let stray = format!("{}{}==", &sig[..85], &digits[last + 1..last + 2]);
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("nothing", Vec::new(), "not a signed verdict"),
        ("not JSON", b"\x89PNG\r\n\x1a\n".to_vec(), "not a signed verdict"),
        ("huge", vec![b' '; ENVELOPE_BYTES_MAX + 1], "more than"),
        ("deep", raw("[".repeat(1 << 20)), "not a signed verdict"),
        ("deep in a member", raw(format!("{{\"payload\":{}", "{\"a\":".repeat(1 << 20))), "not a signed verdict"),
        ("a plain verdict", raw(serde_json::to_string(&passed("x")).expect("JSON")), "not a signed verdict"),
        ("twice the payload", raw(format!("{}\n", text.replacen('{', "{\"payload\":\"\",", 1))), "duplicate field"),
        ("a foreign member", with(&|e| e["note"] = json!("x")), "unknown field"),
        ("white space", raw(format!("{good:#}\n")), "not in canonical form"),
        ("no line feed", raw(text.clone()), "not in canonical form"),
        ("two line feeds", raw(format!("{text}\n\n")), "not in canonical form"),
        ("an escape", raw(format!("{}\n", text.replacen("in-toto", "in\\u002dtoto", 1))), "not in canonical form"),
        ("another type", with(&|e| e["payloadType"] = json!("text/plain")), "not an in-toto statement"),
        ("another type, signed", file(&envelope("text/plain", b"{}")), "not an in-toto statement"),
        ("no signature", with(&|e| e["signatures"] = json!([])), "0 signatures"),
        (
            "two signatures",
            with(&|e| e["signatures"] = json!([good["signatures"][0], good["signatures"][0]])),
            "2 signatures",
        ),
        ("another key", with(&|e| e["signatures"][0]["keyid"] = json!("\u{1b}[2J")), "another key"),
        ("no key", with(&|e| e["signatures"][0]["keyid"] = json!("")), "another key"),
        ("zero signature", with(&|e| e["signatures"][0]["sig"] = json!(STANDARD.encode([0; 64]))), "is not valid"),
        ("short signature", with(&|e| e["signatures"][0]["sig"] = json!(STANDARD.encode([0; 63]))), "is not valid"),
        (
            "no padding",
            with(&|e| e["signatures"][0]["sig"] = json!(sig.trim_end_matches('='))),
            "not in canonical form",
        ),
        ("stray bits", with(&|e| e["signatures"][0]["sig"] = json!(stray)), "not in canonical form"),
        ("stray padding", with(&|e| e["payload"] = json!(format!("{payload}===="))), "not in canonical form"),
        ("white space in base64", with(&|e| e["payload"] = json!(format!("{payload}\n"))), "not in canonical form"),
        ("the other base64", with(&|e| e["signatures"][0]["sig"] = json!(url_safe)), "not in canonical form"),
    ];
    check_refusals(cases);
    assert!(matches!(verify(&file(&good), &PrivateKey::from_secret(&[8; 32]).public()), Err(Refusal::OtherKey(_))));
}

/// Whoever has the key may sign anything; only a verdict that agrees with itself is taken.
#[test]
fn hostile_statements_are_refused() {
    let signing = |change: &dyn Fn(&mut Value)| {
        let mut statement = statement();
        change(&mut statement);
        file(&envelope(STATEMENT, statement.to_string().as_bytes()))
    };
    let again =
        statement().to_string().replacen("{\"_type\"", "{\"_type\":\"https://in-toto.io/Statement/v1\",\"_type\"", 1);
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("signed: not JSON", file(&envelope(STATEMENT, b"verdict")), "not a verdict"),
        ("signed: a foreign member", signing(&|s| s["note"] = json!("x")), "not a verdict"),
        ("signed: a member twice", file(&envelope(STATEMENT, again.as_bytes())), "duplicate field"),
        ("signed: white space", file(&envelope(STATEMENT, format!("{:#}", statement()).as_bytes())), "not a verdict"),
        ("signed: another statement", signing(&|s| s["_type"] = json!("https://in-toto.io/Statement/v0.1")), "_type"),
        (
            "signed: another predicate",
            signing(&|s| s["predicateType"] = json!("https://slsa.dev/provenance/v1")),
            "predicateType",
        ),
        ("signed: another schema", signing(&|s| s["predicate"]["schema"]["version"] = json!("2.0")), "schema.version"),
        (
            "signed: two subjects",
            signing(&|s| s["subject"] = json!([s["subject"][0], s["subject"][0]])),
            "not a verdict",
        ),
        ("signed: no subject", signing(&|s| s["subject"] = json!([])), "not a verdict"),
        ("signed: another name", signing(&|s| s["subject"][0]["name"] = json!("bad.rs")), "subject"),
        ("signed: another digest", signing(&|s| s["subject"][0]["digest"]["blake3"] = json!("00")), "subject"),
        (
            "signed: a wrong decision",
            signing(&|s| s["predicate"]["checks"][0]["decision"] = json!("fail")),
            "decision, pass, does not follow",
        ),
        (
            "signed: nothing tried",
            signing(&|s| s["predicate"]["trials"] = json!([])),
            "decision, pass, does not follow",
        ),
    ];
    check_refusals(cases);
}

/// Each is refused with a message that has the word, is short, and drives no terminal.
fn check_refusals(cases: Vec<(&str, Vec<u8>, &str)>) {
    for (name, bytes, word) in cases {
        let refusal = verify(&bytes, &key().public()).map(|_| name).expect_err("it is refused").to_string();
        assert!(refusal.contains(word), "{name}: {refusal}");
        assert!(refusal.len() < 500 && !refusal.contains('\u{1b}'), "{name}: {refusal}");
    }
}

#[test]
fn keys_are_those_of_openssl_and_none_is_weak() {
    let (private, public) = (key().to_pem().expect("PEM"), key().public().to_pem().expect("PEM"));
    assert_eq!(PrivateKey::from_pem(&private).expect("a key").public(), key().public());
    assert_eq!(PublicKey::from_pem(&public).expect("a key"), key().public());
    assert!(SigningKey::from_pkcs8_pem(&private).is_ok() && private.lines().count() == 3, "{}", *private);
    // The eight points of small order, as RFC 7748 and the literature list them; one signature holds for every message.
    let small = [
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    ];
    for point in small {
        let bytes: Vec<u8> =
            (0..32).map(|at| u8::from_str_radix(&point[2 * at..2 * at + 2], 16).expect("hexadecimal")).collect();
        let weak = VerifyingKey::from_bytes(&bytes.try_into().expect("32 bytes")).expect("a point");
        let pem = weak.to_public_key_pem(LineEnding::LF).expect("PEM");
        assert_eq!(PublicKey::from_pem(&pem).expect_err("it is weak"), KeyError::Weak, "{point}");
    }
    let rsa = public.replace("PUBLIC KEY", "RSA PUBLIC KEY");
    let cases = [
        ("", KeyError::Public),
        ("x", KeyError::Public),
        (private.as_str(), KeyError::NotPublic),
        (&rsa, KeyError::Public),
    ];
    for (text, error) in cases {
        assert_eq!(PublicKey::from_pem(text).expect_err("no key"), error, "{text}");
    }
    for text in ["", public.as_str(), &private[..private.len() / 2]] {
        assert_eq!(PrivateKey::from_pem(text).map(|_| ()).expect_err("no key"), KeyError::Private, "{text}");
    }
    assert!(!format!("{:?}", key()).contains(&format!("{:?}", [7; 32])), "a key is not printed");
}

/// Every byte, with one bit of it flipped.
#[test]
fn any_flipped_byte_is_refused() {
    let mut small: Verdict = passed("s");
    small.trials.truncate(1);
    let signed = sign(&small, &key()).expect("signed");
    let public = key().public();
    for at in 0..signed.len() {
        let mut changed = signed.clone();
        changed[at] ^= 1 << (at % 8);
        assert!(verify(&changed, &public).is_err(), "byte {at}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn any_change_is_refused(at in any::<prop::sample::Index>(), byte in any::<u8>(), what in 0..3) {
        let signed = sign(&passed("good.rs"), &key()).expect("signed");
        let at = at.index(signed.len());
        let mut changed = signed.clone();
        match what {
            0 => changed[at] = byte,
            1 => changed.insert(at, byte),
            _ => { changed.remove(at); }
        }
        prop_assert_eq!(verify(&changed, &key().public()).is_ok(), changed == signed);
    }

    #[test]
    fn arbitrary_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(verify(&bytes, &key().public()).is_err());
    }

    #[test]
    fn no_decision_that_does_not_follow_is_signed(stated in 0..4_usize) {
        let decision = [Decision::Pass, Decision::Fail, Decision::Unscored, Decision::Rejected][stated];
        for mut verdict in one_of_each() {
            let follows = verdict.decision == decision;
            verdict.decision = decision;
            prop_assert_eq!(sign(&verdict, &key()).is_ok(), follows);
        }
    }
}
