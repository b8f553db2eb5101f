//! Hostile components, given straight to the compiler: the validator stops most of these, the sandbox must survive all of them.

use crate::support::{Guest, desk, helper, settings, tangle};
use assay_model::Budget;
use assay_sandbox::{
    Callback, CompileError, CompileFailure, CompileLimits, Limit, Outcome, Sandbox, SandboxError, compile,
};
use std::path::Path;
use std::time::Duration;

#[track_caller]
fn check_refused(name: &str, bytes: &[u8]) {
    match compile(&helper(), &CompileLimits::STANDARD, bytes) {
        Err(CompileError::Component(CompileFailure::Refused { message })) => assert!(!message.is_empty(), "{name}"),
        other => panic!("{name}: {:?}", other.map(|artifact| artifact.len())),
    }
}

#[test]
fn what_is_no_module_is_refused() {
    let component = Guest::default().checked();
    let honest = component.module();
    let artifact = compile(&helper(), &CompileLimits::STANDARD, honest).expect("it compiles");
    let cases: [(&str, &[u8]); 6] = [
        ("nothing", b""),
        ("garbage", b"garbage"),
        ("a component", component.bytes()),
        ("an artifact", &artifact),
        ("half a module", &honest[..honest.len() / 2]),
        ("zeros", &vec![0; 1 << 20]),
    ];
    for (name, bytes) in cases {
        check_refused(name, bytes);
    }
}

#[test]
fn features_that_are_off_are_refused() {
    let probes = [
        ("simd", "(func (drop (v128.const i64x2 0 0)))"),
        ("relaxed simd", "(func (param v128) (drop (i8x16.relaxed_swizzle (local.get 0) (local.get 0))))"),
        ("threads", "(memory $shared 1 1 shared)"),
        ("atomics", "(func (drop (i32.atomic.load (i32.const 0))))"),
        ("memory64", "(memory $wide i64 1)"),
        ("multi-memory", "(memory 1) (memory 1)"),
        ("tail call", "(func $tail (return_call $tail))"),
        ("exceptions", "(tag $oops)"),
        ("function references", "(type $f (func)) (func (param (ref $f)) (call_ref $f (local.get 0)))"),
        ("gc", "(type $pair (struct (field i32)))"),
        ("extern references", "(func (param externref))"),
        ("extended constants", "(global i32 (i32.add (i32.const 1) (i32.const 2)))"),
        ("custom page sizes", "(memory $small 1 (pagesize 1))"),
        (
            "wide arithmetic",
            "(func (drop (drop (i64.add128 (i64.const 1) (i64.const 1) (i64.const 1) (i64.const 1)))))",
        ),
    ];
    for (name, items) in probes {
        let Ok(module) = wat::parse_str(format!("(module {items})")) else { panic!("{name}: the probe is not text") };
        check_refused(name, &module);
    }
}

#[test]
fn compile_bombs_die_by_their_limits() {
    let limits = CompileLimits { memory_bytes: 200 << 20, cpu_seconds: 1, wall: Duration::from_secs(20) };
    let blocks_and_locals = format!("(module {})", tangle(10_000, 1_000));
    let functions = format!("(module {})", "(func)".repeat(100_000));
    for text in [blocks_and_locals, functions] {
        let module = wat::parse_str(text).expect("it is text");
        let ended = compile(&helper(), &limits, &module).map(|artifact| artifact.len());
        assert!(
            matches!(
                ended,
                Err(CompileError::Component(CompileFailure::TooSlow { .. } | CompileFailure::TooMuchMemory { .. }))
            ),
            "{ended:?}"
        );
    }
}

#[test]
fn a_compilation_past_its_deadline_says_nothing_about_the_component() {
    let limits = CompileLimits { wall: Duration::from_millis(1), ..CompileLimits::STANDARD };
    let ended = compile(&helper(), &limits, Guest::default().checked().module()).map(|artifact| artifact.len());
    assert!(matches!(ended, Err(CompileError::Deadline(_))), "{ended:?}");
}

#[test]
fn the_watchdog_ends_what_fuel_does_not() {
    let cache = tempfile::tempdir().expect("a folder");
    let mut settings = settings(cache.path());
    settings.watchdog = Duration::from_millis(40);
    let program = {
        let sandbox = Sandbox::new(&settings).expect("the sandbox starts");
        // The program keeps the watchdog alive after the sandbox has gone.
        sandbox
            .load(&Guest { on_tick: "(loop $forever (br $forever))", ..Guest::default() }.checked())
            .expect("the guest loads")
    };
    let budget = Budget { fuel_callback: u64::MAX, fuel_episode: u64::MAX, ..Budget::default() };
    let mut instance = program.start(desk(), &budget).expect("the instance starts");
    assert!(instance.on_tick().is_break());
    let outcome = instance.finish().outcome;
    let limit = Limit::ProcessorTime;
    assert_eq!(outcome, Outcome::LimitExceeded { callback: Callback::OnTick, limit, allowed: 40 });
}

#[test]
fn a_helper_that_is_not_there_is_said_at_once() {
    let mut settings = settings(Path::new("/"));
    settings.helper = "/nowhere/at/all".into();
    assert!(matches!(Sandbox::new(&settings), Err(SandboxError::Helper { .. })));
}
