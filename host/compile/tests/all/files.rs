//! One-file strategies.

use assay_compile::{
    BuildError, BuildSettings, Level, MESSAGE_CHARS_MAX, MESSAGES_MAX, SDK_VERSION, Source, brief, build, sdk_hash,
};

use crate::{INERT, build_file, folder, nosy, places, settings};

/// Every readable byte run that looks like a path or a name.
fn mentions(component: &[u8], words: &str) -> bool {
    component.windows(words.len()).any(|window| window == words.as_bytes())
}

#[test]
fn a_file_becomes_a_component_with_names_and_without_paths() {
    let built = build_file("inert.rs", INERT, &settings()).unwrap();
    assert_eq!(built.component[..8], *b"\0asm\x0d\0\x01\0");
    assert_eq!(built.source.unwrap().text, INERT);
    assert_eq!(built.warnings, []);
    let made_by = built.made_by.unwrap();
    assert_eq!((made_by.sdk_version, made_by.sdk_hash), (SDK_VERSION, sdk_hash()));
    assert!(made_by.rustc_version.starts_with("1."), "{}", made_by.rustc_version);
    for place in places() {
        assert!(!mentions(&built.component, &place), "{place} entered the component");
    }
    assert!(mentions(&built.component, "on-market-data"));
    assert!(mentions(&built.component, "assay_sdk"), "function names are kept for backtraces");
    assert!(!mentions(&built.component, ".debug_info"));
}

#[test]
fn bytes_depend_on_the_text_alone() {
    let first = build_file("inert.rs", INERT, &settings()).unwrap().component;
    // Another name, another folder, and an SDK compiled anew in another cache.
    let other_cache = tempfile::tempdir().unwrap();
    let other = BuildSettings { cache: other_cache.path().join("made/when/missing"), ..settings() };
    let panics = INERT.replace("Self\n", "if std::hint::black_box(false) { panic!(\"here\") }\n        Self\n");
    for name in ["inert.rs", "another-name.rs", "-o.rs", "a=b c.rs", "überfüllt.rs"] {
        assert!(build_file(name, INERT, &other).unwrap().component == first, "{name}");
        let with_place = build_file(name, &panics, &other).unwrap().component;
        assert!(with_place == build_file("p.rs", &panics, &settings()).unwrap().component, "{name}");
        assert!(mentions(&with_place, "strategy.rs"), "panics name a fixed file");
    }
    let longer =
        INERT.replace("Self\n", "exchange.log(\"hello\");\n        Self\n").replace("_: &mut", "exchange: &mut");
    assert!(build_file("inert.rs", &longer, &settings()).unwrap().component != first);
}

#[test]
fn what_the_compiler_tells_a_source_is_the_same_everywhere() {
    let other_cache = tempfile::tempdir().unwrap();
    let other = BuildSettings { cache: other_cache.path().to_path_buf(), ..settings() };
    let first = build_file("nosy.rs", &nosy(), &settings()).unwrap().component;
    assert!(mentions(&first, "toolchain/lib"), "the source is told something");
    assert!(first == build_file("nosy.rs", &nosy(), &settings()).unwrap().component);
    assert!(first == build_file("other.rs", &nosy(), &other).unwrap().component);
    for place in places().into_iter().chain(["scratch".to_owned()]) {
        assert!(!mentions(&first, &place), "{place} entered the component");
    }
}

#[test]
fn a_component_passes_through_untouched() {
    let component = build_file("inert.rs", INERT, &settings()).unwrap().component;
    let folder = folder(&[]);
    let path = folder.path().join("ready.wasm");
    std::fs::write(&path, &component).unwrap();
    let built = build(&Source::open(&path).unwrap(), &settings()).unwrap();
    assert!(built.component == component && built.made_by.is_none() && built.source.is_none());
    assert!(built.origin.is_none());
}

/// A file, the compiler's code, a part of its message, and line and column.
type Case = (&'static str, Option<&'static str>, &'static str, (u32, u32));

const DOES_NOT_COMPILE: [Case; 6] = [
    ("fn broken( {", None, "unclosed delimiter", (1, 13)),
    ("\n\nfn number() -> u32 {\n    \"text\"\n}\n", Some("E0308"), "mismatched types", (4, 5)),
    ("use serde::Deserialize;\n", Some("E0432"), "unresolved import", (1, 5)),
    ("fn main() { let x: u8 = 256; }\n", Some("overflowing_literals"), "out of range", (1, 25)),
    ("#![feature(never_type)]\n", Some("E0554"), "stable release", (1, 1)),
    ("Dear user, here is your strategy:\n", None, "expected one of", (1, 6)),
];

#[test]
fn compile_errors_name_the_users_file_and_line() {
    for (text, code, words, place) in DOES_NOT_COMPILE {
        let error = build_file("my-strategy.rs", text, &settings()).unwrap_err();
        let BuildError::Compile(messages) = &error else { panic!("{text}: {error:?}") };
        let first = &messages[0];
        assert_eq!((first.level, first.code.as_deref()), (Level::Error, code), "{text}: {messages:?}");
        assert!(first.message.contains(words), "{text}: {}", first.message);
        let found = first.place.as_ref().unwrap();
        assert_eq!((found.file.as_str(), (found.line, found.column)), ("my-strategy.rs", place), "{text}");
        assert!(first.rendered.contains(&format!("my-strategy.rs:{}:{}", place.0, place.1)), "{}", first.rendered);
        assert!(error.is_fault_of_source());
    }
}

/// A line that a newcomer writes, and words of the help that it gets.
const SLIPS: [(&str, &str); 22] = [
    ("fn f(p: Price) -> i64 { p.0 }", "`price.cents()`"),
    ("fn f(q: Quantity) -> u64 { q.0 }", "`quantity.shares()`"),
    ("fn f(o: OrderId) -> u64 { o.0 }", "`order.number()`"),
    ("fn f() -> Price { Price(100) }", "`Price::new(cents)`"),
    ("fn f() -> Quantity { Quantity(100) }", "`Quantity::new(shares)`"),
    ("fn f(p: Price) -> bool { p > 100_000 }", "compare like with like"),
    ("fn f(e: &mut Exchange) { e.limit(Limit::buy(100.5, Quantity::of(1))); }", "`Price::floor(x)`"),
    ("fn f(e: &mut Exchange, m: f64) { e.limit(Limit::buy(m, 10)); }", "`Price::floor(x)`"),
    ("fn f(e: &mut Exchange, p: Price) { e.limit(Limit::buy(p, 10)); }", "`Quantity::new(shares)`"),
    ("fn f(q: &Quote) -> i64 { q.bid.price.cents() }", "`let Some(bid) = quote.bid else"),
    ("fn f(q: &Quote) -> Price { q.bid }", "`let Some(bid) = quote.bid else"),
    ("fn f(p: Price) -> f64 { p as f64 }", "`price.cents()`"),
    ("fn f(p: Price) -> i64 { p * 2 }", "`price.cents()`"),
    ("fn f(p: Price, q: Price) -> Price { p + q }", "distance in cents"),
    ("fn f(q: &Quote) -> f64 { q.mid() + 1.0 }", "`let Some(mid) = quote.mid() else"),
    ("fn f(l: Level) -> u64 { l.quantity.shares() }", "plain `u64`"),
    ("fn f(c: &Config) -> u64 { c.market_close - c.market_open }", "is a `Duration`"),
    ("fn f(t: Time) -> bool { t > 5 }", "compare times with times"),
    ("fn f(u: &OrderUpdate) -> bool { matches!(u.kind, UpdateKind::Filled) }", "`Fill { price, quantity, liquidity }`"),
    ("fn f(e: &mut Exchange) { e.buy(Price::of(1), Quantity::of(1)); }", "`exchange.limit(Limit::buy("),
    ("fn f(e: &mut Exchange) { e.limit(Side::Buy, Price::of(1), Quantity::of(1)); }", "`exchange.limit(Limit::buy("),
    ("impl Strategy for u8 { fn on_fill(&mut self) {} }", "the callbacks are"),
];

#[test]
fn usual_slips_come_with_what_the_sdk_has_instead() {
    let lines: String =
        SLIPS.iter().enumerate().map(|(at, (line, _))| format!("mod m{at} {{ use assay_sdk::*; {line} }}\n")).collect();
    let error = build_file("slips.rs", &lines, &settings()).unwrap_err();
    let BuildError::Compile(messages) = &error else { panic!("{error:?}") };
    for (at, (line, words)) in SLIPS.iter().enumerate() {
        let here = |message: &&assay_compile::CompileMessage| {
            message.place.as_ref().is_some_and(|place| place.line == at as u32 + 1)
        };
        let helps: Vec<_> = messages.iter().filter(here).filter_map(|message| message.help.as_deref()).collect();
        assert!(helps.iter().any(|help| help.contains(words)), "{line}: {helps:?}");
    }
    // What has nothing to do with the SDK is left to the compiler.
    let error = build_file("other.rs", "fn number() -> u32 { \"text\" }", &settings()).unwrap_err();
    let BuildError::Compile(messages) = &error else { panic!("{error:?}") };
    assert_eq!(messages[0].help, None);
}

#[test]
fn errors_inside_macros_point_at_the_users_line() {
    let text = format!("{INERT}\nfn f() {{ assert_eq!(1, \"one\"); }}\nassay_sdk::export!(Missing);\n");
    let error = build_file("m.rs", &text, &settings()).unwrap_err();
    let BuildError::Compile(messages) = &error else { panic!("{error:?}") };
    assert!(
        messages.iter().all(|message| message.place.as_ref().is_none_or(|place| place.file == "m.rs")),
        "{messages:?}"
    );
}

#[test]
fn brief_messages_are_few_and_short() {
    let many: String =
        (0..300).map(|number| format!("fn f{number}() -> u32 {{ \"{}\" }}\n", "long ".repeat(400))).collect();
    let error = build_file("many.rs", &many, &settings()).unwrap_err();
    let BuildError::Compile(messages) = &error else { panic!("{error:?}") };
    assert!(messages.len() > MESSAGES_MAX);
    let brief = brief(messages);
    assert_eq!(brief.len(), MESSAGES_MAX);
    assert!(brief.iter().all(|message| message.rendered.chars().count() <= MESSAGE_CHARS_MAX + 1));
}

#[test]
fn warnings_come_with_the_component() {
    let built = build_file("w.rs", &format!("{INERT}\nfn unused() {{}}\n"), &settings()).unwrap();
    assert_eq!(built.warnings.iter().map(|warning| warning.code.as_deref()).collect::<Vec<_>>(), [Some("dead_code")]);
}

#[test]
fn a_forbidding_author_is_not_hindered_by_the_sdk() {
    let text = format!("#![forbid(unsafe_code)]\n#![deny(warnings)]\n#![deny(clippy::all)]\n{INERT}");
    assert!(build_file("strict.rs", &text, &settings()).is_ok());
}

#[test]
fn what_compiles_but_is_no_strategy_is_refused() {
    let foreign = format!(
        "{INERT}\nunsafe extern \"C\" {{ fn elsewhere(); }}\npub fn f() {{ unsafe {{ elsewhere() }} }}\n#[unsafe(no_mangle)] pub extern \"C\" fn call() {{ f() }}\n"
    );
    let own_world = format!(
        "{INERT}\n#[unsafe(link_section = \"component-type:mine\")]\n#[used]\npub static WORLD: [u8; 4] = *b\"mine\";\n"
    );
    for (text, words) in [
        ("", "initialize"),
        ("fn main() {}", "initialize"),
        (&foreign, "elsewhere"),
        (&own_world, "component-type:mine"),
    ] {
        let error = build_file("no.rs", text, &settings()).unwrap_err();
        let BuildError::NotAStrategy { message } = &error else { panic!("{text}: {error:?}") };
        assert!(message.contains(words), "{text}: {message}");
        assert!(error.hint().is_some() && error.is_fault_of_source());
    }
}
