//! Which seeds a market is run with, for what. Every family has its own: what one has seen says nothing about another.

use assay_model::{Seed, Stream};

/// What seeds are for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// To see that a candidate runs, and whether it differs from others. The same for all.
    Probe,
    /// To choose among the candidates of a generation.
    Search {
        /// Which.
        generation: u32,
    },
    /// To decide a promotion: nobody has seen them before.
    Trial {
        /// Counted from 1.
        number: u32,
    },
    /// To compare challenger and champion over many seeds together: nobody has seen them before.
    Pooled {
        /// The trial, counted from 1.
        number: u32,
    },
    /// For the one comparison at the end.
    Sealed,
    /// For the one comparison at the end in markets that nothing has run in.
    Unseen,
    /// For a unit of the feedback benchmark.
    Unit {
        /// Counted from 0.
        number: u32,
    },
}

/// The `count` seeds of a block. They are numbers below 2⁵³, which every reader of JSON keeps.
#[must_use]
pub fn block(run_seed: u64, family: Family, block: u32, count: u32) -> Vec<Seed> {
    let owner = match family {
        Family::Probe => "probe".to_owned(),
        Family::Search { generation } => format!("search-{generation}"),
        Family::Trial { number } => format!("trial-{number}"),
        Family::Pooled { number } => format!("pooled-{number}"),
        Family::Sealed => "sealed".to_owned(),
        Family::Unseen => "unseen".to_owned(),
        Family::Unit { number } => format!("unit-{number}"),
    };
    let mut stream = Stream::new(Seed(run_seed), &owner, &format!("block-{block}"));
    let mut seeds: Vec<Seed> = Vec::new();
    while seeds.len() < count as usize {
        let seed = Seed(stream.bits() >> 11);
        if !seeds.contains(&seed) {
            seeds.push(seed);
        }
    }
    seeds
}
