//! Everything that can be wrong with a file pair: each error names file, row and column, what was found there and what was expected.

use super::{Files, LobsterError, read, settings};
use assay_market::LINE_BYTES_MAX;
use assay_market::replay::lobster::LEVELS_MAX;

const MESSAGES: &str = "34200.1,1,11,100,1000000,1\n\
    34200.2,1,12,50,1001000,-1\n\
    34200.3,4,12,20,1001000,-1\n\
    34200.4,2,11,40,1000000,1\n\
    34200.5,3,12,30,1001000,-1\n";
const BOOK: &str = "1002000,300,1000000,100,9999999999,0,999900,200\n\
    1001000,50,1000000,100,1002000,300,999900,200\n\
    1001000,30,1000000,100,1002000,300,999900,200\n\
    1001000,30,1000000,60,1002000,300,999900,200\n\
    1002000,300,1000000,60,9999999999,0,999900,200\n";

fn text(messages: impl AsRef<[u8]>, book: impl AsRef<[u8]>) -> String {
    match read(messages.as_ref(), book.as_ref(), &settings()) {
        Ok(_) => "accepted".to_owned(),
        Err(LobsterError::Data(error)) => {
            let hint = error.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
            format!("{error}{hint}")
        }
        Err(error) => error.to_string(),
    }
}

/// What is replaced by what in the message file, and what comes of it.
const MESSAGES_WRONG: &[(&str, &str, &str)] = &[
    ("34200.2", "34200.1", "accepted"),
    ("1000000,1\n34200.2", "1000000,1,null\r\n34200.2", "accepted"),
    (
        "34200.3,4",
        "34200.15,4",
        "message file, row 3, column `time`: found 34200.150000000, expected a time not before that of the row before, 34200.200000000",
    ),
    (
        "34200.3,4",
        "86400,4",
        "message file, row 3, column `time`: found `86400`, expected seconds after midnight, from 0 to 86399.999999999, with at most nine decimals",
    ),
    (
        "34200.3,4",
        "34200.1234567891,4",
        "message file, row 3, column `time`: found `34200.1234567891`, expected seconds after midnight, from 0 to 86399.999999999, with at most nine decimals",
    ),
    (
        "34200.1,1",
        "Time,1",
        "message file, row 1, column `time`: found `Time`, expected seconds after midnight, from 0 to 86399.999999999, with at most nine decimals",
    ),
    (
        "34200.3,4,12",
        "34200.3,8,12",
        "message file, row 3, column `type`: found `8`, expected a type: 1 submission, 2 partial cancellation, 3 deletion, 4 execution, 5 hidden execution, 6 cross or 7 halt",
    ),
    (
        "4,12,20",
        "4,12,-20",
        "message file, row 3, column `size`: found `-20`, expected a whole number from 1 to 1000000",
    ),
    ("4,12,20", "4,12,0", "message file, row 3, column `size`: found `0`, expected a whole number from 1 to 1000000"),
    (
        "4,12,20",
        "4,12,",
        "message file, row 3, column `size`: found nothing, expected a whole number from 1 to 1000000",
    ),
    (
        "4,12,20",
        "4,x\u{1b}[2J,20",
        "message file, row 3, column `order id`: found `x\\u{1b}[2J`, expected a whole number from 1 to 9223372036854775807",
    ),
    (
        "4,12,20",
        "4,12,60",
        "message file, row 3, column `size`: found `60`, expected at most 50, what is left of order 12",
    ),
    (
        "4,12,20",
        "4,13,20",
        "message file, row 3, column `order id`: found `13` with 20 shares, expected an order that rests at this price, or at most 0 shares of orders that were there before",
    ),
    (
        "1,12,50,1001000",
        "1,12,50,1001050",
        "message file, row 2, column `price`: found `1001050`, expected a whole number of ticks: a multiple of 100 ten-thousandths of a dollar (`tick_cents` in the scenario says how prices step)",
    ),
    (
        "1,12,50,1001000",
        "1,12,50,-1",
        "message file, row 2, column `price`: found `-1`, expected a whole number from 1 to 10000000000",
    ),
    (
        "1,12,50,1001000",
        "1,12,50,1000000",
        "message file, row 2, column `price`: found `1000000`, expected one that does not trade with the best order of the other side, at 1000000",
    ),
    (
        "50,1001000,-1",
        "50,1001000,0",
        "message file, row 2, column `direction`: found `0`, expected 1 for a buy order or -1 for a sell order",
    ),
    (
        "1,12,50",
        "1,11,50",
        "message file, row 2, column `order id`: found `11`, expected an id that no resting order has",
    ),
    (
        "2,11,40,1000000,1",
        "2,11,40,1000100,1",
        "message file, row 4, column `price`: found `1000100`, expected 1000000 and the direction with which order 11 was entered",
    ),
    ("3,12,30", "3,12,20", "message file, row 5, column `size`: found `20`, expected 30, what is left of order 12"),
    (
        "34200.3,4,12,20,1001000,-1",
        "34200.3,4,12",
        "message file, row 3: found 3 columns, expected 6 columns (time, type, order id, size, price, direction), or 7 in newer files",
    ),
    (
        "34200.3,4,12,20,1001000,-1",
        "34200.3,4,12,20,1001000,-1,,",
        "message file, row 3: found more, expected 6 columns (time, type, order id, size, price, direction), or 7 in newer files",
    ),
    (
        "34200.3,4,12,20,1001000,-1\n",
        "\n",
        "message file, row 3: found 1 columns, expected 6 columns (time, type, order id, size, price, direction), or 7 in newer files",
    ),
    (
        "34200.5,3,12,30,1001000,-1\n",
        "",
        "order book file, row 5: found one more row, expected the end of the file after 4 rows, as in the message file",
    ),
];

/// The same for the order book file.
const BOOK_WRONG: &[(&str, &str, &str)] = &[
    (
        "1001000,30,1000000,100",
        "1001000,20,1000000,100",
        "order book file, row 3, column `ask size 1`: found 20 shares at 1001000, expected 30 shares at that price, by the rows and messages before",
    ),
    (
        "1001000,30,1000000,60,1002000,300",
        "1001000,30,1000000,60,1003000,300",
        "order book file, row 4, column `ask size 2`: found 0 shares at 1002000, expected 300 shares at that price, by the rows and messages before",
    ),
    (
        "1001000,30,1000000,60,1002000,300",
        "1001000,30,1000000,60,1001000,300",
        "order book file, row 4, column `ask price 2`: found `1001000`, expected a price worse than that of level 1",
    ),
    (
        "1001000,30,1000000,60",
        "1001000,-30,1000000,60",
        "order book file, row 4, column `ask size 1`: found `-30`, expected a whole number from 1 to 1000000000",
    ),
    (
        "1001000,30,1000000,60",
        "1001000,30,1001000,60",
        "order book file, row 4, column `bid price 1`: found `1001000`, expected a price below that of the best ask",
    ),
    (
        "1002000,300,1000000,100,9999999999,0,999900,200",
        "9999999999,0,1000000,100,1002000,300,999900,200",
        "order book file, row 1, column `ask price 2`: found `1002000`, expected 9999999999, as no level comes after an empty one",
    ),
    (
        "9999999999,0,999900,200\n1001000,50",
        "9999999999,7,999900,200\n1001000,50",
        "order book file, row 1, column `ask size 2`: found `7`, expected 0, as the level is empty",
    ),
    (
        "1002000,300,1000000,100,9999999999,0,999900,200",
        "1002000,300,1000000",
        "order book file, row 1: found 3 columns, expected 4 columns for each level (ask price, ask size, bid price, bid size), of at most 1000 levels",
    ),
    (
        "1001000,50,1000000,100,1002000,300,999900,200",
        "1001000,50,1000000,100",
        "order book file, row 2: found 4 columns, expected 8 columns, as in the first row",
    ),
    (
        "1002000,300,1000000,60,9999999999,0,999900,200\n",
        "",
        "order book file, row 5: found the end of the file, expected a row for each row of the message file",
    ),
    (
        "1002000,300,1000000,100,",
        "1002000,300,1000100,100,",
        "order book file, row 1: found 0 shares at its price, expected the order that the first message enters, among the levels shown",
    ),
    (
        "1002000,300,1000000,100,",
        "999900,300,1000000,100,",
        "message file, row 1: found a bid at 999900 and an offer at 999900 in the book before it, expected bids below offers, outside of a halt",
    ),
];

/// A pair of one row each that shows a crossed book before its message, and after it.
#[test]
fn a_book_that_would_trade_with_itself_is_refused() {
    let expected = "message file, row 1: found a bid at 500 and an offer at 500 in the book before it, expected bids below offers, outside of a halt";
    for message in ["34658,4,10,196,500,-1", "34658,3,10,196,500,-1", "34658,5,0,196,500,-1", "34658,7,0,0,-1,-1"] {
        assert_eq!(text(message, "500,200,500,10010"), expected, "{message}");
    }
    // The first message takes what crosses it off the book.
    assert_eq!(text("34658,4,10,196,500,-1", "600,200,500,10010"), expected);
    // Before the open it may, if trading is halted then.
    assert_eq!(text("30000,7,0,0,-1,-1\n34658,7,0,0,1,-1", "500,200,500,10010\n600,200,500,10010"), "accepted");
}

#[test]
fn a_wrong_row_is_named_with_what_was_expected() {
    assert_eq!(text(MESSAGES, BOOK), "accepted");
    for &(from, to, expected) in MESSAGES_WRONG {
        assert!(MESSAGES.contains(from), "{from:?}");
        let found = text(MESSAGES.replacen(from, to, 1), BOOK);
        assert_eq!(found, expected, "{from} -> {to}");
    }
    for &(from, to, expected) in BOOK_WRONG {
        assert!(BOOK.contains(from), "{from:?}");
        assert_eq!(text(MESSAGES, BOOK.replacen(from, to, 1)), expected, "{from} -> {to}");
    }
}

#[test]
fn files_that_are_something_else_are_refused() {
    let gzip = b"\x1f\x8b\x08\0\0\0\0\0";
    let expected = "message file, row 1: found gzip, expected comma-separated text (unpack it first: gunzip)";
    assert_eq!(text(gzip, BOOK), expected);
    assert_eq!(text(MESSAGES, gzip), expected.replace("message", "order book"));
    assert_eq!(text("", ""), "message file, row 1: found the end of the file, expected a message");
    assert!(text("\u{feff}34200.1,1,11,100,1000000,1\n", BOOK).contains("column `time`: found `\\u{feff}34200.1`"));
    let long = "1".repeat(LINE_BYTES_MAX + 1);
    let expected = format!("found a longer one, expected a line of at most {LINE_BYTES_MAX} bytes");
    assert!(text(&long, BOOK).ends_with(&expected));
    assert!(text(MESSAGES, &long).ends_with(&expected));
    let wide = "1,1,1,1,".repeat(LEVELS_MAX) + "1,1,1,1";
    assert!(text(MESSAGES, wide).contains(&format!("of at most {LEVELS_MAX} levels")));
}

#[test]
fn a_session_in_which_nothing_happens_is_refused() {
    let early = MESSAGES.replace("34200", "30000");
    assert_eq!(text(&early, BOOK), "accepted", "the book at the open is a market");
    let empty = Files {
        messages: "34200.1,6,-1,5,1000000,1\n".to_owned(),
        orderbook: "9999999999,0,-9999999999,0\n".to_owned(),
    };
    assert_eq!(text(empty.messages, empty.orderbook), "the recording has no order with a price in the session");
}

#[test]
fn more_resting_orders_than_the_exchange_takes_are_an_error() {
    let (mut messages, mut book) = (String::new(), String::new());
    for number in 1..=10_002_u32 {
        messages += &format!("34200.{number:09},1,{number},1,1000000,1\n");
        book += &format!("1002000,300,1000000,{number}\n");
    }
    assert_eq!(
        text(messages, book),
        "message file, row 10001: found more resting orders, expected at most 10000 on a side"
    );
}
