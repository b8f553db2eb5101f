//! Cells that attack: each ends as stated, within its limit, and neither the host nor the next cell notices.

use crate::support::{Echo, LIMITS, block_on, config, engine, start, tree};
use assay_sandbox::python::{CellError, CellOutcome, PythonLimits};
use assay_tree::Tree;
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// How a cell ends.
#[derive(Clone, Copy, Debug)]
enum Ends {
    /// Without an error, having printed this.
    Fine(&'static str),
    /// With an exception whose summary begins so.
    Raises(&'static str),
    OutOfFuel,
    /// With an exception, or with an interpreter that could not even make one.
    NoMemory,
    /// Any way but well; the interpreter may be gone. For attacks on the interpreter's C code.
    Badly,
    /// In any way. What happens depends on bytes in the guest's memory that differ from build to build of the interpreter.
    Anyhow,
    Exited(u8),
}

impl Ends {
    fn fits(self, outcome: &CellOutcome) -> bool {
        match (self, &outcome.error) {
            (Self::Fine(printed), None) => outcome.stdout == printed,
            (Self::Raises(start), Some(CellError::Exception { summary, .. })) => summary.starts_with(start),
            (Self::NoMemory, Some(CellError::Exception { summary, .. })) => {
                ["MemoryError", "OverflowError"].iter().any(|name| summary.starts_with(name))
            }
            (Self::NoMemory, Some(CellError::OutOfMemory))
            | (Self::OutOfFuel, Some(CellError::OutOfFuel))
            | (Self::Badly, Some(_))
            | (Self::Anyhow, _) => true,
            (Self::Exited(code), Some(CellError::Exited { code: seen })) => code == *seen,
            _ => false,
        }
    }
}

/// Processor time of a cell. One may compute for about three seconds; the machine that runs the tests may be ten times slower than it should be.
const CELL_MAX: Duration = Duration::from_secs(60);

/// Of this thread, which also runs the guest: what else the machine does is not counted.
fn processor_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).expect("a thread's time is not negative")
}

fn files() -> Tree {
    tree(&[("kept.txt", "kept"), ("src/a.py", "A = 1\n")])
}

/// Runs each cell in a session of its own, then a good one in the same session, restarted if need be.
fn check(cells: &[(&str, Ends)]) {
    check_with(LIMITS, cells);
}

fn check_with(limits: PythonLimits, cells: &[(&str, Ends)]) {
    let mut wrong = Vec::new();
    for (cell, ends) in cells {
        let (outcome, elapsed) = block_on(async {
            let mut session = engine()
                .start(assay_sandbox::python::SessionConfig { limits, ..config(files(), 1) })
                .await
                .expect("a session");
            let calls = Echo::default();
            let started = processor_time();
            let outcome = session.run(cell, &calls).await.expect("no trouble with the machine");
            let elapsed = processor_time() - started;
            assert_eq!(session.is_alive(), outcome.error.as_ref().is_none_or(CellError::is_survivable), "{cell}");
            if !session.is_alive() {
                session.restart().await.expect("a fresh interpreter");
            }
            let clean = session.run("import os; os.chdir('/testbed'); x = None", &calls).await.expect("no trouble");
            assert_eq!(clean.error, None, "after {cell}");
            let after = session
                .run("open('kept.txt').read(), sum('kept.txt' in line for line in grep('kept')), 1 + 1", &calls)
                .await
                .expect("no trouble");
            assert_eq!((after.stdout.as_str(), &after.error), ("('kept', 1, 2)\n", &None), "after {cell}");
            (outcome, elapsed)
        });
        let kept = outcome.stdout.len() + outcome.stderr.len();
        if !ends.fits(&outcome)
            || elapsed > CELL_MAX
            || outcome.fuel > limits.fuel_cell
            || kept > 6 * limits.output_bytes
        {
            let shown: String = format!("{outcome:?}").chars().take(600).collect();
            wrong.push(format!("{cell}\n  should end {ends:?}, but after {elapsed:?} of processor time: {shown}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn computing_without_end() {
    check(&[
        ("while True: pass", Ends::OutOfFuel),
        ("while True:\n  try:\n    while True: pass\n  except BaseException: pass", Ends::OutOfFuel),
        ("import re; re.match('(a+)+$', 'a' * 40 + 'b')", Ends::OutOfFuel),
        ("x = 10 ** 10 ** 8", Ends::OutOfFuel),
        ("import time\nend = time.time() + 1e6\nwhile time.time() < end: pass", Ends::OutOfFuel),
        ("while True: open('kept.txt').read()", Ends::OutOfFuel),
        (
            "import os\nd = bytes(1 << 20)\nf = os.open('/tmp/x', os.O_RDWR | os.O_CREAT)\nwhile True: os.write(f, d); os.lseek(f, 0, 0)",
            Ends::OutOfFuel,
        ),
        ("while True: grep('kept')", Ends::OutOfFuel),
        ("sum(x for x in iter(int, 1))", Ends::OutOfFuel),
        ("'a' * 10**7 in 'a' * (2 * 10**7) + 'b' * 10**7; list(range(10**7)).sort(key=lambda x: -x)", Ends::OutOfFuel),
        ("import time; a = time.time(); time.sleep(1e6); print(time.time() - a >= 1e6)", Ends::Fine("True\n")),
    ]);
}

#[test]
fn memory() {
    check(&[
        ("[0] * 10**10", Ends::NoMemory),
        ("x = []\nwhile True: x.append(bytearray(1 << 20))", Ends::NoMemory),
        ("x = []\nwhile True:\n  try: x.append(bytearray(1 << 16))\n  except MemoryError: pass", Ends::OutOfFuel),
        ("'a' * (1 << 31)", Ends::Raises("")),
        ("x = [0]\nfor _ in range(60): x = x + x", Ends::NoMemory),
        ("import zlib; zlib.decompress(zlib.compress(bytes(1 << 26)) , bufsize=1 << 30)", Ends::Badly),
        ("x = ()\nfor _ in range(10**5): x = (x,)\ndel x", Ends::Badly),
    ]);
}

#[test]
fn recursion() {
    check(&[
        ("def f(): return f()\nf()", Ends::Raises("RecursionError")),
        ("import sys; sys.setrecursionlimit(10**9)\ndef f(n): return f(n + 1) + 1\nf(0)", Ends::Badly),
        ("x = []\nfor _ in range(10**5): x = [x]\nrepr(x)", Ends::Badly),
        ("import json\njson.loads('[' * 10**5)", Ends::Badly),
        ("eval('(' * 10**4 + ')' * 10**4)", Ends::Badly),
        ("eval('-' * 10**5 + '1')", Ends::Badly),
        ("class A:\n  def __getattr__(self, n): return getattr(self, n)\nA().x", Ends::Badly),
        ("class A:\n  def __repr__(self): return repr(self)\nA()", Ends::Raises("RecursionError")),
        ("import re; re.compile('(' * 5000 + ')' * 5000)", Ends::Badly),
        ("class E(Exception):\n  def __str__(self): raise E\nraise E", Ends::Raises("")),
    ]);
}

#[test]
fn reaching_the_machine() {
    check(&[
        ("import os; os.system('ls')", Ends::Raises("")),
        ("import os; os.fork()", Ends::Raises("AttributeError")),
        ("import os; os.execv('/bin/sh', ['sh'])", Ends::Raises("")),
        ("import subprocess; subprocess.run(['ls'])", Ends::Raises("OSError")),
        ("import socket; socket.create_connection(('1.1.1.1', 80))", Ends::Raises("")),
        ("import socket; socket.socket()", Ends::Raises("")),
        ("import socket; socket.getaddrinfo('example.com', 80)", Ends::Raises("")),
        ("import urllib.request; urllib.request.urlopen('http://example.com')", Ends::Raises("")),
        ("import ctypes", Ends::Raises("ModuleNotFoundError")),
        ("import mmap", Ends::Raises("ModuleNotFoundError")),
        ("import threading; threading.Thread(target=print).start()", Ends::Raises("RuntimeError")),
        ("import multiprocessing", Ends::Raises("ModuleNotFoundError")),
        ("import signal, os; os.kill(1, 9)", Ends::Raises("")),
        ("import os; print(sorted(os.environ))", Ends::Fine("['HOME', 'LANG', 'PWD', 'TMPDIR', 'USER']\n")),
        ("input()", Ends::Raises("EOFError")),
    ]);
}

#[test]
fn leaving_the_tree() {
    check(&[
        ("open('/etc/passwd')", Ends::Raises("FileNotFoundError")),
        ("open('/proc/self/environ')", Ends::Raises("FileNotFoundError")),
        ("open('/etc/x', 'w')", Ends::Raises("")),
        ("open('/x', 'w')", Ends::Raises("OSError: [Errno 69] Read-only file system")),
        ("open('../x', 'w')", Ends::Raises("PermissionError")),
        ("open('src/../../etc/passwd')", Ends::Raises("PermissionError")),
        ("open('/testbed/../etc/passwd')", Ends::Raises("")),
        ("import os; os.symlink('/etc', 'e'); open('e/passwd')", Ends::Raises("PermissionError")),
        ("import os; os.symlink('../../../etc', 'e'); open('e/passwd')", Ends::Raises("FileNotFoundError")),
        ("import os; os.symlink('loop', 'loop'); open('loop')", Ends::Raises("OSError")),
        ("import os; os.chdir('/'); print(os.listdir('.'))", Ends::Fine("['testbed', 'tmp']\n")),
        ("import os; os.rename('kept.txt', '/tmp/x')", Ends::Raises("OSError")),
        ("import os; os.rmdir('/tmp')", Ends::Raises("")),
        ("open('a\\0b')", Ends::Raises("ValueError")),
        ("open('x' * 300, 'w')", Ends::Raises("OSError")),
        ("grep('root', '/etc')", Ends::Raises("ToolError: grep: /etc is outside /testbed")),
        ("find('*', '../..')", Ends::Raises("ToolError")),
    ]);
}

#[test]
fn filling_the_disk() {
    check(&[
        ("with open('big', 'wb') as f:\n  while True: f.write(bytes(1 << 20))", Ends::Raises("OSError")),
        ("open('big', 'wb').truncate(1 << 50)", Ends::Badly),
        ("i = 0\nwhile True:\n  open(f'/tmp/{i}', 'w').close()\n  i += 1", Ends::Badly),
        ("x = []\nwhile True: x.append(open('kept.txt'))", Ends::Raises("OSError")),
        ("import os\np = 'd'\nwhile True:\n  os.mkdir(p)\n  p += '/d'", Ends::Raises("OSError")),
    ]);
}

#[test]
fn floods() {
    check(&[
        ("while True: print('x' * 1000)", Ends::OutOfFuel),
        ("import sys\nwhile True: sys.stderr.write('x' * 100000)", Ends::OutOfFuel),
        ("import os\nd = bytes(1 << 20)\nwhile True: os.write(1, d)", Ends::OutOfFuel),
        ("while True: llm_query('x')", Ends::Raises("ToolError: llm_query: at most 64 such calls in one cell")),
        ("llm_query('x' * 10**7)", Ends::Raises("ToolError")),
        ("from wit_world.imports import host; host.call('llm_query', '\"' + 'x' * (9 << 20))", Ends::Badly),
        ("from wit_world.imports import host; host.call('no such call', '{}')", Ends::Raises("")),
        ("from wit_world.imports import host; host.call('grep', 'no json')", Ends::Raises("")),
        ("grep('(' * 3000)", Ends::Raises("ToolError")),
        ("grep('a' * 5000)", Ends::Raises("ToolError")),
    ]);
}

#[test]
fn searching() {
    // How the tools call the host, with arguments that they would not send.
    let call = "import json, sys\nhost = sys.modules['assay_repl'].host\ncall = lambda tool, **more: json.loads(host.call(tool, json.dumps({'path': '/testbed', 'prefix': '', 'pattern': '*', **more})))\n";
    let many = "import os\nfor i in range(2_100): open(f'f{i}', 'w').close()\n";
    let cells = [
        (format!("{call}{many}call('find', prefix='x' * 1_500_000)"), Ends::Raises("")),
        (format!("{call}{many}print(len(call('find', prefix='x' * 4_000)) < 100)"), Ends::Fine("True\n")),
        (format!("{call}{many}print(len(call('find')))"), Ends::Fine("2001\n")),
        (format!("{call}call('grep', pattern='kept', prefix='x' * 6_000_000)"), Ends::Raises("")),
        ("grep(r'\\w' * 2_048)".to_owned(), Ends::Raises("ToolError: grep: invalid pattern: it has 2048 brackets")),
        ("grep('[a]' * 65)".to_owned(), Ends::Raises("ToolError")),
        ("find('*' * 33)".to_owned(), Ends::Raises("ToolError")),
        ("open('x', 'w').write('ab' * 4_000_000)\ngrep('[ab]*a[ab]{900}x')".to_owned(), Ends::Fine("\n")),
        (
            "open('x', 'w').write('é ab\\n' * 2_000_000)\nwhile True: grep(r'\\bab\\b\\w{20}x')".to_owned(),
            Ends::OutOfFuel,
        ),
        (
            r"while True:
  try: grep(r'(?i)[\x00-\U0010ffff]' * 60 + 'x')
  except ToolError: pass"
                .to_owned(),
            Ends::OutOfFuel,
        ),
        (
            "open('x', 'w').write('a' * 10)\n__import__('os').truncate('x', 33 << 20)\nprint(list(grep('a'))[-1][:13])"
                .to_owned(),
            Ends::Fine("[not searched\n"),
        ),
    ];
    for (cell, ends) in cells {
        check(&[(&*cell, ends)]);
    }
}

#[test]
fn comparing() {
    let lines = "'\\n'.join(str(i) for i in range(300_000))";
    let cells = [
        // Each second line is another one: a step for each pair of lines, were they counted one by one.
        format!("open('src/a.py', 'w').write({lines})\nx = diff()\nprint(len(x) > 1_000_000)"),
        "open('x', 'w').write('a' * (20 << 20))\ndiff()".to_owned(),
    ];
    let ends = [Ends::OutOfFuel, Ends::Raises("ToolError")];
    for (cell, ends) in cells.iter().zip(ends) {
        check(&[(&**cell, ends)]);
    }
}

#[test]
fn breaking_the_interpreter() {
    check(&[
        ("import builtins\nbuiltins.__dict__.clear()", Ends::Fine("")),
        ("import builtins\nbuiltins.print = builtins.open = builtins.compile = builtins.exec = None", Ends::Fine("")),
        ("import sys; sys.stdout = sys.stderr = None", Ends::Fine("")),
        ("import sys; sys.stdout.close(); sys.stderr.close()", Ends::Fine("")),
        ("import os; os.close(1); print(1)", Ends::Exited(1)),
        ("globals().clear()", Ends::Fine("")),
        ("import sys; sys.modules.clear()", Ends::Raises("RuntimeError: lost builtins module")),
        ("read_file = write_file = edit = ls = find = grep = diff = finish = None", Ends::Fine("")),
        ("class A:\n  def __del__(self):\n    while True: pass\nx = A()\ndel x", Ends::OutOfFuel),
        ("class A:\n  def __del__(self): raise ValueError\na = A()\ndel a\nprint(1)", Ends::Fine("1\n")),
        ("import sys; sys.exit(3)", Ends::Raises("SystemExit: 3")),
        ("exit()", Ends::Fine("")),
        ("raise SystemExit", Ends::Fine("")),
        ("raise KeyboardInterrupt", Ends::Raises("KeyboardInterrupt")),
        ("import os; os._exit(3)", Ends::Exited(1)),
        ("import os; os.abort()", Ends::Badly),
        ("import sys; sys.settrace(lambda *a: 1 / 0)", Ends::Fine("")),
        (
            "import gc; gc.unfreeze(); [o.clear() for o in gc.get_objects() if type(o) is dict and '__loader__' not in o and len(o) < 20]",
            Ends::Badly,
        ),
        (
            "(lambda: 0).__code__.replace(co_code=b'\\xff' * 1000, co_stacksize=1)\nf = lambda: 0\nf.__code__ = f.__code__.replace(co_code=b'\\x53\\x09' * 1000)\nf()",
            Ends::Anyhow,
        ),
        ("import faulthandler; faulthandler._sigsegv()", Ends::Badly),
        ("import sys; sys.setswitchinterval(1e-9); sys.set_int_max_str_digits(0); str(10 ** 10 ** 7)", Ends::OutOfFuel),
        ("import os; os.urandom(1 << 30)", Ends::Badly),
    ]);
}

#[test]
fn finishing_is_told_by_the_host_alone() {
    block_on(async {
        let mut session = start(files()).await;
        let calls = Echo::default();
        let fake = session.run("print('finish', 'FINAL(done)')\nraise SystemExit", &calls).await.expect("no trouble");
        assert_eq!(fake.finished, None);
        let real = session
            .run("try: finish('done')\nexcept BaseException: pass\nprint('on')", &calls)
            .await
            .expect("no trouble");
        assert_eq!((real.finished.as_deref(), real.stdout.as_str()), (Some("done"), "on\n"));
        let next = session.run("1", &calls).await.expect("no trouble");
        assert_eq!(next.finished, None);
    });
}

#[test]
fn an_episode_runs_out_of_fuel() {
    let limits = PythonLimits { fuel_episode: 2 * LIMITS.fuel_cell, ..LIMITS };
    block_on(async {
        let mut session = engine()
            .start(assay_sandbox::python::SessionConfig { limits, ..config(files(), 1) })
            .await
            .expect("a session");
        for _ in 0..3 {
            let outcome = session.run("while True: pass", &Echo::default()).await.expect("no trouble");
            assert_eq!(outcome.error, Some(CellError::OutOfFuel));
            session.restart().await.expect("a fresh interpreter");
        }
        assert_eq!(session.fuel_used(), limits.fuel_episode);
    });
}
