//! Macros of all kinds, with attributes, visibility and repetition handed through.

use assay_sdk::*;

macro_rules! table {
    ($(#[$meta:meta])* $visibility:vis struct $name:ident { $($(#[$field_meta:meta])* $field:ident : $ty:ty = $default:expr),* $(,)? }) => {
        $(#[$meta])*
        $visibility struct $name {
            $($(#[$field_meta])* $field: $ty),*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default),* }
            }
        }
    };
}

table! {
    /// What can be tuned.
    #[derive(Clone, Debug)]
    pub struct Settings {
        /// Shares.
        lot: u64 = 10,
        #[allow(dead_code)]
        spread: i64 = 2,
    }
}

macro_rules! max {
    ($one:expr) => { $one };
    ($one:expr, $($rest:expr),+ $(,)?) => {{
        let rest = max!($($rest),+);
        if $one > rest { $one } else { rest }
    }};
}

macro_rules! counted {
    ($exchange:expr, $($argument:tt)*) => {
        $exchange.log(&format!($($argument)*))
    };
}

struct Honest(Settings);

impl Strategy for Honest {
    fn initialize(_: &Config, exchange: &mut Exchange) -> Self {
        counted!(exchange, "{} {}", max!(1, 2, 3), std::any::type_name::<Settings>());
        debug_assert!(matches!(1, 1 | 2), "never");
        assert_eq!(vec![1; 3].len(), 3);
        Honest(Settings::default())
    }

    fn on_market_data(&mut self, _: &Quote, exchange: &mut Exchange) {
        if self.0.lot == 0 {
            unreachable!("line {} of {}", line!(), file!());
        }
        counted!(exchange, "{}", concat!("a", 1, stringify!(b)));
    }
}

assay_sdk::export!(Honest);
