//! Modules, tests, attributes that are harmless.

#![forbid(unsafe_code)]
#![warn(clippy::pedantic)]
#![allow(dead_code, clippy::cast_precision_loss)]

use assay_sdk::*;

mod signal {
    pub(crate) mod filter {
        #[inline(always)]
        #[must_use = "pure"]
        pub const fn clamp(value: i64) -> i64 {
            if value < 0 { 0 } else { value }
        }
    }
    pub use self::filter::clamp;
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, std::hash::Hash)]
#[repr(u8)]
#[non_exhaustive]
enum State {
    #[default]
    Flat,
    #[deprecated(note = "unused")]
    Long,
}

#[cfg_attr(not(test), derive(Debug), expect(unused))]
struct Honest {
    state: State,
}

impl Strategy for Honest {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Honest { state: State::default() }
    }

    #[rustfmt::skip]
    #[cold]
    fn on_market_data(&mut self, quote: &Quote, _: &mut Exchange) {
        let _ = ( quote, signal::clamp(-1) );
    }
}

assay_sdk::export!(Honest);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clamps() {
        assert_eq!(signal::clamp(-3), 0);
    }

    #[test]
    #[should_panic(expected = "unsafe")]
    fn panics() {
        panic!("unsafe words are only words");
    }
}
