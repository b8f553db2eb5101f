//! Ratings from games in which everybody met everybody: Bradley–Terry with intervals.
//!
//! Each game ranks its players; for a pair, the better one has won, and equals have half a win each. Strengths are those of Bradley & Terry (1952), fitted by
//! the algorithm of Hunter (2004, "MM algorithms for generalized Bradley–Terry models"), on the scale of Elo: 1000 is the mean, and 400 points more are ten
//! times the chance to win. Each pair has one more game, a draw, so that who never lost has an end to his rating. Intervals come from drawing
//! whole games anew (a bootstrap over games, percentiles), because the pairs of one game share its market.
//!
//! Invariant: the same games give the same bits.

use assay_model::{Seed, Stream};
use serde::{Deserialize, Serialize};

/// The mean rating.
const MEAN: f64 = 1_000.0;
/// Points of a tenfold chance.
const SCALE: f64 = 400.0;
/// Resamples: the ends of a 95 % interval are its 25th smallest and largest.
const RESAMPLES: usize = 1_000;
/// Rounds of the fit: with a dozen players it stands still after some fifty.
const ROUNDS: usize = 200;

/// A player's rating.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rating {
    /// On the scale of Elo, 1000 in the mean of the players.
    pub rating: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// 1 and one for each player whose interval lies wholly above this one's. Whoever failed in every game stands behind all who did not, whatever the
    /// ratings.
    pub rank: u64,
}

/// Ratings of the players, from `games[g][p]`, the result of player `p` in game `g`; higher is better. Those of `last` are ranked behind all others. Empty
/// without games.
#[must_use]
pub fn rate(games: &[Vec<f64>], last: &[usize]) -> Vec<Rating> {
    let Some(players) = games.first().map(Vec::len) else { return Vec::new() };
    let wins: Vec<Vec<f64>> = games.iter().map(|game| wins_of(game)).collect();
    let fitted = fit(players, wins.iter());
    let mut stream = Stream::new(Seed(0), "arena", "bootstrap");
    let mut samples: Vec<Vec<f64>> = vec![Vec::with_capacity(RESAMPLES); players];
    for _ in 0..RESAMPLES {
        let drawn: Vec<&Vec<f64>> = wins.iter().map(|_| &wins[stream.below(wins.len() as u64) as usize]).collect();
        for (sample, rating) in samples.iter_mut().zip(fit(players, drawn.into_iter())) {
            sample.push(rating);
        }
    }
    let intervals: Vec<(f64, f64)> = samples
        .iter_mut()
        .map(|sample| {
            sample.sort_by(f64::total_cmp);
            (sample[RESAMPLES / 40], sample[RESAMPLES - 1 - RESAMPLES / 40])
        })
        .collect();
    let is_above = |other: usize, me: usize| match (last.contains(&other), last.contains(&me)) {
        (false, true) => true,
        (true, false) => false,
        _ => intervals[other].0 > intervals[me].1,
    };
    let rank = |me: usize| 1 + (0..players).filter(|other| is_above(*other, me)).count() as u64;
    let whole = fitted.into_iter().zip(&intervals).enumerate();
    whole.map(|(me, (rating, &(low, high)))| Rating { rating, low, high, rank: rank(me) }).collect()
}

/// Row by row, how often each player beat each other one.
fn wins_of(game: &[f64]) -> Vec<f64> {
    let against = |mine: f64| {
        game.iter().map(move |theirs| match mine.total_cmp(theirs) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        })
    };
    game.iter().flat_map(|mine| against(*mine)).collect()
}

/// The ratings that explain these games best.
fn fit<'g>(players: usize, games: impl Iterator<Item = &'g Vec<f64>>) -> Vec<f64> {
    // The draw that each pair has besides.
    let mut wins = vec![0.5; players * players];
    for game in games {
        wins.iter_mut().zip(game).for_each(|(sum, won)| *sum += won);
    }
    let mut strengths = vec![1.0_f64; players];
    for _ in 0..ROUNDS {
        let next: Vec<f64> = (0..players)
            .map(|me| {
                let others = (0..players).filter(|other| *other != me);
                let (mut won, mut expected) = (0.0, 0.0);
                for other in others {
                    won += wins[me * players + other];
                    let met = wins[me * players + other] + wins[other * players + me];
                    expected += met / (strengths[me] + strengths[other]);
                }
                if expected > 0.0 { won / expected } else { 1.0 }
            })
            .collect();
        // Only ratios matter; kept near one, so that nothing overflows.
        let mean_log = next.iter().map(|strength| strength.ln()).sum::<f64>() / players as f64;
        strengths = next.into_iter().map(|strength| strength / mean_log.exp()).collect();
    }
    strengths.into_iter().map(|strength| MEAN + SCALE * strength.log10()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratings(games: &[Vec<f64>]) -> Vec<(i64, u64)> {
        rate(games, &[]).into_iter().map(|rating| (rating.rating.round() as i64, rating.rank)).collect()
    }

    #[test]
    fn two_players_have_the_ratings_of_their_odds() {
        // 30 of 40 games, and a draw: 30.5 to 10.5.
        let games: Vec<Vec<f64>> =
            (0..40).map(|game| if game < 30 { vec![1.0, 0.0] } else { vec![0.0, 1.0] }).collect();
        let apart = SCALE * (30.5_f64 / 10.5).log10();
        let seen = rate(&games, &[]);
        assert!((seen[0].rating - seen[1].rating - apart).abs() < 1e-6, "{seen:?}");
        assert!((seen[0].rating + seen[1].rating - 2.0 * MEAN).abs() < 1e-6);
        assert!(seen[0].low < seen[0].rating && seen[0].rating < seen[0].high);
    }

    #[test]
    fn equals_share_a_rank_and_who_always_wins_has_an_end() {
        assert_eq!(ratings(&vec![vec![5.0, 5.0, 5.0]; 30]), [(1_000, 1), (1_000, 1), (1_000, 1)]);
        let seen = rate(&vec![vec![3.0, 2.0, 1.0]; 50], &[]);
        assert!(seen[0].rating < 3_000.0, "{seen:?}");
        assert_eq!(seen.iter().map(|rating| rating.rank).collect::<Vec<_>>(), [1, 2, 3]);
    }

    #[test]
    fn who_failed_in_every_game_stands_behind_all_who_did_not() {
        let games = vec![vec![3.0, 2.0, 1.0]; 50];
        for (last, expected) in [
            (&[0][..], [3, 1, 2]),
            (&[], [1, 2, 3]),
            (&[1], [1, 3, 2]),
            (&[2], [1, 2, 3]),
            (&[0, 1], [2, 3, 1]),
            (&[0, 1, 2], [1, 2, 3]),
        ] {
            let seen = rate(&games, last);
            assert_eq!(seen.iter().map(|rating| rating.rank).collect::<Vec<_>>(), expected, "{last:?}");
            assert!(seen[0].rating > seen[1].rating && seen[1].rating > seen[2].rating, "ratings stay: {seen:?}");
        }
    }

    #[test]
    fn no_games_no_ratings() {
        assert!(rate(&[], &[]).is_empty());
        assert_eq!(ratings(&[vec![1.0]]), [(1_000, 1)]);
    }
}
