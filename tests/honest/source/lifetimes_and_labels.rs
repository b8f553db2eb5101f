//! Quotes that are not characters.

use assay_sdk::*;

struct View<'a, 'static_like: 'a> {
    name: &'a mut str,
    fixed: &'static mut [u8],
    other: &'static_like str,
}

fn longest<'a>(one: &'a str, two: &'a str) -> &'a str {
    'outer: loop {
        'inner: for letter in one.chars() {
            match letter {
                'a' => continue 'inner,
                '\'' | '"' | '\\' => break 'outer one,
                _ => break 'outer two,
            }
        }
        return one;
    }
}

struct Honest;

impl Strategy for Honest {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        let _: Option<View<'_, '_>> = None;
        let _ = longest("a", b"b".first().map_or("", |_| "c"));
        Honest
    }
}

assay_sdk::export!(Honest);
