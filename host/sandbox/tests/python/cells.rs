//! What a cell does and what comes back.

use crate::support::{run, tree};

#[test]
fn smoke() {
    let outcomes = run(
        tree(&[("src/a.py", "def f():\n    return 1\n"), ("readme.md", "hello\n")]),
        &[
            "print(1+1)", "x = 5", "x * 2", "import os; os.getcwd(), os.listdir('.'), os.listdir('/'), os.listdir('/tmp')",
            "open('src/a.py').read()", "open('new.txt','w').write('abc'); open('new.txt','a').write('def'); open('new.txt').read()",
            "import src.a; src.a.f()", "ls()", "find('*.py')", "grep('def')", "diff()", "edit('src/a.py','1','2'); print(diff())",
            "run_tests()", "llm_query('hi')", "shell('x')", "1/0", "def f(", "import random, time, uuid; random.random(), time.time(), uuid.uuid4(), hash('a')",
            "import tempfile; t = tempfile.NamedTemporaryFile(); t.write(b'abc'); t.flush(); open(t.name).read()",
            "print = None", "print(3)", "grep = 3", "grep('hello')", "finish('done')",
            "import pathlib; sorted(pathlib.Path('.').rglob('*'))", "import socket; socket.create_connection(('1.1.1.1', 80))",
            "import socket; socket.getaddrinfo('example.com', 80)",
            "time.sleep(100); time.time()",
            "import subprocess; subprocess.run(['ls'])",
            "open('/etc/passwd')", "open('../x','w')", "import json; json.loads('x')",
        ],
    );
    for outcome in &outcomes {
        println!("{outcome:?}");
    }
}
