//! Names that a guest gives its functions, made fit to read.
//!
//! A guest chooses them freely, and a mangled name is a program: a kilobyte of it can stand for gigabytes of text. Invariant: what is read
//! of a name and what is written of it are bounded before either begins, so the time and the room that a name takes are, too. The
//! engine's own demangling has no such bound and is not compiled in.

use std::fmt::{self, Write};

/// Bytes read of a name that is taken apart; a longer one is shown as it is, cut. Mangled names of honest code with deep generics have
/// some hundreds.
const MANGLED_BYTES_MAX: usize = 4 << 10;
/// Bytes shown of a name.
pub const NAME_BYTES_MAX: usize = 512;
/// What stands for the rest.
const CUT: &str = "…";

/// The name for people: as it was written in Rust if it is one of Rust's, otherwise as it is; at most [`NAME_BYTES_MAX`] bytes and a mark
/// where more was.
#[must_use]
pub fn readable(name: &str) -> String {
    let mut shown = Bounded { text: String::new(), is_full: false };
    let of_rust = if name.len() <= MANGLED_BYTES_MAX { rustc_demangle::try_demangle(name).ok() } else { None };
    // The only error is that it is full.
    let _ = match of_rust {
        Some(plain) => write!(shown, "{plain:#}"),
        None => shown.write_str(name),
    };
    if shown.is_full {
        shown.text.push_str(CUT);
    }
    shown.text
}

/// Takes text until it is full, and then fails, which ends whoever writes.
struct Bounded {
    text: String,
    is_full: bool,
}

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let kept = text.floor_char_boundary(NAME_BYTES_MAX - self.text.len());
        self.text.push_str(&text[..kept]);
        self.is_full |= kept < text.len();
        if self.is_full { Err(fmt::Error) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    /// A C++ name whose demangled text grows sixteenfold with each level.
    fn itanium(levels: usize) -> String {
        let mut name = "_Z1f1AIiiE".to_owned();
        for level in 0..levels {
            let substitution = if level == 0 { "S_".to_owned() } else { format!("S{}_", level - 1) };
            name.push_str(&format!("S_I{}E", substitution.repeat(16)));
        }
        name
    }

    /// A Rust name that repeats itself by reference: its demangled text doubles with each level.
    fn backwards(levels: usize) -> String {
        let digits = |mut number: usize| {
            let mut text = Vec::new();
            loop {
                let digit = (number % 62) as u8;
                let digit = match digit {
                    0..=9 => b'0' + digit,
                    10..=35 => b'a' + digit - 10,
                    _ => b'A' + digit - 36,
                };
                text.insert(0, digit);
                number /= 62;
                if number == 0 {
                    return String::from_utf8(text).unwrap();
                }
            }
        };
        let reference = |at: usize| if at == 0 { "B_".to_owned() } else { format!("B{}_", digits(at - 1)) };
        let mut name = "INvC1c1f".to_owned();
        let mut last = name.len();
        name.push_str("TuuE");
        for _ in 0..levels {
            let at = name.len();
            name.push_str(&format!("T{0}{0}E", reference(last)));
            last = at;
        }
        format!("_R{name}E")
    }

    #[test]
    fn names_of_rust_are_read_and_others_left_alone() {
        assert_eq!(readable("_RNvC6strats8on_quote"), "strats::on_quote");
        assert_eq!(readable("_ZN6strats8on_quote17h0123456789abcdefE"), "strats::on_quote");
        assert_eq!(readable("on-tick"), "on-tick");
        assert_eq!(readable(""), "");
        assert_eq!(readable("_Z1fv"), "_Z1fv", "C++ is not taken apart");
    }

    #[test]
    fn no_name_takes_long_or_gets_long() {
        let long = ["x".repeat(1 << 20), "é".repeat(1 << 19), format!("_ZN{}E", "1a".repeat(1 << 19))];
        let tricky = [itanium(12), itanium(64), backwards(20), backwards(300), format!("_R{}", "NtB_".repeat(900))];
        let started = Instant::now();
        for name in long.iter().chain(&tricky) {
            let shown = readable(name);
            assert!(shown.len() <= NAME_BYTES_MAX + CUT.len(), "{} bytes of {}", shown.len(), name.len());
        }
        // Without a bound each of the tricky ones takes minutes and gigabytes.
        assert!(started.elapsed().as_secs() < 5, "{:?}", started.elapsed());
    }

    #[test]
    fn a_name_that_grows_is_one_of_rusts_and_is_cut() {
        let name = backwards(20);
        assert!(name.len() < 300 && rustc_demangle::try_demangle(&name).is_ok(), "{name}");
        let shown = readable(&name);
        assert!(shown.starts_with("c::f::<((") && shown.ends_with(CUT), "{shown}");
    }
}
