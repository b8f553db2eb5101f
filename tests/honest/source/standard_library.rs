//! Most of what strategies use of the standard library, in every style of import.

use assay_sdk::*;
use core::fmt::{self, Display, Write as _};
use std::cell::{Cell, RefCell};
use std::collections::hash_map::{Entry, HashMap};
use std::collections::*;
use std::io::{self, Read};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time;
use std::{cmp::Reverse, mem, ops::*, panic, ptr};

static COUNT: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static LAST: Cell<i64> = const { Cell::new(0) };
}

struct Shown(i64);

impl Display for Shown {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:>8}", self.0)
    }
}

#[track_caller]
fn here() -> &'static panic::Location<'static> {
    panic::Location::caller()
}

fn count(mut bytes: &[u8]) -> io::Result<usize> {
    let mut text = String::new();
    bytes.read_to_string(&mut text)
}

struct Honest {
    book: BTreeMap<Reverse<i64>, u64>,
    seen: HashMap<u64, Rc<RefCell<Vec<i64>>>>,
    queue: VecDeque<i64>,
    wait: time::Duration,
}

impl Strategy for Honest {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        let mut text = String::new();
        let _ = write!(text, "{}", Shown(3));
        let _ = (here(), count(b"abc"), ptr::eq(&text, &text), Add::add(1, 2));
        let wait = std::time::Duration::from_millis(5);
        Honest { book: BTreeMap::new(), seen: HashMap::new(), queue: VecDeque::new(), wait }
    }

    fn on_market_data(&mut self, _: &Quote, _: &mut Exchange) {
        COUNT.fetch_add(1, Ordering::Relaxed);
        LAST.with(|last| last.set(1));
        if let Entry::Vacant(entry) = self.seen.entry(1) {
            entry.insert(Rc::default());
        }
        self.queue.push_back(1);
        let _ = (mem::take(&mut self.queue), self.book.len(), self.wait.as_nanos());
    }
}

assay_sdk::export!(Honest);
