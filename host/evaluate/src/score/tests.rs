//! Scales, weights and ceilings as data.

use super::{Axis, GAUGES, POINTS_MAX, POINTS_MIN, PROFILES, Scale, TAIL_LOSS};

#[test]
fn a_scale_is_straight_between_its_knots_and_flat_beyond() {
    let scale = Scale(&[(-1.0, 1.0), (0.0, 3.0), (2.0, 10.0)]);
    for (value, points) in
        [(-9.0, 1.0), (-1.0, 1.0), (-0.5, 2.0), (0.0, 3.0), (1.0, 6.5), (2.0, 10.0), (f64::INFINITY, 10.0)]
    {
        assert_eq!(scale.at(value), points, "{value}");
    }
}

#[test]
fn every_scale_is_whole_monotone_and_neutral_at_no_effect() {
    for gauge in GAUGES {
        let knots = gauge.scale.0;
        assert!(knots.windows(2).all(|pair| pair[0].0 < pair[1].0), "{}", gauge.key);
        let rises = knots.windows(2).all(|pair| pair[0].1 < pair[1].1);
        let falls = knots.windows(2).all(|pair| pair[0].1 > pair[1].1);
        assert!(rises || falls, "{}", gauge.key);
        let ends = [knots[0].1, knots[knots.len() - 1].1];
        assert!(ends.contains(&POINTS_MIN) && ends.contains(&POINTS_MAX), "{}", gauge.key);
        let nothing = if gauge.axis == Axis::Execution { -1.0 } else { 0.0 };
        assert_eq!(gauge.scale.at(nothing), gauge.axis.neutral(), "{}", gauge.key);
    }
    assert!(TAIL_LOSS.0.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1));
}

#[test]
fn weights_of_a_goal_add_up_to_one() {
    for (index, profile) in PROFILES.iter().enumerate() {
        assert_eq!(profile.goal as usize, index, "{}", profile.name);
        assert!((profile.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{}", profile.name);
        assert!(profile.weights.iter().all(|weight| *weight > 0.0), "{}", profile.name);
        assert!(profile.leads.contains(&Axis::Profit), "{}", profile.name);
    }
}
