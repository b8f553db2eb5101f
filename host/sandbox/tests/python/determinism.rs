//! Same component, files, seed and cells: same bytes, same fuel. And nothing passes from one session to another.

use crate::support::{Echo, block_on, config, engine, run, tree};
use assay_sandbox::python::CellOutcome;

/// Everything that differs from run to run in an ordinary interpreter.
const CELLS: [&str; 6] = [
    "import random, time, uuid, os, secrets, tempfile, datetime",
    "print(hash('abc'), hash(b'x'), {str(i) for i in range(50)}, id(object()), random.random(), random.sample(range(99), 9))",
    "print(time.time(), time.monotonic(), time.perf_counter(), datetime.datetime.now(), uuid.uuid1(), uuid.uuid4())",
    "print(os.urandom(16), secrets.token_hex(), tempfile.mkdtemp(), os.getpid(), os.stat('a.py'), object())",
    "open('b.py', 'w').write('x'); time.sleep(3.5); print(os.stat('b.py').st_mtime, time.time(), grep('.'), float('nan') * -1)",
    "1/0",
];

fn outcomes(seed: u64) -> Vec<CellOutcome> {
    block_on(async {
        let mut session = engine().start(config(tree(&[("a.py", "A = 1\n")]), seed)).await.expect("a session");
        let mut outcomes = Vec::new();
        for cell in CELLS {
            outcomes.push(session.run(cell, &Echo::default()).await.expect("no trouble with the machine"));
        }
        outcomes
    })
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_fuel() {
    let first = outcomes(1);
    std::thread::scope(|scope| {
        for other in [scope.spawn(|| outcomes(1)), scope.spawn(|| outcomes(1))] {
            assert_eq!(other.join().expect("no panic"), first);
        }
    });
    assert_ne!(outcomes(2), first);
}

#[test]
fn sessions_share_nothing() {
    let marks = "import sys, builtins, os\nbuiltins.mark = sys.mark = mark = 1\nopen('/tmp/mark', 'w').write('1')\nos.environ['MARK'] = '1'";
    let seen = "import sys, builtins, os\nprint(hasattr(builtins, 'mark'), hasattr(sys, 'mark'), 'mark' in globals(), os.listdir('/tmp'), 'MARK' in os.environ)";
    for _ in 0..3 {
        run(tree(&[]), &[marks]);
        let outcome = run(tree(&[]), &[seen]).remove(0);
        assert_eq!(outcome.stdout, "False False False [] False\n", "{outcome:?}");
    }
}
