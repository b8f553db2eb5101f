//! What a call may hold in memory. The test's own allocator counts what each thread holds: SQLite's memory comes from there too.

use crate::{ambient, run, shown};
use assay_sql::{Database, ErrorKind, Limits};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Small, so that little is needed to reach it.
const MEMORY_BYTES: usize = 2 << 20;
const TEMPORARY_BYTES: u32 = 4 << 20;
/// What a call may hold beside these two: its answer, the image, the text of the script.
const BESIDE_BYTES: i64 = 6 << 20;
/// A text as long as a value may nearly be, and one of which JSON makes six times as much.
const LONG: &str = "hex(zeroblob(100000))";
const WIDE: &str = "replace(hex(zeroblob(50000)), '0', char(1))";

thread_local! {
    static HELD: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

fn count(bytes: i64) {
    HELD.set(HELD.get() + bytes);
    PEAK.set(PEAK.get().max(HELD.get()));
}

#[expect(unsafe_code, reason = "an allocator is unsafe to write")]
// SAFETY: everything is the system's, and counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: what the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-(layout.size() as i64));
        // SAFETY: what the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
}

/// A database with 256 rows and these limits.
fn rows() -> Database {
    let limits = Limits { memory_bytes: MEMORY_BYTES, temporary_bytes: TEMPORARY_BYTES, ..Limits::STANDARD };
    let mut database = Database::with_limits(limits);
    run(
        &mut database,
        "CREATE TABLE t (x); WITH c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 256) INSERT INTO t SELECT x FROM c",
    );
    database
}

/// Runs a statement, however it ends; the kind of its error, and the most that it held. The database is as it was, and still answers.
fn peak(database: &mut Database, sql: &str) -> (Option<ErrorKind>, i64) {
    let before = database.pages_digest();
    let start = HELD.get();
    PEAK.set(start);
    let ended = database.run(sql, &[], &mut ambient(1));
    let peak = PEAK.get() - start;
    let short: String = sql.chars().take(200).collect();
    let most = MEMORY_BYTES as i64 + i64::from(TEMPORARY_BYTES) + BESIDE_BYTES + sql.len() as i64 * 2;
    assert!(peak <= most, "{short}: {peak} bytes");
    assert!(database.pages_digest() == before, "{short}");
    assert_eq!(shown(&run(database, "SELECT count(*) FROM t")), "256", "{short}");
    (ended.err().map(|error| error.kind), peak)
}

#[test]
fn what_is_large_while_it_is_built_meets_a_limit() {
    let many = |what: &str, count: usize| vec![what; count].join(",");
    let deep = format!("{}1{}", "[".repeat(900), "]".repeat(900));
    let arms: String = (0..3_000).map(|n| format!(" WHEN hex(zeroblob(10000 + {n})) THEN 1")).collect();
    let cases = [
        format!("SELECT length(json_group_array({LONG})) FROM t"),
        format!("SELECT length(jsonb_group_array({LONG})) FROM t"),
        format!("SELECT length(json_group_object({LONG}, {LONG})) FROM t"),
        format!("SELECT length(jsonb_group_object(x, {LONG})) FROM t"),
        format!("SELECT length(json_group_array({LONG}) OVER ()) FROM t"),
        format!("SELECT length(json_group_array({WIDE}) FILTER (WHERE x > 0)) FROM t GROUP BY 1 + x - x"),
        format!("SELECT length(json_pretty('{deep}', {LONG}))"),
        format!("SELECT length(json_pretty('[1{}]', {LONG}))", ",1".repeat(15_000)),
        format!("SELECT length(json_array({}))", many(WIDE, 100)),
        format!("SELECT length(concat({}))", many(LONG, 120)),
        format!("SELECT length(json_set('[]', {}))", many(&format!("'$[#]', {WIDE}"), 40)),
        // Constants are computed first, and all of them kept.
        format!("SELECT CASE x{arms} END FROM t"),
    ];
    for case in cases {
        let short: String = case.chars().take(200).collect();
        let (kind, _) = peak(&mut rows(), &case);
        assert_eq!(kind, Some(ErrorKind::TooLarge), "{short}");
    }
    let error =
        rows().run(&format!("SELECT json_group_array({LONG}) FROM t"), &[], &mut ambient(1)).expect_err("large");
    assert_eq!((error.name(), error.postgres().sqlstate), ("SQLITE_NOMEM", "54000"));
    assert!(error.to_string().contains("the call needs more memory than it may take"), "{error}");
}

/// What takes memory for a moment only, or little, is not refused, and nothing of a call counts for the next one.
#[test]
fn what_holds_little_is_not_refused() {
    let mut database = rows();
    for _ in 0..3 {
        for case in [
            format!("SELECT count({LONG}) FROM t a, t b WHERE b.x < 8"),
            format!("SELECT sum(length(json_array({LONG}))) FROM t a, t b WHERE b.x < 4"),
            format!("SELECT count(DISTINCT {LONG} || x) FROM t WHERE x < 4"),
            "SELECT length(json_group_array(x)) FROM t a, t b".replace("(x)", "(a.x)"),
        ] {
            assert_eq!(peak(&mut database, &case).0, None, "{case}");
        }
    }
}

/// Every function that SQLite has, with long arguments, over many rows: none holds more than a call may.
#[test]
fn no_function_holds_more_than_a_call_may() {
    let names = run(
        &mut rows(),
        "SELECT DISTINCT name, narg, type FROM pragma_function_list WHERE name NOT IN ('match') ORDER BY 1, 2, 3",
    );
    assert!(names.rows.len() > 100, "{}", names.rows.len());
    let mut database = rows();
    let mut most = 0;
    for line in shown(&names).lines() {
        let [name, count, kind] = line.split('|').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let count: i32 = count.parse().expect("a number");
        let counts = if count < 0 { vec![1, 2, 3, 50] } else { vec![count.unsigned_abs() as usize] };
        for count in counts {
            for arguments in [[LONG, LONG, LONG], ["'[1,[2,{\"a\":3}]]'", WIDE, "'$[#]'"], ["1000000000", "'$'", WIDE]]
            {
                let arguments: Vec<&str> = arguments.into_iter().cycle().take(count).collect();
                let call = format!("\"{name}\"({})", arguments.join(", "));
                let sql = match kind {
                    "w" => format!(
                        "SELECT length({call} OVER (ORDER BY x ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING)) FROM t WHERE x < 16"
                    ),
                    _ => format!("SELECT length({call}) FROM t WHERE x < 16"),
                };
                most = most.max(peak(&mut database, &sql).1);
            }
        }
    }
    assert!(most > MEMORY_BYTES as i64 / 2, "the sweep reaches what it looks for: {most} bytes");
}
