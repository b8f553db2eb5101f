//! Hostile tools: each tries one thing that the jail forbids. A control case shows that the same jail runs an honest tool.
//!
//! The tools are shell scripts. Assertions on protections that the kernel may lack follow what the jail itself reports, so that a
//! false report fails the test.

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use assay_jail::{
    Ended, Invocation, Jail, JailError, JailedOutput, Landlock, Limits, Network, PRIVATE_WRITABLE, system_libraries,
};

const SHELL: &str = "/bin/bash";

fn limits() -> Limits {
    Limits {
        memory_bytes: 256 << 20,
        cpu_seconds: 20,
        wall: Duration::from_secs(20),
        processes: 16,
        file_bytes: 1 << 20,
        open_files: 64,
        output_bytes: 64 << 10,
    }
}

/// A jail over a new folder; the folder lives as long as the first part.
fn jail(limits: Limits) -> (tempfile::TempDir, Jail) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut read_only = system_libraries();
    read_only.extend(["/bin", "/usr/bin"].map(PathBuf::from));
    let jail = Jail {
        helper: PathBuf::from(env!("CARGO_BIN_EXE_assay-jail")),
        read_only,
        writable: folder.path().canonicalize().expect("the folder exists"),
        limits,
    };
    (folder, jail)
}

fn script(text: &str) -> Invocation {
    Invocation {
        program: PathBuf::from(SHELL),
        args: vec!["-c".into(), text.into()],
        env: vec![("PATH".into(), "/usr/bin:/bin".into())],
        stdin: Vec::new(),
    }
}

/// Runs a script under the usual limits.
fn check(text: &str) -> JailedOutput {
    let (_folder, jail) = jail(limits());
    jail.run(&script(text)).expect("the jail can be set up")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn honest_tool_reads_its_input_and_writes_its_folder() {
    let (folder, jail) = jail(limits());
    let mut tool = script("cat > note; mkdir sub; mv note sub/; echo out; echo err >&2; echo ${SECRET-unset}; exit 7");
    tool.stdin = b"hello".to_vec();
    let output = jail.run(&tool).unwrap();
    assert_eq!(output.ended, Ended::Exited(7));
    assert_eq!(
        (text(&output.stdout.bytes), text(&output.stderr.bytes)),
        ("out\nunset\n".to_owned(), "err\n".to_owned())
    );
    assert_eq!(fs::read_to_string(folder.path().join("sub/note")).unwrap(), "hello");
}

#[test]
fn files_outside_are_out_of_reach() {
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret");
    fs::write(&secret, "secret").unwrap();
    let (secret, folder) = (secret.display(), outside.path().display());
    let cases = [
        "cat /etc/passwd".to_owned(),
        "ls /etc".to_owned(),
        "ls /proc".to_owned(),
        "ls /".to_owned(),
        format!("cat {secret}"),
        format!("echo x > {secret}"),
        format!("echo x > {folder}/new"),
        format!("rm {secret}"),
        format!("mv {secret} ."),
        format!("ln {secret} link && cat link"),
        format!("ln -s {secret} link && cat link"),
        "cp /bin/true mine && chmod +x mine && ./mine".to_owned(),
        "echo 1000 > /proc/self/oom_score_adj".to_owned(),
        "mknod device c 1 3 && cat device".to_owned(),
    ];
    for case in &cases {
        let output = check(case);
        if output.protections.landlock == Landlock::None {
            continue;
        }
        assert!(matches!(output.ended, Ended::Exited(code) if code != 0), "{case}: {output:?}");
        assert_eq!(text(&output.stdout.bytes), "", "{case}");
    }
    assert_eq!(fs::read_to_string(outside.path().join("secret")).unwrap(), "secret");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[test]
fn only_named_paths_exist() {
    let outside = tempfile::tempdir().unwrap();
    let socket = outside.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let output = check(&format!(
        "[ -e /etc/passwd ] || [ -e /proc/1 ] || [ -e {} ] && echo seen; echo x > /dev/null && [ -e {SHELL} ]",
        socket.display()
    ));
    assert_eq!(output.ended, Ended::Exited(0), "{output:?}");
    assert_eq!(text(&output.stdout.bytes).is_empty(), output.protections.private_root, "{output:?}");
}

#[test]
fn a_private_root_hides_where_the_folder_lies() {
    let run = || {
        let (folder, jail) = jail(limits());
        let path = jail.writable.display();
        let mut tool = script(&format!("pwd; echo {path}/a:{path}; echo $PLACE; cd {path}"));
        tool.env.push(("PLACE".into(), format!("--at={path}").into()));
        let output = jail.run(&tool).unwrap();
        assert_eq!(output.ended, Ended::Exited(0), "{output:?}");
        (text(&output.stdout.bytes), output.protections.private_root, path.to_string(), folder)
    };
    let (said, private_root, path, _folder) = run();
    let place = if private_root { PRIVATE_WRITABLE } else { &path };
    assert_eq!(said, format!("{place}\n{place}/a:{place}\n--at={place}\n"));
    assert_eq!(run().0 == said, private_root);
}

#[test]
fn network_is_out_of_reach() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let connect = format!("exec 3<>/dev/tcp/127.0.0.1/{port} && echo connected");

    let output = check(&connect);
    if output.protections.network != Network::None {
        assert_eq!((output.ended, text(&output.stdout.bytes)), (Ended::Exited(1), String::new()), "{output:?}");
        assert!(listener.accept().is_err());
    }
    let free = Command::new(SHELL).args(["-c", &connect]).output().unwrap();
    assert_eq!(text(&free.stdout), "connected\n", "the same script connects outside the jail");
    assert!(listener.accept().is_ok());
}

#[test]
fn memory_bomb_is_stopped() {
    let output = check("x=aaaaaaaa; while :; do x=$x$x; done; echo survived");
    assert!(!matches!(output.ended, Ended::Exited(0) | Ended::Deadline), "{output:?}");
    assert_eq!(text(&output.stdout.bytes), "");
}

#[test]
fn complaint_about_memory_is_recognised() {
    let output = check("echo 'memory allocation of 64 bytes failed' >&2; exit 134");
    assert_eq!(output.ended, Ended::OutOfMemory);
    assert_eq!(check("exit 134").ended, Ended::Exited(134));
}

#[test]
fn infinite_loop_ends_at_the_deadline() {
    let (_folder, jail) = jail(Limits { wall: Duration::from_millis(300), ..limits() });
    let output = jail.run(&script("while :; do :; done")).unwrap();
    assert_eq!(output.ended, Ended::Deadline);
    assert!(output.elapsed < Duration::from_secs(10), "{:?}", output.elapsed);
}

#[test]
fn cpu_time_is_a_second_line() {
    let (_folder, jail) = jail(Limits { cpu_seconds: 1, ..limits() });
    assert_eq!(jail.run(&script("while :; do :; done")).unwrap().ended, Ended::ProcessorTime);
}

/// Whether any process on this machine has `word` among its arguments.
fn is_running(word: &str) -> bool {
    fs::read_dir("/proc").expect("Linux has /proc").flatten().any(|entry| {
        fs::read(entry.path().join("cmdline"))
            .is_ok_and(|line| text(&line).split('\0').any(|argument| argument == word))
    })
}

#[test]
fn fork_bomb_is_bounded_and_nothing_survives() {
    // An argument that only this test's processes carry.
    let seconds = format!("600.{}", std::process::id());
    let (_folder, jail) = jail(Limits { wall: Duration::from_secs(3), ..limits() });
    let bomb = format!("for i in $(seq 200); do sleep {seconds} & done; setsid sleep {seconds} & wait; echo all");
    let output = jail.run(&script(&bomb)).unwrap();
    if output.protections.processes {
        assert_eq!(text(&output.stdout.bytes), "", "the 200th process was refused");
        assert!(text(&output.stderr.bytes).contains("fork"), "{output:?}");
    }
    if output.protections.process_tree {
        assert!(!is_running(&seconds));
    }
}

#[test]
fn background_process_dies_with_the_tool() {
    let seconds = format!("601.{}", std::process::id());
    let output = check(&format!("setsid sleep {seconds} > /dev/null 2>&1 < /dev/null & exit 0"));
    assert_eq!(output.ended, Ended::Exited(0));
    if output.protections.process_tree {
        assert!(!is_running(&seconds));
    }
}

#[test]
fn output_flood_is_cut_but_counted() {
    let output = check("head -c 5000000 /dev/zero; head -c 100000 /dev/zero >&2");
    assert_eq!(output.ended, Ended::Exited(0));
    assert_eq!((output.stdout.bytes.len(), output.stdout.dropped_bytes), (64 << 10, 5_000_000 - (64 << 10)));
    assert_eq!((output.stderr.bytes.len(), output.stderr.dropped_bytes), (64 << 10, 100_000 - (64 << 10)));
}

#[test]
fn big_file_is_stopped() {
    let (folder, jail) = jail(limits());
    let output = jail.run(&script("trap '' XFSZ; head -c 5000000 /dev/zero > big")).unwrap();
    assert!(matches!(output.ended, Ended::Exited(code) if code != 0), "{output:?}");
    assert!(fs::metadata(folder.path().join("big")).unwrap().len() <= 1 << 20);
}

#[test]
fn failures_to_set_up_are_errors_not_outcomes() {
    let (_folder, jail) = jail(limits());
    let missing = Invocation { program: PathBuf::from("/nowhere/tool"), ..script("") };
    assert!(matches!(jail.run(&missing), Err(JailError::Setup { step, .. }) if step == "start the tool"));
    let no_helper = Jail { helper: PathBuf::from("/nowhere/helper"), ..jail.clone() };
    assert!(matches!(no_helper.run(&script("")), Err(JailError::Helper { .. })));
    let wrong_helper = Jail { helper: PathBuf::from("/bin/true"), ..jail };
    assert!(matches!(wrong_helper.run(&script("")), Err(JailError::Silent { .. })));
}
