//! Work under watch: its answer, its fall, its hanging.

use assay_gate::watch::{Ended, Watch, watched};
use assay_run::Stop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(600);
const NOW: Duration = Duration::ZERO;

fn until_asked(cancel: &AtomicBool) -> &'static str {
    while !cancel.load(Ordering::Relaxed) {
        std::thread::yield_now();
    }
    "asked"
}

#[test]
fn work_ends_as_it_ends() {
    let (go, stop) = (Stop::new(), Stop::new());
    stop.stop();
    assert_eq!(watched(Watch { wall: LONG, grace: LONG }, &go, |_| 7), Ended::Done(7));
    // Time is up at once, or somebody has asked: the work hears of it.
    assert_eq!(watched(Watch { wall: NOW, grace: LONG }, &go, until_asked), Ended::Done("asked"));
    assert_eq!(watched(Watch { wall: LONG, grace: LONG }, &stop, until_asked), Ended::Done("asked"));
    // What does not answer is left behind.
    let hangs = |_: &AtomicBool| -> u8 {
        loop {
            std::thread::park();
        }
    };
    assert_eq!(watched(Watch { wall: NOW, grace: NOW }, &go, hangs), Ended::Hung);
    let falls = |_: &AtomicBool| -> u8 { panic!("fell over {}", 3) };
    assert_eq!(watched(Watch { wall: LONG, grace: LONG }, &go, falls), Ended::Panicked("fell over 3".to_owned()));
    // And whoever comes next is not touched by any of it.
    assert_eq!(watched(Watch { wall: LONG, grace: LONG }, &go, |_| 8), Ended::Done(8));
}

#[test]
fn whoever_stops_does_not_wait_out_the_grace() {
    let hangs = |_: &AtomicBool| -> u8 {
        loop {
            std::thread::park();
        }
    };
    let began = Instant::now();
    let stop = Stop::new();
    stop.stop();
    assert_eq!(watched(Watch { wall: LONG, grace: LONG }, &stop, hangs), Ended::Hung);
    // Also where it was asked to end before, because its time was up.
    let stop = Stop::new();
    let later = stop.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        later.stop();
    });
    assert_eq!(watched(Watch { wall: NOW, grace: LONG }, &stop, hangs), Ended::Hung);
    assert!(began.elapsed() < Duration::from_secs(60));
}
