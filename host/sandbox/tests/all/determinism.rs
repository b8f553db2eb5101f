//! Same component, inputs and budget: same calls, same fuel, same outcome.

use crate::support::{Guest, budget, desk, load, play, settings};
use assay_model::{RequestKind, SymbolIndex, Time};
use assay_sandbox::{Origin, Outcome, Sandbox, Verdict};
use std::thread;

/// Exercises memory, floats, randomness, host calls and growth.
const BUSY: Guest<'static> = Guest {
    items: "(global $sum (mut f64) (f64.const 0))
        (func $work (param $rounds i32)
            (loop $next
                (global.set $sum (f64.add (global.get $sum)
                    (f64.div (f64.convert_i64_s (call $random)) (f64.convert_i32_s (local.get $rounds)))))
                (i64.store (i32.and (local.get $rounds) (i32.const 0xfff8)) (i64.reinterpret_f64 (global.get $sum)))
                (br_if $next (local.tee $rounds (i32.sub (local.get $rounds) (i32.const 1))))))",
    allocate: "",
    initialize: "(drop (memory.grow (i32.const 3))) (call $work (i32.const 500))",
    on_tick: "(call $work (i32.const 100)) (call $wake_at (call $random))",
    on_market_data: "(call $work (i32.const 10))
        (drop (call $limit (i32.const 0) (i64.trunc_sat_f64_s (global.get $sum)) (local.get $bid_size) (i32.const 0) (i32.const 0)))",
    on_order_update: "(call $work (i32.const 1))",
    on_simulation_end: "(call $log (i32.const 0) (i32.const 0))",
};

fn comparable(mut verdict: Verdict) -> Verdict {
    verdict.backtrace = None;
    verdict
}

#[test]
fn repeated_and_parallel_runs_are_equal() {
    let program = load(&BUSY);
    let expected = comparable(play(&program, &budget()));
    assert_eq!(expected.outcome, Outcome::Finished);
    let runs: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| (0..20).map(|_| comparable(play(&program, &budget()))).collect::<Vec<_>>()))
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no run panics")).collect()
    });
    assert_eq!(runs.len(), 160);
    assert!(runs.iter().all(|run| *run == expected));
}

#[test]
fn a_cached_artifact_runs_like_a_fresh_one() {
    let cache = tempfile::tempdir().expect("a folder");
    let trap = Guest { on_simulation_end: "unreachable", ..BUSY };
    for guest in [BUSY, trap] {
        let component = guest.checked();
        let verdicts: Vec<_> = [Origin::Compiled, Origin::Cached]
            .into_iter()
            .map(|origin| {
                let program = Sandbox::new(&settings(cache.path())).expect("starts").load(&component).expect("loads");
                assert_eq!(program.origin(), origin);
                play(&program, &budget())
            })
            .collect();
        assert_eq!(verdicts[0], verdicts[1], "backtraces included");
    }
}

#[test]
fn not_a_number_has_one_bit_pattern() {
    // Each makes a NaN in a way in which processors disagree about sign and payload; the bits come back as an order id.
    let cases = [
        "(f64.div (f64.const 0) (f64.const 0))",
        "(f64.sqrt (f64.const -1))",
        "(f64.sub (f64.const inf) (f64.const inf))",
        "(f64.mul (f64.const inf) (f64.const 0))",
        "(f64.add (f64.const nan:0x123) (f64.const 1))",
        "(f64.min (f64.const -nan:0x456) (f64.const 1))",
        "(f64.promote_f32 (f32.div (f32.const 0) (f32.const 0)))",
        "(f64.nearest (f64.const nan:0x1))",
    ];
    for case in cases {
        let body = format!("(drop (call $cancel (i64.reinterpret_f64 {case})))");
        let program = load(&Guest { on_tick: &body, ..Guest::default() });
        let mut instance = program.start(desk(), &budget()).expect("the instance starts");
        assert!(instance.on_tick().is_continue());
        let mut requests = Vec::new();
        instance.desk().drain_requests(&mut requests);
        let RequestKind::Cancel { order } = requests[0].request.kind else { panic!("{requests:?}") };
        assert_eq!(order.0, 0x7ff8_0000_0000_0000, "{case}");
    }
}

#[test]
fn instances_share_nothing() {
    // Traps if memory, its size or a global shows traces of an earlier instance, then leaves some.
    let guest = Guest {
        items: "(global $used (mut i32) (i32.const 0))
            (data (i32.const 1000) \"fresh\")",
        on_tick: "(local $at i32)
            (if (i32.ne (memory.size) (i32.const 2)) (then unreachable))
            (if (global.get $used) (then unreachable))
            (if (i32.ne (i32.load (i32.const 1000)) (i32.const 0x73657266)) (then unreachable))
            (i64.store (i32.const 1000) (i64.const 0x73657266))
            (loop $next
                (if (i32.and (i64.ne (i64.load (local.get $at)) (i64.const 0)) (i32.ne (local.get $at) (i32.const 1000))) (then unreachable))
                (i64.store (local.get $at) (i64.const -1))
                (local.set $at (i32.add (local.get $at) (i32.const 8)))
                (br_if $next (i32.lt_u (local.get $at) (i32.const 131072))))
            (global.set $used (i32.const 1))
            (drop (memory.grow (i32.const 5)))",
        ..Guest::default()
    };
    // More rounds than the pool has slots, so that slots are used again.
    let program = load(&guest);
    for round in 0..200 {
        let mut instance = program.start(desk(), &budget()).expect("the instance starts");
        instance.desk().begin(Time(round), SymbolIndex::FIRST);
        assert!(instance.on_tick().is_continue(), "round {round}: {:?}", instance.failure());
    }
}

#[test]
fn the_pool_gives_back_what_it_lent() {
    let cache = tempfile::tempdir().expect("a folder");
    let mut settings = settings(cache.path());
    settings.instances = 2;
    let program = Sandbox::new(&settings).expect("starts").load(&Guest::default().checked()).expect("the guest loads");
    let fill = || {
        let mut places = Vec::new();
        loop {
            match program.start(desk(), &budget()) {
                Ok(instance) => places.push(instance),
                Err(error) => break (places.len(), error),
            }
        }
    };
    let (places, _) = fill();
    assert!(places >= 2, "{places}");
    for _ in 0..10 {
        let (again, error) = fill();
        assert!(matches!(error, assay_sandbox::StartError::PoolFull), "{error:?}");
        assert_eq!(again, places);
    }
}
