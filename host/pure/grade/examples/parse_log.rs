//! Prints a test log as JSON: test name to status.
//!
//! `cargo run -p assay-grade --example parse_log -- <log file> <repository or parser>`, such as `test.log django/django` or `test.log pytest_v2`.
//! With a list on standard input, one `<log file>\t<repository or parser>` a line, it prints one JSON object a line.

use assay_grade::{Parser, decode_log};
use std::error::Error;

#[expect(clippy::disallowed_methods, reason = "an example is a program")]
fn parse_file(path: &str, rule: &str) -> Result<String, Box<dyn Error>> {
    let parser = match Parser::for_repository(rule) {
        Some(parser) => parser,
        None => rule.parse()?,
    };
    let log = decode_log(&std::fs::read(path)?);
    Ok(serde_json::to_string(&parser.parse(&log))?)
}

#[expect(clippy::print_stdout, clippy::disallowed_methods, reason = "an example is a program")]
fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [path, rule] => println!("{}", parse_file(path, rule)?),
        [] => {
            for line in std::io::stdin().lines() {
                let line = line?;
                let (path, rule) = line.split_once('\t').ok_or("a line is <log file>, tab, <repository or parser>")?;
                println!("{}", parse_file(path, rule)?);
            }
        }
        _ => return Err("usage: parse_log <log file> <repository or parser>".into()),
    }
    Ok(())
}
