//! Parameters: numbers of a strategy that can be set without compiling it again, which is how they are tuned.
//!
//! A strategy declares them once, with [`parameters!`](crate::parameters). The declaration is text in the custom section `assay-parameters`, a line for
//! each: name, type, default, low end, high end, and `log` if equal steps are equal factors. The host reads it there and answers by number.

/// A type that a parameter can have.
pub trait Parameter: Copy {
    /// The value for this number, which is within the declared range.
    fn from_number(number: f64) -> Self;
    /// The number for this value.
    fn number(self) -> f64;
}

impl Parameter for f64 {
    fn from_number(number: f64) -> Self {
        number
    }
    fn number(self) -> f64 {
        self
    }
}

impl Parameter for i64 {
    fn from_number(number: f64) -> Self {
        number as Self
    }
    fn number(self) -> f64 {
        self as f64
    }
}

impl Parameter for u64 {
    fn from_number(number: f64) -> Self {
        number as Self
    }
    fn number(self) -> f64 {
        self as f64
    }
}

/// The bytes of a declaration, for a section.
#[doc(hidden)]
#[must_use]
pub const fn declaration<const LENGTH: usize>(text: &str) -> [u8; LENGTH] {
    let (mut bytes, mut at) = ([0; LENGTH], 0);
    while at < LENGTH {
        bytes[at] = text.as_bytes()[at];
        at += 1;
    }
    bytes
}

/// Declares the strategy's parameters: a struct with a field for each, its default, and the range in which it may be set. At most once in a strategy.
///
/// ```
/// use assay_sdk::*;
///
/// parameters! {
///     struct Settings {
///         /// Distance of each quote from the centre, in cents.
///         half_spread: f64 = 2.0 in 0.5..=20.0 log,
///         /// Shares at which a side stops quoting.
///         position_max: i64 = 500 in 50..=1000,
///     }
/// }
///
/// struct Maker(Settings);
///
/// impl Strategy for Maker {
///     fn initialize(_: &Config, exchange: &mut Exchange) -> Self {
///         Maker(Settings::read(exchange))
///     }
/// }
///
/// export!(Maker);
/// ```
///
/// Types are `f64`, `i64` and `u64`; numbers are written out, without a suffix. With `log`, the range is above 0.
#[macro_export]
macro_rules! parameters {
    ($(#[$meta:meta])* $visibility:vis struct $name:ident {
        $($(#[$doc:meta])* $field:ident: $type:ty = $default:literal in $low:literal..=$high:literal $($scale:ident)?),+ $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Debug)]
        $visibility struct $name {
            $($(#[$doc])* pub $field: $type),+
        }

        impl $name {
            /// What the parameters are set to: their defaults, unless the host says otherwise.
            #[must_use]
            $visibility fn read(exchange: &$crate::Exchange) -> Self {
                let mut next = 0..;
                let mut number = |default: f64| exchange.parameter(next.next().unwrap_or(u32::MAX), default);
                Self {
                    $($field: {
                        let default: $type = $default;
                        $crate::Parameter::from_number(number($crate::Parameter::number(default)))
                    }),+
                }
            }
        }

        #[cfg(target_family = "wasm")]
        const _: () = {
            const TEXT: &str = ::core::concat!($(
                ::core::stringify!($field), " ", ::core::stringify!($type), " ", ::core::stringify!($default), " ",
                ::core::stringify!($low), " ", ::core::stringify!($high), $(" ", ::core::stringify!($scale),)? "\n",
            )+);
            #[used]
            #[unsafe(link_section = "assay-parameters")]
            static DECLARATION: [u8; TEXT.len()] = $crate::declaration(TEXT);
        };
    };
}
