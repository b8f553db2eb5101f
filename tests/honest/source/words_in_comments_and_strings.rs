//! Talks about unsafe code, `extern "C"`, include_str!("/etc/passwd"), std::fs and static mut without using any.

use assay_sdk::*;

// unsafe { std::process::exit(1) } would end nothing. /* #[no_mangle] */
/* unsafe impl Send for X {} /* nested: asm!("nop") */ still a comment */
/// Documentation may show code: `std::env::var("HOME")`, `#![feature(test)]`.
const TEXT: &str = "unsafe { std::fs::read(\"/etc/passwd\") } // extern crate evil;";
const RAW: &str = r##"#[no_mangle] "# include!("x") std::net::TcpStream static mut A: u8"##;
const BYTES: &[u8] = br#"unsafe extern "C" { }"#;
const QUOTE: char = '"';
const ESCAPED: char = '\'';

struct Honest;

impl Strategy for Honest {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        let _ = (TEXT, RAW, BYTES, QUOTE, ESCAPED);
        Honest
    }
}

assay_sdk::export!(Honest);
