//! What is sent beside the messages.

use crate::support::{Lab, code};
use assay_rollout::{Exit, Temperature};

#[test]
fn schedules() {
    let rising = Temperature::Rising { first: 0.0, step: 0.4, max: 1.0 };
    let list = Temperature::List(vec![0.2, 0.7]);
    let cases: Vec<(&Temperature, [Option<f64>; 4])> = vec![
        (&Temperature::Unset, [None; 4]),
        (&rising, [Some(0.0), Some(0.4), Some(0.8), Some(1.0)]),
        (&list, [Some(0.2), Some(0.7), Some(0.7), Some(0.7)]),
    ];
    for (temperature, expected) in cases {
        assert_eq!([1, 2, 3, 4].map(|attempt| temperature.of_attempt(attempt)), expected);
    }
    assert_eq!(Temperature::List(Vec::new()).of_attempt(1), None);
}

#[test]
fn requests_carry_the_attempts_temperature_epoch_and_seed() {
    let mut lab = Lab::new(&[&code("finish done")]);
    lab.settings.temperature = Temperature::List(vec![0.2, 0.7]);
    lab.settings.limits.reply_tokens = Some(4_096);
    lab.start.attempt = 2;
    lab.run();
    let asked = lab.model.asked.lock().unwrap();
    let request = &asked[0];
    assert_eq!((request.temperature, request.epoch, request.output_tokens_max), (Some(0.7), 2, Some(4_096)));
    assert_eq!(request.seed, Some(7));
    assert!(request.tools.is_empty());
}

#[test]
fn a_nudge_takes_the_place_of_our_advice_and_detection_can_be_off() {
    let again = code("print again");
    let replies = ["What now?", &again, &again, &again, &again, &again, &again, &code("finish done")];
    for (nudge, detection) in [(None, true), (Some("Read the report once more."), true), (Some("Look."), false)] {
        let mut lab = Lab::new(&replies);
        lab.settings.nudge = nudge.map(str::to_owned);
        lab.settings.stuck_detection = detection;
        let ended = lab.run();
        let told = lab.last_asked();
        assert!(told.contains("no block tagged") && told.contains("After 2 more replies without code"), "{told}");
        assert_eq!((told.contains("You are repeating yourself"), ended.exit == Exit::Stuck), (detection, detection));
        let times = told.matches(nudge.unwrap_or("Try something else;")).count();
        assert_eq!(times, if nudge.is_some() { 1 + usize::from(detection) } else { 1 }, "{told}");
        assert_eq!(told.contains("Write code like this"), nudge.is_none());
    }
}
