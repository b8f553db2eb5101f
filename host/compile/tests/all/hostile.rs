//! Source that attacks the compiler or, through it, the machine. The validator refuses most of this first; here it gets past.

use std::time::{Duration, Instant};

use assay_compile::{BuildError, BuildLimits, BuildSettings, Built, Exceeded, Level, Toolchain, brief};

use crate::{INERT, build_crate, build_file, settings};

/// Tight limits, so that bombs end soon.
fn tight() -> BuildSettings {
    let limits = BuildLimits { file_seconds: 4, memory_bytes: 1 << 30, ..BuildLimits::STANDARD };
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

/// What takes addresses is nobody's but the SDK's: with it safe code could read, write and free whatever it likes of its own memory.
#[test]
fn no_safe_code_hands_an_address_to_the_host() {
    let built = |expression: &str| {
        let text = format!("{INERT}\npub fn reach() {{ let _ = {expression}; }}\n");
        build_file("reach.rs", &text, &settings())
    };
    // What the exports of a strategy are made of can be named.
    built("assay_sdk::abi::Seat::<Inert>::empty()").expect("it compiles");
    // Not there, private (as a module or function, in a name, a field, a constant), or without a value of its own.
    let closed = ["E0425", "E0603", "E0423", "E0451", "E0624", "E0277"];
    for case in [
        "assay_sdk::abi::text(16 as *mut u8, 8)",
        "assay_sdk::abi::import::log(16 as *const u8, 8)",
        "assay_sdk::abi::import::depth(0, 9, 16 as *mut _)",
        "assay_sdk::abi::import::panicked(16 as *const u8, 8)",
        "assay_sdk::abi::List::<u8> { start: 16 as *mut u8, length: 8 }",
        "assay_sdk::abi::List::<u8>::EMPTY",
        "assay_sdk::abi::config(Box::default())",
        "assay_sdk::abi::cabi_realloc(16 as *mut u8, 8, 1, 0)",
        "assay_sdk::abi::Imports(())",
    ] {
        let error = built(case).expect_err(case);
        let BuildError::Compile(messages) = &error else { panic!("{case}: {error:?}") };
        let mut codes = messages.iter().filter_map(|message| message.code.as_deref());
        assert!(codes.any(|code| closed.contains(&code)), "{case}: {messages:?}");
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
        assert!(started.elapsed() < Duration::from_secs(600), "{start}: {:?}", started.elapsed());
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
    let limits = BuildLimits { file_seconds: 2, ..BuildLimits::STANDARD };
    let error =
        build_file("x.rs", &format!("{endless}\n{INERT}"), &BuildSettings { limits, ..settings() }).unwrap_err();
    assert!(matches!(error, BuildError::CompilerExceeded(Exceeded::Time { .. })), "{error:?}");
    assert_eq!(error.to_string(), "failed to compile: the compiler exceeded 2 s of processor time");
    assert!(error.is_fault_of_source() && error.hint().is_some());

    // Time enough on any machine to reach the limit that is meant.
    let patient = BuildSettings { limits: BuildLimits { file_seconds: 120, ..tight().limits }, ..tight() };
    let growing = "macro_rules! m { ($($t:tt)*) => { m! { $($t)* $($t)* x } } } m! { x }";
    let error = build_file("x.rs", &format!("{growing}\n{INERT}"), &patient).unwrap_err();
    assert!(matches!(error, BuildError::CompilerExceeded(Exceeded::Memory { .. })), "{error:?}");
    assert_eq!(error.to_string(), "failed to compile: the compiler exceeded 1024 MiB");

    let nested = format!("pub const X: u32 = {}1{};", "(".repeat(50_000), ")".repeat(50_000));
    let error = build_file("x.rs", &format!("{nested}\n{INERT}"), &patient).unwrap_err();
    assert!(matches!(error, BuildError::CompilerExceeded(Exceeded::Stack)), "{error:?}");
}

/// A compiler that is a script of the shell, with a cache of its own. `sleep` is beside it.
struct Fake(tempfile::TempDir);

/// What such a compiler makes of the SDK: a library that nothing reads.
const MAKES_SDK: &str = "case \"$*\" in *\"--crate-name assay_sdk\"*) echo sdk > libassay_sdk.rlib; exit 0;; esac";

impl Fake {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let bin = folder.path().join("toolchain/bin");
        std::fs::create_dir_all(&bin).expect("the folder can be made");
        for tool in ["sh", "sleep"] {
            std::fs::copy(format!("/bin/{tool}"), bin.join(tool)).expect("the tool can be copied");
        }
        Self(folder)
    }

    /// What becomes of a file where the compiler is this script from now on.
    fn build(&self, script: &str, limits: BuildLimits) -> BuildError {
        let sysroot = self.0.path().join("toolchain");
        let bin = sysroot.join("bin");
        let text = format!("#!{0}/sh\nbin={0}\n{script}\n", bin.display());
        std::fs::write(bin.join("rustc"), text).expect("the compiler can be written");
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(bin.join("rustc"), executable).expect("the compiler can be made executable");
        let toolchain = Some(Toolchain { sysroot, version: "1.95.0 (fake)".to_owned(), commit: "fake".to_owned() });
        let cache = self.0.path().join("cache");
        build_file("x.rs", INERT, &BuildSettings { limits, toolchain, cache, ..settings() }).expect_err(script)
    }
}

/// What becomes of a file where the compiler is this script, except for the SDK.
fn build_with(script: &str, limits: BuildLimits) -> BuildError {
    Fake::new().build(&format!("{MAKES_SDK}\n{script}"), limits)
}

/// The same where the compiler has become like this since it compiled the SDK, which it could not do again.
fn build_with_broken(script: &str) -> BuildError {
    let fake = Fake::new();
    let first = fake.build(&format!("{MAKES_SDK}\nexit 1"), BuildLimits::STANDARD);
    assert!(first.is_fault_of_source(), "{script}: {first:?}");
    fake.build(script, BuildLimits::STANDARD)
}

#[test]
fn only_processor_time_is_the_sources_fault() {
    // The clock goes on while the compiler does nothing, as it does while others have the processors.
    let limits = BuildLimits { file_wall: Duration::from_secs(1), ..BuildLimits::STANDARD };
    let started = Instant::now();
    let late = build_with("exec $bin/sleep 1000", limits);
    assert!(matches!(late, BuildError::Late { .. }) && !late.is_fault_of_source(), "{late:?}");
    assert!(late.to_string().contains("was not done after 1 s, in which it was given 0 s of processor time"), "{late}");
    assert!(late.hint().is_some_and(|hint| hint.contains("says nothing about the strategy")));
    assert!(started.elapsed() >= 2 * limits.file_wall, "there was one attempt: {:?}", started.elapsed());

    // No attempt begins when the time of all of them is over.
    let one = BuildLimits { wall: limits.file_wall, ..BuildLimits::STANDARD };
    let once = build_with("[ -e tried ] && exit 0; : > tried; exec $bin/sleep 1000", one);
    assert!(matches!(once, BuildError::Late { .. }), "{once:?}");

    // A second attempt that ends decides; this one left no module.
    let limits = BuildLimits { file_wall: Duration::from_secs(5), ..BuildLimits::STANDARD };
    let second = build_with("[ -e tried ] && exit 0; : > tried; exec $bin/sleep 1000", limits);
    assert!(matches!(second, BuildError::Io { .. }), "{second:?}");

    let limits = BuildLimits { file_seconds: 1, ..BuildLimits::STANDARD };
    let busy = build_with("while :; do :; done", limits);
    assert!(matches!(busy, BuildError::CompilerExceeded(Exceeded::Time { .. })), "{busy:?}");
    assert_eq!(busy.to_string(), "failed to compile: the compiler exceeded 1 s of processor time");
    assert!(busy.is_fault_of_source());
}

#[test]
fn a_program_below_the_compiler_that_the_kernel_ended_is_judged_alike() {
    let linker = |signal: &str, spans: &str| {
        let message = format!("linking with `rust-lld` failed: signal: 0 ({signal})");
        let said = format!(
            r#"{{"message":"{message}","code":null,"level":"error","spans":[{spans}],"children":[],"rendered":"x"}}"#
        );
        build_with(&format!("echo '{said}' >&2; exit 1"), BuildLimits::STANDARD)
    };
    let place = r#"{"file_name":"x.rs","line_start":1,"column_start":1,"line_end":1,"column_end":2,"byte_start":0,"byte_end":1,"is_primary":true,"text":[],"label":null,"suggested_replacement":null,"suggestion_applicability":null,"expansion":null}"#;
    let killed = linker("SIGKILL", "");
    assert!(matches!(killed, BuildError::Killed { .. }) && !killed.is_fault_of_source(), "{killed:?}");
    let slow = linker("SIGXCPU", "");
    assert!(matches!(slow, BuildError::CompilerExceeded(Exceeded::Time { .. })), "{slow:?}");
    // The author's own words, which have a place.
    let said = linker("SIGKILL", place);
    assert!(matches!(said, BuildError::Compile(_)), "{said:?}");

    let cargo = "echo \"process didn't exit successfully: \\`rustc --crate-name x\\` (signal: 9, SIGKILL: kill)\" >&2";
    let killed = build_with(&format!("{cargo}; exit 101"), BuildLimits::STANDARD);
    assert!(matches!(killed, BuildError::Killed { .. }), "{killed:?}");
    // The author's own words: the crate's name is in the command.
    let named =
        cargo.replace("--crate-name x", "--crate-name SIGKILL").replace("9, SIGKILL: kill", "11, SIGSEGV: fault");
    let crashed = build_with(&format!("{named}; exit 101"), BuildLimits::STANDARD);
    assert!(matches!(crashed, BuildError::CompilerExceeded(Exceeded::Crash)), "{crashed:?}");
}

/// A message of the compiler about no place in the source, as a command of the shell.
fn placeless(level: &str, message: &str) -> String {
    format!(
        r#"echo '{{"message":"{message}","code":null,"level":"{level}","spans":[],"children":[],"rendered":"{message}"}}' >&2"#
    )
}

/// Whoever could make the compiler crash could otherwise choose to be unscored.
#[test]
fn a_source_on_which_the_compiler_crashes_is_told_from_a_compiler_that_is_broken() {
    let full = placeless("error", "failed to write strategy.wasm: No space left on device (os error 28)");
    for script in [
        "exit 1".to_owned(),
        "exit 101".to_owned(),
        "echo \"thread 'rustc' panicked at compiler/rustc_middle/src/ty/mod.rs:1:1\" >&2; exit 101".to_owned(),
        "echo 'LLVM ERROR: Cannot select' >&2; exit 134".to_owned(),
        format!("{}; exit 101", placeless("warning", "unused")),
        // It has filled the disk, or somebody else has.
        format!("{full}; exit 1"),
    ] {
        let crashed = build_with(&script, BuildLimits::STANDARD);
        assert!(matches!(crashed, BuildError::CompilerExceeded(Exceeded::Crash)), "{script}: {crashed:?}");
        assert!(crashed.is_fault_of_source() && crashed.hint().is_some(), "{script}");
        assert_eq!(crashed.to_string(), "failed to compile: the compiler crashed on this source, twice");
        let broken = build_with_broken(&script);
        assert!(matches!(broken, BuildError::CompilerFailed { .. }), "{script}: {broken:?}");
        assert!(!broken.is_fault_of_source(), "{script}");
    }
    // A second attempt that ends decides; this one left no module.
    let once = build_with("[ -e tried ] && exit 0; : > tried; exit 101", BuildLimits::STANDARD);
    assert!(matches!(once, BuildError::Io { .. }), "{once:?}");
    // What the compiler says about the source counts, however full the disk is.
    let error = placeless("error", "mismatched types");
    let both = build_with(&format!("{full}; {error}; exit 1"), BuildLimits::STANDARD);
    assert!(matches!(both, BuildError::Compile(_)), "{both:?}");
}

/// What becomes of this text as a file and as a crate.
fn both(text: &str) -> [Result<Built, BuildError>; 2] {
    let manifest =
        "[package]\nname = \"mine\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nassay-sdk = \"0.1\"\n";
    let text = format!("{INERT}\n{text}\n");
    [build_file("long.rs", &text, &settings()), build_crate(&[("Cargo.toml", manifest), ("src/lib.rs", &text)])]
}

/// A hundred macros that call each other, the innermost of which makes this.
fn chain(item: &str) -> String {
    let callers: String =
        (1..100).map(|at| format!("macro_rules! m{at} {{ () => {{ m{}! {{}} }} }}\n", at - 1)).collect();
    format!("macro_rules! m0 {{ () => {{ {item} }} }}\n{callers}m99! {{}}")
}

const TOO_LONG: &str = "the compiler's messages are longer than 4 MiB: at least 1 of them cannot be shown";

#[test]
fn no_error_is_hidden_by_what_else_is_said() {
    let (line, text) = (format!("/* {} */", "c".repeat(900_000)), format!("\"{}\"", "m".repeat(900_000)));
    let six = "macro_rules! six { ($a:tt) => { compile_error!(concat!($a, $a, $a, $a, $a, $a)); } }";
    let unused: String = (0..6).map(|at| format!("fn f{at}() {{}} ")).collect();
    let warnings: String = (0..300).map(|at| format!("use std::fmt as f{at};\n")).collect();
    for (text, words) in [
        (format!("const X: () = {{ panic!({text}) }};"), TOO_LONG),
        (format!("{six}\nsix! {{ {text} }}"), TOO_LONG),
        (format!("fn f(_: u8, _: u8, _: u8) {{}} fn g() {{ f(\"\", \"\", \"\"); }} {line}"), TOO_LONG),
        // Behind long warnings, and behind more warnings than are kept.
        (format!("{unused}#[deny(dead_code)] fn dead() {{}} {line}"), TOO_LONG),
        (format!("{warnings}#[deny(dead_code)]\nfn dead() {{}}"), "function `dead` is never used"),
        // One whose place lies deeper than the parser goes.
        (chain("const X: u32 = \"one\";"), "mismatched types"),
    ] {
        let start: String = text.chars().take(60).collect();
        for built in both(&text) {
            let error = built.expect_err(&start);
            assert!(error.is_fault_of_source(), "{start}");
            let BuildError::Compile(messages) = error else { panic!("{start}: another error") };
            let shown = brief(&messages);
            assert!(shown.iter().all(|message| message.level == Level::Error), "{start}");
            assert!(shown.iter().any(|message| message.message == words), "{start}: {:?}", shown[0].message);
        }
    }
}

#[test]
fn no_warning_is_hidden_by_its_length() {
    let line = format!("/* {} */", "c".repeat(900_000));
    let unused: String = (0..6).map(|at| format!("fn f{at}() {{}} ")).collect();
    let variants: String = (0..3_000).map(|at| format!("Variant{at}, ")).collect();
    for (text, words) in [
        (format!("pub struct Z; impl Z {{ {unused}}} {line}"), TOO_LONG),
        (format!("enum Unused {{ Only, {variants} }}\npub fn f() {{ let _ = Unused::Only; }}"), TOO_LONG),
        (chain("fn unused() { let one = 1; }"), "unused variable: `one`"),
    ] {
        let start: String = text.chars().take(60).collect();
        for built in both(&text) {
            let warnings = built.expect(&start).warnings;
            let shown = brief(&warnings);
            assert!(shown.iter().all(|message| message.level == Level::Warning), "{start}");
            assert!(shown.iter().any(|message| message.message == words), "{start}: {}", shown.len());
        }
    }
}

#[test]
fn a_message_that_cannot_be_read_is_not_a_compiler_that_cannot_run() {
    let of = r#""code":null,"spans":[],"children":[],"rendered":"x""#;
    for (said, is_fault_of_source) in [
        (r#"{"message":"mmm"#.to_owned(), true),
        (format!(r#"{{"message":"mmm","level":"error",{of}}}"#), true),
        // Ended by itself, with no error of the source.
        (format!(r#"{{"message":"mmm","level":"warning",{of}}}"#), false),
        ("rustc: error while loading shared libraries".to_owned(), false),
        (String::new(), false),
    ] {
        let error = build_with_broken(&format!("echo '{said}' >&2; exit 1"));
        assert_eq!(error.is_fault_of_source(), is_fault_of_source, "{said}: {error:?}");
        assert_eq!(matches!(error, BuildError::Compile(_)), is_fault_of_source, "{said}: {error:?}");
    }
}
