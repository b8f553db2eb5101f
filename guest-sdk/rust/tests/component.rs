//! The bindings against `wit/strategy.wit`: guests are compiled by plain `rustc`, wrapped as components and validated, which proves
//! that every import and export has the type that the interface gives it.

use assay_sdk::{Phase, Reason, Side, UpdateKind, wire};
use std::collections::BTreeSet;
use std::fs;
use std::mem::{offset_of, size_of};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use wasmparser::{Parser, Payload, TypeRef};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::{InterfaceId, Resolve, SizeAlign, Type, TypeDefKind, TypeId, WorldId, WorldItem};

const GUIDE: &str = include_str!("../../GUIDE.md");

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn interface() -> (Resolve, WorldId) {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_path(folder().join("../wit/strategy.wit")).expect("the interface parses");
    let world = resolve.select_world(&[package], Some("strategy")).expect("the interface has the world");
    (resolve, world)
}

/// Runs `rustc` as the strategy pipeline does: no cargo, no build script, no feature, no warning.
fn rustc(arguments: &[&str], source: &Path, output: &Path) {
    let result = Command::new("rustc")
        .args(["--edition", "2024", "--target", "wasm32-unknown-unknown", "-C", "panic=abort", "-C", "opt-level=3"])
        .args(["-D", "warnings"])
        .args(arguments)
        .arg(source)
        .arg("-o")
        .arg(output)
        .output()
        .expect("rustc runs");
    assert!(result.status.success(), "{}: {}", source.display(), String::from_utf8_lossy(&result.stderr));
}

/// The SDK as a library for guests, compiled once.
fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libassay_sdk.rlib");
        rustc(&["--crate-name", "assay_sdk", "--crate-type", "rlib"], &folder().join("src/lib.rs"), &output);
        output
    })
}

/// Compiles a guest; even one that is forbidden to use unsafe code itself.
fn compile(source: &Path) -> Vec<u8> {
    let output =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(source.with_extension("wasm").file_name().expect("a file"));
    let library = format!("assay_sdk={}", library().display());
    rustc(&["--crate-type", "cdylib", "--extern", &library, "-F", "unsafe_code"], source, &output);
    fs::read(output).expect("rustc has written it")
}

fn check_component(mut module: Vec<u8>) {
    let (resolve, world) = interface();
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).expect("metadata fits");
    ComponentEncoder::default()
        .validate(true)
        .module(&module)
        .and_then(|mut encoder| encoder.encode())
        .unwrap_or_else(|error| panic!("the module does not fit the interface: {error:?}"));
}

fn exchange_of(resolve: &Resolve, world: WorldId) -> InterfaceId {
    resolve.worlds[world]
        .imports
        .values()
        .find_map(|item| match item {
            WorldItem::Interface { id, .. } if resolve.interfaces[*id].name.as_deref() == Some("exchange") => Some(*id),
            _ => None,
        })
        .expect("the world imports the exchange")
}

fn type_named(resolve: &Resolve, name: &str) -> TypeId {
    let found = resolve
        .types
        .iter()
        .find(|(_, found)| found.name.as_deref() == Some(name) && !matches!(found.kind, TypeDefKind::Type(_)));
    found.unwrap_or_else(|| panic!("the interface has no type {name}")).0
}

fn cases(name: &str) -> Vec<String> {
    let (resolve, _) = interface();
    match &resolve.types[type_named(&resolve, name)].kind {
        TypeDefKind::Enum(cases) => cases.cases.iter().map(|case| case.name.clone()).collect(),
        other => panic!("{name} is not an enum: {other:?}"),
    }
}

#[test]
fn every_function_of_the_interface_is_bound() {
    let (resolve, world) = interface();
    let module = compile(&folder().join("tests/guests/every_call.rs"));

    let mut imported = BTreeSet::new();
    let mut exported = BTreeSet::new();
    for payload in Parser::new(0).parse_all(&module) {
        match payload.expect("rustc writes valid modules") {
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    let import = import.expect("valid");
                    assert!(matches!(import.ty, TypeRef::Func(_)), "{import:?}");
                    assert_eq!(import.module, "assay:strategy/exchange@0.2.0");
                    imported.insert(import.name.to_owned());
                }
            }
            Payload::ExportSection(section) => {
                exported.extend(section.into_iter().map(|export| export.expect("valid").name.to_owned()));
            }
            _ => {}
        }
    }

    let functions = &resolve.interfaces[exchange_of(&resolve, world)].functions;
    assert_eq!(imported, functions.keys().cloned().collect());
    for (_, item) in &resolve.worlds[world].exports {
        let WorldItem::Function(function) = item else { panic!("the world exports functions only: {item:?}") };
        assert!(exported.contains(&function.name), "{} is not exported", function.name);
    }
    check_component(module);
}

#[test]
fn every_example_becomes_a_component() {
    let examples = fs::read_dir(folder().join("../../examples/strategies")).expect("the examples are there");
    let mut files: Vec<PathBuf> = examples.map(|entry| entry.expect("readable").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
    files.push(folder().join("../template/strategy.rs"));
    for file in files {
        check_component(compile(&file));
    }
}

#[test]
fn the_guide_fits_on_its_page_and_its_strategies_become_components() {
    // About four characters a token: under 4,000 tokens, a small part of any model's context.
    assert!(GUIDE.len() < 16_000, "GUIDE.md has {} bytes", GUIDE.len());
    assert!(GUIDE.lines().count() <= 250, "GUIDE.md has {} lines", GUIDE.lines().count());
    let blocks = GUIDE.split("```rust\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default());
    let strategies: Vec<&str> = blocks.filter(|block| block.contains("export!(")).collect();
    assert!(!strategies.is_empty(), "the guide shows a whole strategy");
    for (index, text) in strategies.into_iter().enumerate() {
        let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("guide_{index}.rs"));
        fs::write(&source, text).expect("the folder for test output is writable");
        check_component(compile(&source));
    }
}

/// What the guide says that a type of the SDK holds: `name: Type`, of every type with public fields.
#[test]
fn the_guide_lists_the_fields_as_they_are() {
    let block =
        GUIDE.split("```rust\n").find(|block| block.contains("struct Config")).expect("the guide lists the types");
    let block = block.split("```").next().unwrap_or_default();
    let sources = ["market.rs", "orders.rs"]
        .map(|file| fs::read_to_string(folder().join("src").join(file)).expect("it is there"))
        .join("\n");
    let fields = |text: &str| -> BTreeSet<String> {
        let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
        lines
            .flat_map(|line| line.split(&['{', '}', ','][..]))
            .filter(|part| part.contains(": "))
            .map(|part| part.trim().to_owned())
            .collect()
    };
    let body = |text: &str, name: &str| -> BTreeSet<String> {
        let start = text.find(&format!("struct {name} {{")).unwrap_or_else(|| panic!("{name} is missing"));
        let rest = &text[start..];
        fields(&rest[..rest.find('}').unwrap_or(rest.len())])
    };
    let names =
        ["Config", "Fee", "Quote", "Level", "Trade", "SessionState", "Indicative", "OrderUpdate", "Fill", "OpenOrder"];
    for name in names {
        let own: BTreeSet<String> =
            body(&sources, name).iter().map(|field| field.trim_start_matches("pub ").to_owned()).collect();
        assert_eq!(body(block, name), own, "{name}");
    }
}

#[test]
fn the_numbers_of_the_interface_are_the_sdks() {
    assert_eq!(cases("side"), Side::ALL.map(|side| side.to_string()));
    assert_eq!(cases("reason"), Reason::ALL.map(|reason| reason.to_string()));
    assert_eq!(cases("phase"), Phase::ALL.map(|phase| phase.to_string()));
    for (number, side) in cases("maybe-side").iter().enumerate() {
        let named = wire::maybe_side(number as u32).map_or("none".to_owned(), |side| side.to_string());
        assert_eq!(*side, named);
    }
    for (number, status) in cases("status").iter().enumerate() {
        let update = wire::update(7, 8, number as u32, 1, 100, 2, 3, false, 1);
        let name = match update.kind {
            UpdateKind::Accepted => "accepted",
            UpdateKind::Fill { .. } if status == "partially-filled" => "partially-filled",
            UpdateKind::Fill { .. } => "filled",
            UpdateKind::Cancelled { .. } => "cancelled",
            UpdateKind::AllCancelled { count: 2 } => "all-cancelled",
            UpdateKind::Modified { .. } => "modified",
            UpdateKind::Reduced { by: 2 } => "reduced",
            UpdateKind::Rejected { .. } => "rejected",
            UpdateKind::Triggered => "triggered",
            other => panic!("{other:?} lost its quantity"),
        };
        assert_eq!(name, status);
    }
}

#[test]
fn records_lie_in_memory_as_the_interface_says() {
    let (resolve, _) = interface();
    let mut sizes = SizeAlign::default();
    sizes.fill(&resolve);
    let layout = |name: &str| {
        let id = type_named(&resolve, name);
        let TypeDefKind::Record(record) = &resolve.types[id].kind else { panic!("{name} is not a record") };
        let fields = sizes.field_offsets(record.fields.iter().map(|field| &field.ty));
        let offsets = fields.into_iter().map(|(offset, _)| offset.size_wasm32());
        (offsets.collect::<Vec<_>>(), sizes.size(&Type::Id(id)).size_wasm32())
    };
    use wire::{RawConfig, RawFee, RawLevel, RawOpenOrder, RawQuote, RawSession, RawTrade};
    let level = vec![offset_of!(RawLevel, price), offset_of!(RawLevel, quantity)];
    assert_eq!(layout("level"), (level, size_of::<RawLevel>()));
    let order = vec![
        offset_of!(RawOpenOrder, id),
        offset_of!(RawOpenOrder, side),
        offset_of!(RawOpenOrder, price),
        offset_of!(RawOpenOrder, remaining),
        offset_of!(RawOpenOrder, accepted),
    ];
    let quote = vec![
        offset_of!(RawQuote, bid),
        offset_of!(RawQuote, bid_size),
        offset_of!(RawQuote, ask),
        offset_of!(RawQuote, ask_size),
        offset_of!(RawQuote, last),
        offset_of!(RawQuote, volume),
    ];
    assert_eq!(layout("quote"), (quote, size_of::<RawQuote>()));
    let trade = vec![
        offset_of!(RawTrade, at),
        offset_of!(RawTrade, price),
        offset_of!(RawTrade, quantity),
        offset_of!(RawTrade, aggressor),
    ];
    assert_eq!(layout("trade"), (trade, size_of::<RawTrade>()));
    let session = vec![
        offset_of!(RawSession, phase),
        offset_of!(RawSession, ends),
        offset_of!(RawSession, price),
        offset_of!(RawSession, matched),
        offset_of!(RawSession, imbalance),
    ];
    assert_eq!(layout("session-state"), (session, size_of::<RawSession>()));
    let fee = vec![offset_of!(RawFee, microcents_per_share), offset_of!(RawFee, notional_millionths)];
    assert_eq!(layout("fee"), (fee, size_of::<RawFee>()));
    // A text is two words, which in WebAssembly are of four bytes.
    type Config = RawConfig<[u32; 2]>;
    let config = vec![
        offset_of!(Config, symbol),
        offset_of!(Config, starting_cash),
        offset_of!(Config, market_open),
        offset_of!(Config, market_close),
        offset_of!(Config, close_window),
        offset_of!(Config, latency),
        offset_of!(Config, tick_interval),
        offset_of!(Config, tick_size),
        offset_of!(Config, position_limit),
        offset_of!(Config, loss_limit),
        offset_of!(Config, margin_long),
        offset_of!(Config, margin_short),
        offset_of!(Config, maintenance_margin),
        offset_of!(Config, price_band),
        offset_of!(Config, maker_fee),
        offset_of!(Config, taker_fee),
        offset_of!(Config, picoseconds_per_fuel),
    ];
    assert_eq!(layout("config"), (config, size_of::<Config>()));
    assert_eq!(layout("open-order"), (order, size_of::<RawOpenOrder>()));
}
