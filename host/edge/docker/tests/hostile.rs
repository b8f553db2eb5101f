//! Hostile jobs on the real engine: each ends as it should, within its limits, and leaves nothing.

mod support;

use assay_grade::rule::Ended;
use assay_rollout::ports::{Job, Overlay, TestRun};
use support::{Bench, containers, file, job, link, require_engine, text};

/// Runs a job under a label of its own; afterwards its container must be gone.
async fn run(bench: &Bench, name: &str, change: impl FnOnce(&mut Job), script: &str) -> TestRun {
    let mut job = job(script);
    job.label = format!("{name}-{}", std::process::id());
    change(&mut job);
    let run = bench.run(job).await;
    assert!(run.log.len() <= support::LIMITS.log_bytes + 100, "{name}: the log has {} bytes", run.log.len());
    run
}

async fn check(name: &str, change: impl FnOnce(&mut Job), script: &str, ended: Ended, log: &str) {
    let bench = require_engine().await;
    let run = run(&bench, name, change, script).await;
    assert_eq!(run.ended, ended, "{name}: {}", text(&run));
    assert!(text(&run).contains(log), "{name}: {log:?} in {}", text(&run));
    bench.close().await;
    assert_eq!(containers(&format!("{name}-{}", std::process::id())), Vec::<String>::new(), "{name} left a container");
}

#[tokio::test]
async fn a_fork_bomb_ends_with_its_script() {
    check("fork-bomb", |job| job.limits.pids = 32, ":(){ :|:& };: 2>/dev/null; exit 9", Ended::Exited(9), "").await;
}

#[tokio::test]
async fn a_fork_bomb_that_waits_runs_out_of_time() {
    let script = "f() { while :; do f & done; }; f 2>/dev/null; sleep 600";
    check("fork-flood", |job| (job.limits.pids, job.limits.seconds) = (32, 3), script, Ended::TimedOut, "").await;
}

#[tokio::test]
async fn a_memory_bomb_is_out_of_memory() {
    let script = "exec python3 -c 'x = b\"x\" * (1 << 20)\nwhile True: x += x'";
    check("memory-bomb", |job| job.limits.memory_bytes = 64 << 20, script, Ended::OutOfMemory, "").await;
}

#[tokio::test]
async fn a_memory_bomb_on_a_file_system_in_memory_is_out_of_memory() {
    // 64 MiB is all of /dev/shm; the limit is below.
    let script = "exec head -c 60M /dev/zero > /dev/shm/x";
    check("shm-bomb", |job| job.limits.memory_bytes = 32 << 20, script, Ended::OutOfMemory, "").await;
}

#[tokio::test]
async fn an_endless_output_ends_the_job() {
    let bench = require_engine().await;
    let run = run(&bench, "flood", |_| (), "echo first; yes").await;
    assert!(matches!(&run.ended, Ended::Excess(why) if why.contains("beyond its limit")), "{:?}", run.ended);
    assert!(run.log.starts_with(b"first\n"));
    let kept = std::fs::metadata(run.artifact.expect("one is kept")).expect("it is there").len();
    assert_eq!(kept, support::LIMITS.artifact_bytes);
    bench.close().await;
}

#[tokio::test]
async fn the_summary_behind_much_output_is_kept() {
    let bench = require_engine().await;
    let run = run(&bench, "long", |_| (), "echo first; yes | head -c 800000; echo last").await;
    assert_eq!(run.ended, Ended::Exited(0));
    assert!(run.log.starts_with(b"first\n") && run.log.ends_with(b"last\n"));
    assert!(run.dropped_bytes > 700_000);
    bench.close().await;
}

#[tokio::test]
async fn a_file_without_end_has_a_limit() {
    let script = "ulimit -f; ulimit -f unlimited 2>/dev/null; ulimit -Hf";
    check("disk", |_| (), script, Ended::Exited(0), "4194304\n4194304\n").await;
}

#[tokio::test]
async fn a_script_that_ignores_signals_is_ended() {
    let script = "trap '' TERM INT HUP QUIT; python3 -c 'import signal,time; signal.signal(15, signal.SIG_IGN); print(1, flush=True); time.sleep(600)'";
    check("deaf", |job| job.limits.seconds = 3, script, Ended::TimedOut, "1").await;
}

#[tokio::test]
async fn a_process_left_behind_does_not_hold_the_end() {
    let script = "setsid sleep 600 & (nohup sleep 600 &) ; echo done; exit 2";
    check("left-behind", |_| (), script, Ended::Exited(2), "done").await;
}

#[tokio::test]
async fn a_job_cannot_write_to_the_kernel_or_be_another_root() {
    let script = "for f in /proc/sys/kernel/hostname /proc/sysrq-trigger /sys/kernel/uevent_helper /sys/fs/cgroup/memory/memory.limit_in_bytes /proc/1/oom_score_adj; do \
        { echo -1000 > $f; } 2>/dev/null && echo \"wrote $f\"; done; \
        mount -t tmpfs x /mnt 2>/dev/null && echo mounted; mknod /tmp/disk b 254 0 2>/dev/null && echo device; \
        unshare -m true 2>/dev/null && echo unshared; chroot / true 2>/dev/null && echo chrooted; \
        grep -E 'NoNewPrivs|CapEff|CapBnd' /proc/self/status; ls /dev";
    let bench = require_engine().await;
    let run = run(&bench, "kernel", |_| (), script).await;
    let log = text(&run);
    for bad in ["wrote", "mounted", "device", "unshared", "chrooted", "vda", "sda"] {
        assert!(!log.contains(bad), "{log}");
    }
    // CHOWN, DAC_OVERRIDE and FOWNER are bits 0, 1 and 3.
    assert!(log.contains("CapEff:\t000000000000000b") && log.contains("CapBnd:\t000000000000000b"), "{log}");
    assert!(log.contains("NoNewPrivs:\t1"), "{log}");
    bench.close().await;
}

#[tokio::test]
async fn there_is_no_network() {
    let script = "ls /sys/class/net; for target in 1.1.1.1/53 172.17.0.1/22 169.254.169.254/80; do \
        { timeout 3 bash -c \"exec 5<>/dev/tcp/$target\"; } 2>/dev/null && echo reached; done; \
        ls /var/run/docker.sock /run/docker.sock 2>/dev/null && echo socket; true";
    let bench = require_engine().await;
    let run = run(&bench, "network", |_| (), script).await;
    assert_eq!(text(&run), "lo\n");
    bench.close().await;
}

#[tokio::test]
async fn killing_everything_is_no_way_out() {
    // Process 1 outlives what it starts, whoever kills it.
    check("kill-all", |_| (), "exec python3 -c 'import os; os.kill(-1, 9); os._exit(0)'", Ended::Exited(0), "").await;
    check("kill-first", |_| (), "kill -9 1; echo here; exit 6", Ended::Exited(6), "here").await;
    check("kill-self", |_| (), "kill -9 $$; echo here; exit 6", Ended::Exited(137), "").await;
    check("kill-parent", |_| (), "bash -c 'kill -9 $PPID'; exit 0", Ended::Exited(137), "").await;
}

#[tokio::test]
async fn an_exit_code_is_not_what_was_printed_or_written() {
    let script = "echo 'exit 0'; echo 0 > /tmp/exit; printf 'ready\\n' > /proc/1/fd/2; printf 'junit\\n<forged/>' > /proc/1/fd/2; \
        find / -xdev -name '*prologue*' 2>/dev/null; exit 5";
    let bench = require_engine().await;
    let forged = run(&bench, "forged", |job| job.junit = Some("/tmp/report.xml".into()), script).await;
    assert_eq!(forged.ended, Ended::Exited(5), "{}", text(&forged));
    // No report was asked for: none is taken.
    assert_eq!(run(&bench, "unasked", |_| (), script).await.junit, None);
    bench.close().await;
}

/// Ways to the first process: what is printed is a way that is open.
const WAYS_TO_THE_FIRST: &str = r#"
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for request in (16, 0x4206):
    if libc.ptrace(request, 1, 0, 0) == 0: print("traced", request)
for name in ("mem", "environ", "fd/0", "fd/1", "fd/2", "fd/3", "fd/4", "maps", "syscall", "stack"):
    for mode in ("rb", "r+b"):
        try:
            with open("/proc/1/" + name, mode) as file:
                if file.read(1): print("opened", name, mode)
        except OSError: pass
for link in ("cwd", "root", "exe", "fd/3", "ns/pid"):
    try: print("read", link, os.readlink("/proc/1/" + link))
    except OSError: pass
vector = (ctypes.c_void_p * 2)(ctypes.addressof(ctypes.create_string_buffer(8)), 8)
if libc.process_vm_readv(1, vector, 1, vector, 1, 0) > 0: print("memory read")
pidfd = libc.syscall(434, 1, 0)
if pidfd >= 0 and libc.syscall(438, pidfd, 3, 0) >= 0: print("descriptor taken")
if libc.prctl(24, 8, 0, 0, 0) == 0: print("capability kept")
"#;

#[tokio::test]
async fn the_first_process_is_out_of_reach() {
    let bench = require_engine().await;
    let script = format!("python3 - << 'END'\n{WAYS_TO_THE_FIRST}END\nexit 6");
    let found = run(&bench, "first", |job| job.junit = Some("/tmp/r.xml".into()), &script).await;
    assert_eq!((text(&found).as_str(), found.ended, found.is_open), ("", Ended::Exited(6), false));
    // Its end and the report come through, whatever the script does to the processes that it may signal.
    let script = "echo '<testsuites/>' > /tmp/r.xml; kill -STOP 1; kill -9 1; for p in /proc/[0-9]*; do p=${p#/proc/}; \
        [ $p = $$ ] || kill -9 $p; done; yes > /proc/1/fd/3; exit 7";
    let found = run(&bench, "first-signalled", |job| job.junit = Some("/tmp/r.xml".into()), script).await;
    assert_eq!((found.ended, found.junit.as_deref()), (Ended::Exited(7), Some("<testsuites/>\n")));
    bench.close().await;
}

#[tokio::test]
async fn nothing_is_written_through_links() {
    // Of the image: /etc/mtab and /etc/os-release are links to files, /bin and /lib to folders.
    let bench = require_engine().await;
    let overlay =
        Overlay { files: vec![file("os-release", "mine\n"), link("debian_version", "/etc/issue")], removed: vec![] };
    let script = "cat os-release; test -L os-release || echo file; grep -c Debian /usr/lib/os-release; readlink debian_version; cat issue | head -c 6";
    let in_etc = run(&bench, "link-file", |job| (job.folder, job.overlay) = ("/etc".into(), overlay), script).await;
    assert!(
        text(&in_etc).starts_with("mine\nfile\n") && text(&in_etc).ends_with("/etc/issue\nDebian"),
        "{}",
        text(&in_etc)
    );
    assert!(!text(&in_etc).contains("\n0\n"), "{}", text(&in_etc));

    // A folder that is a link becomes a folder; what the link led to keeps its files.
    let overlay = Overlay {
        files: vec![file("run/x", "mine\n")],
        removed: vec![b"lock/was/never".to_vec(), b"run/utmp".to_vec()],
    };
    let script = "test -L run && echo link; cat run/x; ls /run/x 2>/dev/null; test -L lock && echo kept; true";
    let in_var = run(&bench, "link-folder", |job| (job.folder, job.overlay) = ("/var".into(), overlay), script).await;
    assert_eq!(text(&in_var), "mine\nkept\n");
    bench.close().await;
}

#[tokio::test]
async fn names_are_names_and_never_commands() {
    let names = [
        "$(touch pwned)",
        "; touch pwned",
        "-rf",
        "--checkpoint-action=exec=touch pwned",
        "a b\n c",
        "`touch pwned`",
        "*",
        "\\",
        "ü",
    ];
    let files = names.iter().map(|name| file(name, "x")).chain([(b"\xff\xfe".to_vec(), file("", "x").1)]);
    let overlay = Overlay {
        files: files.collect(),
        removed: vec![b"-rf /x".to_vec(), b"$(touch pwned)/x".to_vec(), b"*/y".to_vec()],
    };
    let bench = require_engine().await;
    let run = run(
        &bench,
        "names",
        |job| job.overlay = overlay,
        "find . -type f | wc -l; find . -type f -print0 | tr -dc '\\0' | wc -c; ls pwned 2>/dev/null",
    )
    .await;
    assert!(text(&run).ends_with("\n10\n"), "{}", text(&run));
    bench.close().await;
}

#[tokio::test]
async fn reports_that_are_no_files_are_none() {
    let bench = require_engine().await;
    for (name, script) in [
        ("a link", "ln -s /etc/passwd /tmp/r.xml"),
        ("a pipe", "mkfifo /tmp/r.xml"),
        ("a folder", "mkdir /tmp/r.xml"),
        ("a device", "ln -s /dev/zero /tmp/r.xml"),
        ("huge", "truncate -s 3G /tmp/r.xml"),
        ("absent", "true"),
    ] {
        let run = run(&bench, "report", |job| job.junit = Some("/tmp/r.xml".into()), script).await;
        assert_eq!((run.ended, run.junit), (Ended::Exited(0), None), "{name}");
    }
    bench.close().await;
}

#[tokio::test]
async fn each_job_starts_from_the_image() {
    let bench = require_engine().await;
    let script = "ls /tmp/left /opt/left 2>/dev/null; test -L /usr/bin/awk || echo gone; touch /tmp/left /opt/left; rm /usr/bin/awk; echo ok";
    for _ in 0..2 {
        assert_eq!(text(&run(&bench, "fresh", |_| (), script).await), "ok\n");
    }
    bench.close().await;
}
