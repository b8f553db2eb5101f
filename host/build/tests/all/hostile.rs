//! Source that attacks the compiler or, through it, the machine. The validator refuses most of this first; here it gets past.

use std::time::{Duration, Instant};

use assay_build::{BuildError, BuildLimits, BuildSettings, Exceeded, brief};

use crate::{INERT, build_file, settings};

/// Tight limits, so that bombs end soon.
fn tight() -> BuildSettings {
    let limits = BuildLimits { file_wall: Duration::from_secs(4), memory_bytes: 1 << 30, ..BuildLimits::STANDARD };
    BuildSettings { limits, ..settings() }
}

#[test]
fn the_compiler_cannot_read_or_reach_outside() {
    let secret = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(secret.path(), "\"the secret\"").expect("the file can be written");
    let secret = secret.path().display();
    let cases = [
        "const X: &str = include_str!(\"/etc/passwd\");".to_owned(),
        format!("const X: &str = include_str!(\"{secret}\");"),
        format!("const X: &[u8] = include_bytes!(\"{secret}\");"),
        format!("const X: &str = include!(\"{secret}\");"),
        format!("#[path = \"{secret}\"] mod outside;"),
        format!("#![doc = include_str!(\"{secret}\")]"),
        "const X: &str = env!(\"HOME\");".to_owned(),
        "const X: &str = env!(\"PATH\");".to_owned(),
    ];
    for case in cases {
        let error = build_file("reader.rs", &format!("{case}\n{INERT}"), &settings()).expect_err(&case);
        let BuildError::Compile(messages) = &error else { panic!("{case}: {error:?}") };
        assert!(messages.iter().all(|message| !message.rendered.contains("the secret")), "{case}: {messages:?}");
    }
}

#[test]
fn compile_bombs_end_in_a_typed_error() {
    let doubling: String = (1..40).map(|level| format!("type T{level} = (T{0}, T{0});\n", level - 1)).collect();
    let cases = [
        // Ends by a lint of the compiler's own, and with that switched off by the deadline.
        "const X: () = loop {};".to_owned(),
        "#![allow(long_running_const_eval)]\nconst X: () = loop {};\npub fn f() { X }".to_owned(),
        "macro_rules! m { ($($t:tt)*) => { m! { $($t)* $($t)* x } } } m! { x }".to_owned(),
        "#![recursion_limit = \"100000000\"]\nmacro_rules! m { ($($t:tt)*) => { m! { $($t)* x } } } m! { x }".to_owned(),
        format!("type T0 = u8;\n{doubling}pub static X: Option<T39> = None;"),
        "pub struct S<T>(T); pub trait F { fn f(self); } impl<T> F for S<T> where S<S<T>>: F { fn f(self) {} } pub fn g() { S(1).f() }".to_owned(),
        "pub fn f<const N: usize>() { f::<{ N }>(); g::<(u8,)>() } fn g<T>() { g::<(T, T)>() }".to_owned(),
        "pub static X: [u64; 1 << 40] = [1; 1 << 40];".to_owned(),
        "pub static X: [u64; 1 << 26] = [1; 1 << 26];".to_owned(),
        "#![recursion_limit = \"1000000\"]\nmacro_rules! m { ($($t:tt)*) => { m! { $($t)* $($t)* x } } } m! { x }".to_owned(),
        "pub const fn f(n: usize) -> usize { let mut a = [0u8; 1 << 29]; a[n] = 1; let mut b = a; b[n] = 2; a[n] as usize + b[n+1] as usize } pub static S: [u8; 1000] = [f(3) as u8; 1000];".to_owned(),
        format!("pub const X: u32 = {}1{};", "(".repeat(50_000), ")".repeat(50_000)),
        format!("pub fn f() -> i32 {{ {} 1 }}", "1 + ".repeat(200_000)),
        format!("pub fn f() {{ {} }}", "{".repeat(20_000) + &"}".repeat(20_000)),
    ];
    for case in cases {
        let start: String = case.chars().take(70).collect();
        let started = Instant::now();
        let ended = build_file("bomb.rs", &format!("{case}\n{INERT}"), &tight());
        assert!(started.elapsed() < Duration::from_secs(60), "{start}: {:?}", started.elapsed());
        match ended {
            // Some need not be bombs to every compiler release; what counts is that they end.
            Ok(_) | Err(BuildError::CompilerExceeded(_) | BuildError::NotAStrategy { .. }) => {}
            Err(BuildError::Compile(messages)) => assert!(!brief(&messages).is_empty(), "{start}"),
            Err(error) => panic!("{start}: {error:?}"),
        }
    }
}

#[test]
fn time_memory_and_stack_limits_are_named() {
    let endless = "#![allow(long_running_const_eval)]\nconst X: () = loop {};\npub fn f() { X }";
    let limits = BuildLimits { file_wall: Duration::from_secs(2), ..BuildLimits::STANDARD };
    let error =
        build_file("x.rs", &format!("{endless}\n{INERT}"), &BuildSettings { limits, ..settings() }).unwrap_err();
    assert!(matches!(error, BuildError::CompilerExceeded(Exceeded::Time { .. })), "{error:?}");
    assert_eq!(error.to_string(), "failed to compile: the compiler exceeded 2 s");
    assert!(error.is_fault_of_source() && error.hint().is_some());

    // Time enough on any machine to reach the limit that is meant.
    let patient =
        BuildSettings { limits: BuildLimits { file_wall: Duration::from_secs(120), ..tight().limits }, ..tight() };
    let growing = "macro_rules! m { ($($t:tt)*) => { m! { $($t)* $($t)* x } } } m! { x }";
    let error = build_file("x.rs", &format!("{growing}\n{INERT}"), &patient).unwrap_err();
    assert!(matches!(error, BuildError::CompilerExceeded(Exceeded::Memory { .. })), "{error:?}");
    assert_eq!(error.to_string(), "failed to compile: the compiler exceeded 1024 MiB");

    let nested = format!("pub const X: u32 = {}1{};", "(".repeat(50_000), ")".repeat(50_000));
    let error = build_file("x.rs", &format!("{nested}\n{INERT}"), &patient).unwrap_err();
    assert!(matches!(error, BuildError::CompilerExceeded(Exceeded::Stack)), "{error:?}");
}
