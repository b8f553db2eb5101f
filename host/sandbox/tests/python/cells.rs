//! What a cell does and what comes back: the REPL, the tools, plain files.

use crate::support::{Echo, block_on, config, engine, run, start, tree};
use assay_sandbox::python::{CellError, HostCall, OpenError, PythonEngine, PythonError, PythonSettings, TOOLS_HELP};
use assay_tree::Tree;
use std::path::PathBuf;

fn files() -> Tree {
    tree(&[("src/a.py", "def f():\n    return 1\n"), ("readme.md", "hello\n")])
}

/// Runs cells in one session; each prints what stands beside it.
fn check(cells: &[(&str, &str)]) {
    let sources: Vec<&str> = cells.iter().map(|(cell, _)| *cell).collect();
    for (outcome, (cell, printed)) in run(files(), &sources).iter().zip(cells) {
        assert_eq!((outcome.stdout.as_str(), &outcome.error), (*printed, &None), "{cell}");
    }
}

/// The summary and the traceback of the last of these cells.
fn raised(cells: &[&str]) -> (String, String) {
    match run(files(), cells).pop().and_then(|outcome| outcome.error) {
        Some(CellError::Exception { summary, traceback }) => (summary, traceback),
        other => panic!("no exception but {other:?}"),
    }
}

#[test]
fn names_live_on_and_last_expressions_are_shown() {
    check(&[
        ("print(1 + 1)", "2\n"),
        ("x = 5", ""),
        ("x * 2", "10\n"),
        ("def g():\n    return x\ng()", "5\n"),
        ("None", ""),
        ("", ""),
        ("if x: print('yes')", "yes\n"),
        ("_ = 3\nfor i in range(2): i", ""),
        ("from dataclasses import dataclass\n@dataclass\nclass P:\n    a: int\nP(1)", "P(a=1)\n"),
        ("import pickle; pickle.loads(pickle.dumps(P(2)))", "P(a=2)\n"),
        ("'\\ud800'.encode(errors='replace'); print('\\ud800')", "\\ud800\n"),
    ]);
}

#[test]
fn files_are_the_tree() {
    check(&[
        ("import os; os.getcwd(), sorted(os.listdir('.'))", "('/testbed', ['readme.md', 'src'])\n"),
        ("open('new.txt', 'w').write('abc'); open('new.txt', 'a').write('def'); open('new.txt').read()", "'abcdef'\n"),
        (
            "f = open('new.txt', 'r+b'); _ = f.seek(2); _ = f.write(b'XY'); f.close(); open('new.txt').read()",
            "'abXYef'\n",
        ),
        ("os.rename('new.txt', 'src/n.txt'); os.path.exists('new.txt'), os.stat('src/n.txt').st_size", "(False, 6)\n"),
        (
            "import pathlib; sorted(map(str, pathlib.Path('.').rglob('*')))",
            "['readme.md', 'src', 'src/a.py', 'src/n.txt']\n",
        ),
        (
            "os.symlink('readme.md', 'link'); open('link').read(), os.readlink('link'), os.path.islink('link')",
            "('hello\\n', 'readme.md', True)\n",
        ),
        (
            "os.remove('link'); os.makedirs('p/q'); import shutil; shutil.copytree('src', 'p/s'); shutil.rmtree('p'); sorted(os.listdir())",
            "['readme.md', 'src']\n",
        ),
        ("import src.a; src.a.f()", "1\n"),
        ("open('src/b.py', 'w').write('B = 7'); import src.b; src.b.B", "7\n"),
        (
            "import tempfile\nwith tempfile.TemporaryFile() as t: _ = t.write(b'abc'); _ = t.seek(0); print(t.read())",
            "b'abc'\n",
        ),
        ("d = bytes(range(256)) * 5000; _ = open('bin', 'wb').write(d); open('bin', 'rb').read() == d", "True\n"),
        ("open('bin', 'r+b').truncate(3); os.path.getsize('bin')", "3\n"),
    ]);
}

#[test]
fn tools() {
    let patch = "diff --git a/src/a.py b/src/a.py\n";
    check(&[
        ("ls()", "readme.md  6\nsrc/\n"),
        ("find('*.py'), find('src/**'), find(path='src')", "(src/a.py, src/a.py, src/a.py)\n"),
        ("grep('def|hello')", "readme.md:1: hello\nsrc/a.py:1: def f():\n"),
        (
            "grep('DEF', 'src', ignore_case=True), grep('f()', glob='*.py', literal=True), len(grep('nothing'))",
            "(src/a.py:1: def f():, src/a.py:1: def f():, 0)\n",
        ),
        ("diff()", "''\n"),
        ("edit('src/a.py', 'return 1', 'return 2'); print(read_file('src/a.py', 2, 2))", "    return 2\n\n"),
        ("write_file('x/y/z.txt', 'z'); open('x/y/z.txt').read()", "'z'\n"),
        (
            &format!("diff().startswith('diff --git'), {patch:?} in diff(), 'x/y/z.txt' in diff()"),
            "(True, True, True)\n",
        ),
        ("run_tests(), llm_query('hi')", "('2 passed', 'HI')\n"),
    ]);
    for tool in TOOLS_HELP.lines().filter_map(|line| line.split_once('(').filter(|(name, _)| !name.contains(' '))) {
        assert_eq!(run(files(), &[&format!("callable({})", tool.0)])[0].stdout, "True\n", "{}", tool.0);
    }
}

#[test]
fn tools_say_what_is_wrong() {
    for (cell, said) in [
        ("edit('src/a.py', 'return 3', 'x')", "ToolError: edit: `old` does not occur in src/a.py: read the file again"),
        (
            "edit('src/a.py', 'return  1', 'x')",
            "ToolError: edit: `old` does not occur in src/a.py: it does with other white space; copy it exactly",
        ),
        (
            "open('sparse', 'wb').truncate(20 << 20); diff()",
            "ToolError: diff: the changed files have 20971526 bytes, at most 16777216 are compared: remove what is not source",
        ),
        (
            "write_file('d', 'a\\na\\n'); edit('d', 'a', 'b')",
            "ToolError: edit: `old` occurs 2 times in d, at lines 1, 2: give more context",
        ),
        ("edit('src/a.py', '', 'x')", "ToolError: edit: `old` is empty; use write_file to make or replace a file"),
        ("edit('nowhere', 'a', 'x')", "FileNotFoundError: [Errno 44] No such file or directory: 'nowhere'"),
        ("grep('[')", "ToolError: grep: invalid pattern: regex parse error:"),
        ("shell('ls')", "ToolError: shell: shell is not allowed in this task"),
        // A search for something else than what was asked for would find the wrong lines, or none.
        (
            "grep('caf\\udce9')",
            "ToolError: grep: a text has half of a surrogate pair (such as '\\udce9'), which is not a character: leave it out",
        ),
        (
            "open('x', 'wb').write(b'caf\\xe9 au lait'); find(read_file('x'))",
            "ToolError: find: a text has half of a surrogate pair (such as '\\udce9'), which is not a character: leave it out",
        ),
        ("write_file('x', 3)", "TypeError: text must be a str, not int"),
    ] {
        assert_eq!(raised(&[cell]).0, said);
    }
}

/// Python's texts can have halves of surrogate pairs, and others' cannot.
#[test]
fn what_a_cell_tells_is_whole() {
    block_on(async {
        let mut session = start(files()).await;
        let calls = Echo::default();
        for (text, told) in [
            ("", ""),
            ("\\ud800", "\u{fffd}"),
            ("\\udfff", "\u{fffd}"),
            ("a\\ud800b", "a\u{fffd}b"),
            ("\\ud800\\ud800", "\u{fffd}\u{fffd}"),
            ("\\udc00\\ud800", "\u{fffd}\u{fffd}"),
            ("\\ud800\\n\\u00e9", "\u{fffd}\n\u{e9}"),
            ("\\ud83d\\ude00", "\u{1f600}"),
            ("\\ud83d\\ud83d\\ude00", "\u{fffd}\u{1f600}"),
            ("\\U0001f600 \\ud7ff\\ue000", "\u{1f600} \u{d7ff}\u{e000}"),
            ("\\\\ud800", "\\ud800"),
        ] {
            let cell = format!("finish('{text}')");
            let outcome = session.run(&cell, &calls).await.expect("no trouble");
            assert_eq!((outcome.finished.as_deref(), &outcome.error), (Some(told), &None), "{cell}");
            for (tool, call) in [
                ("llm_query", HostCall::LlmQuery { prompt: told.to_owned() }),
                ("shell", HostCall::Shell { command: told.to_owned() }),
            ] {
                let cell = format!("try: {tool}('{text}')\nexcept ToolError: pass");
                let outcome = session.run(&cell, &calls).await.expect("no trouble");
                assert_eq!(outcome.error, None, "{cell}");
                assert_eq!(calls.0.lock().expect("nobody panics").pop(), Some(call), "{cell}");
            }
        }
        // What a file has that is not UTF-8.
        let cell = "open('x', 'wb').write(b'caf\\xe9'); finish(read_file('x'))";
        let outcome = session.run(cell, &calls).await.expect("no trouble");
        assert_eq!(outcome.finished.as_deref(), Some("caf\u{fffd}"));
    });
}

#[test]
fn tracebacks_show_the_cells_own_frames() {
    let (summary, traceback) = raised(&[
        "def f(x):\n    return 1 / x",
        "import json\ntry:\n    json.loads('x')\nexcept ValueError:\n    f(0)",
    ]);
    assert_eq!(summary, "ZeroDivisionError: division by zero");
    for frame in [
        "File \"<cell 2>\", line 3",
        "File \"<cell 2>\", line 5",
        "File \"<cell 1>\", line 2, in f\n    return 1 / x",
        "JSONDecodeError",
    ] {
        assert!(traceback.contains(frame), "{frame} in {traceback}");
    }
    assert!(!traceback.contains("assay_repl") && !traceback.contains("decoder.py"), "{traceback}");
    assert_eq!(raised(&["def f("]).0, "SyntaxError: '(' was never closed");
    let (_, deep) = raised(&["def f(): f()\nf()"]);
    assert!(deep.len() < 2_000, "{deep}");
}

#[test]
fn a_replaced_tool_is_back_in_the_next_cell() {
    let outcomes = run(files(), &["grep = edit = 3\nprint = None", "print(grep('hello'))"]);
    assert_eq!(outcomes[0].restored, ["edit", "grep"]);
    assert!(
        matches!(&outcomes[1].error, Some(CellError::Exception { summary, .. }) if summary.starts_with("TypeError"))
    );
    let outcomes = run(files(), &["import builtins; builtins.len = None", "len('ab')"]);
    assert_eq!(outcomes[1].stdout, "2\n");
}

#[test]
fn host_calls_are_typed_and_see_the_files() {
    block_on(async {
        let mut session = start(files()).await;
        let calls = Echo::default();
        session.run("run_tests(); llm_query('a')", &calls).await.expect("no trouble");
        assert_eq!(
            *calls.0.lock().expect("nobody panics"),
            [HostCall::RunTests, HostCall::LlmQuery { prompt: "a".to_owned() }]
        );
        let trouble = session.run("sub_agent('x')", &calls).await;
        assert!(matches!(trouble, Err(PythonError::Infrastructure(_))), "{trouble:?}");
        assert!(!session.is_alive());
        assert!(matches!(session.run("1", &calls).await, Err(PythonError::Dead)));
        assert_eq!(session.tree().read_all(b"readme.md").expect("it is there").to_vec(), b"hello\n");
    });
}

#[test]
fn output_and_code_are_cut() {
    let outcome = run(files(), &["print('x' * 100_000)"]).remove(0);
    assert_eq!((outcome.stdout.len(), outcome.dropped_bytes), (64 << 10, 100_001 - (64 << 10)));
    let long = "#".repeat(300 << 10);
    let outcomes = run(files(), &[&long, "1"]);
    assert!(matches!(outcomes[0].error, Some(CellError::TooLong { .. })));
    assert_eq!(outcomes[1].stdout, "1\n");
}

/// A session can be run on any thread, and two of them in turn on one.
#[test]
fn cells_that_spin_share_a_thread() {
    fn sendable<T: Send>(value: T) -> T {
        value
    }
    block_on(async {
        let spin = async {
            let mut session = engine().start(config(files(), 1)).await.expect("a session");
            sendable(session.run("for i in range(10**6): pass\n'done'", &Echo::default()))
                .await
                .expect("no trouble")
                .stdout
        };
        let other = async {
            let mut slices = 0;
            let mut session = engine().start(config(files(), 1)).await.expect("a session");
            for _ in 0..20 {
                session.run("1", &Echo::default()).await.expect("no trouble");
                slices += 1;
            }
            slices
        };
        let (spun, slices) = futures::future::join(sendable(spin), other).await;
        assert_eq!((spun.as_str(), slices), ("'done'\n", 20));
    });
}

#[test]
fn a_missing_interpreter_is_said() {
    let helper = PathBuf::from(env!("CARGO_BIN_EXE_assay-sandbox-helper"));
    let folder = tempfile::tempdir().expect("a folder");
    let open = |path: PathBuf| {
        PythonEngine::open(&PythonSettings::new(path, folder.path().to_path_buf(), helper.clone())).err()
    };
    let missing = open(folder.path().join("none.wasm")).expect("there is none");
    assert!(
        matches!(missing, OpenError::Guest(_))
            && missing.to_string().starts_with("failed to find the Python interpreter")
    );
    let text = folder.path().join("text.wasm");
    std::fs::write(&text, "text").expect("a file");
    assert!(open(text).expect("it is text").to_string().ends_with("it is not a WebAssembly component"));
}
