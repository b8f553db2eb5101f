//! Host calls of cells with any arguments: each cell ends, by its own doing, and takes no longer than it was charged for.
//!
//! It needs the Python guest (`make setup-python-guest`).

use crate::strategy::helper;
use assay_model::{Seed, Time};
use assay_sandbox::python::{
    HostAnswer, HostCall, HostCalls, PYTHON_COMPONENT_HINT, PythonEngine, PythonLimits, PythonSettings, SessionConfig,
    locate_component,
};
use assay_tree::{Limits, Tree};
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::LazyLock;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

/// How much slower than a unit of fuel a nanosecond's work may be here, with every check on, and what is allowed besides.
const SLOWER: u32 = 100;
const GRACE: Duration = Duration::from_secs(3);
/// A second's work.
const LIMITS: PythonLimits =
    PythonLimits { fuel_cell: 1_000_000_000, fuel_episode: 2_000_000_000, ..PythonLimits::STANDARD };
/// Calls in one cell.
const CALLS_MAX: usize = 30;

/// What a cell can do; `@` is the next argument.
const ACTIONS: [&str; 26] = [
    "call('find', path=@, prefix=@, pattern=@)",
    "call('grep', path=@, prefix=@, pattern=@)",
    "call('grep', path=@, prefix='', pattern=@, glob=@)",
    "call('grep', path=@, prefix='', pattern=@, ignore_case=True)",
    "call('grep', path=@, prefix='', pattern=@, literal=True)",
    "call('diff')",
    "call('llm_query', prompt=@)",
    "call('shell', command=@)",
    "call(@, text=@)",
    "host.call(@, @)",
    "open(@, 'w').write(@)",
    "open(@, 'ab').write(os.fsencode(@))",
    "open(@).read()",
    "os.mkdir(@)",
    "os.rename(@, @)",
    "os.symlink(@, @)",
    "os.readlink(@)",
    "os.listdir(@)",
    "kept.append(os.scandir(@))",
    "os.truncate(@, #)",
    "os.utime(@, (#, #))",
    "os.remove(@)",
    "os.urandom(#)",
    "os.pwrite(kept[0], os.fsencode(@), #)",
    "os.pread(kept[0], #, #)",
    "select.poll().poll(#)",
];
/// Texts, as Python.
const TEXTS: [&str; 24] = [
    "''",
    "'.'",
    "'/'",
    "'/testbed'",
    "'/testbed/a'",
    "'/testbed/../x'",
    "'a'",
    "'b'",
    "'d/e'",
    "'d/' * 300",
    "'./' * 2_000",
    "'*'",
    "'**/*.py'",
    "'*a' * 16",
    "'\\\\w'",
    "'\\\\w' * 60",
    "'(a|b)*c'",
    "'[ab]*a[ab]{300}'",
    "'x' * 5_000",
    "'x' * 1_000_000",
    "'ab\\n' * 20_000",
    "'\\\\bé\\\\b'",
    "'\\0'",
    "'{}'",
];
/// Numbers, as Python.
const NUMBERS: [&str; 8] = ["0", "1", "-1", "65536", "1 << 20", "1 << 31", "1 << 40", "1 << 63"];

static ENGINE: LazyLock<PythonEngine> = LazyLock::new(|| {
    let component = locate_component(None, |name| std::env::var(name).ok()).expect("there is a home folder");
    let cache = component.parent().expect("it is in a folder").join("artifacts");
    let settings = PythonSettings { sessions: 2, ..PythonSettings::new(component, cache, helper()) };
    PythonEngine::open(&settings).unwrap_or_else(|error| panic!("{error}; {PYTHON_COMPONENT_HINT}"))
});

struct Nobody;

impl HostCalls for Nobody {
    fn call<'a>(&'a self, _: HostCall, _: Tree) -> Pin<Box<dyn Future<Output = HostAnswer> + Send + 'a>> {
        Box::pin(async { HostAnswer::Text("x".to_owned()) })
    }
}

/// Actions with arguments: a byte for each.
pub fn cells(bytes: &[u8]) {
    let cell = cell(bytes);
    let mut tree = Tree::new(Limits { bytes_max: 64 << 20, inodes_max: 1_000 });
    tree.put(b"a", b"ab\nb\n".into(), Time(0)).expect("there is room");
    let config =
        SessionConfig { tree, folder: "/testbed".to_owned(), seed: Seed(1), start_time: Time(0), limits: LIMITS };
    let mut session = wait(ENGINE.start(config)).expect("a session starts");
    let started = Instant::now();
    let outcome =
        wait(session.run(&cell, &Nobody)).unwrap_or_else(|error| panic!("not the cell's doing: {error}\n{cell}"));
    let allowed = Duration::from_nanos(outcome.fuel) * SLOWER + GRACE;
    assert!(started.elapsed() < allowed, "{:?} for {} units of fuel:\n{cell}", started.elapsed(), outcome.fuel);
}

fn cell(bytes: &[u8]) -> String {
    let mut bytes = bytes.iter().copied();
    let mut cell = "import json, os, select, sys\nhost = sys.modules['assay_repl'].host\nkept = [os.open('a', os.O_RDWR)]\ndef call(name, **more): host.call(name, json.dumps(more))\n".to_owned();
    for _ in 0..CALLS_MAX {
        let Some(action) = bytes.next() else { break };
        let mut line = String::new();
        for letter in ACTIONS[usize::from(action) % ACTIONS.len()].chars() {
            let mut next = || usize::from(bytes.next().unwrap_or_default());
            match letter {
                '@' => line.push_str(TEXTS[next() % TEXTS.len()]),
                '#' => line.push_str(NUMBERS[next() % NUMBERS.len()]),
                letter => line.push(letter),
            }
        }
        cell.push_str(&format!("try: {line}\nexcept Exception: pass\n"));
    }
    cell
}

/// Nothing that is waited for here takes time.
fn wait<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return value;
        }
    }
}
