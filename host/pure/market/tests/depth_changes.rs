//! The levels that a sink is told of, over whole presets: they give the top that each quote shows, and listening to them changes nothing.

use assay_market::{Event, EventKind, EventSink, Inert, LevelChange, Scenario, presets, simulate};
use assay_model::{Level, Price, Quote, Seed, Side, Time};
use std::collections::BTreeMap;

#[derive(Default)]
struct Book {
    levels: [BTreeMap<Price, u64>; 2],
    changes: u64,
    at: Time,
}

impl Book {
    fn top(&self, side: Side) -> Option<Level> {
        let levels = &self.levels[side as usize];
        let best = if side == Side::Buy { levels.last_key_value() } else { levels.first_key_value() };
        best.map(|(&price, &quantity)| Level { price, quantity })
    }
}

impl EventSink for Book {
    fn event(&mut self, event: &Event) {
        assert!(event.at >= self.at, "time goes back");
        self.at = event.at;
        if let EventKind::Quote(Quote { bid, ask, sequence, .. }) = event.kind {
            assert_eq!((self.top(Side::Buy), self.top(Side::Sell)), (bid, ask), "at quote {sequence}");
        }
    }
    fn watches_depth(&self) -> bool {
        true
    }
    fn level(&mut self, change: &LevelChange) {
        assert!(change.at >= self.at, "time goes back");
        self.at = change.at;
        self.changes += 1;
        let LevelChange { side, level: Level { price, quantity }, .. } = *change;
        let levels = &mut self.levels[side as usize];
        if quantity == 0 {
            levels.remove(&price)
        } else {
            levels.insert(price, quantity)
        };
    }
}

#[test]
fn told_levels_give_the_quotes_of_every_preset() {
    for preset in presets() {
        let scenario = Scenario::preset(preset.name).expect("a preset of this name");
        let seed = Seed(3);
        let mut book = Book::default();
        let told = simulate(&scenario, seed, &mut Inert::new(scenario.new_desk(seed)), &mut book);
        assert!(book.changes > 100, "{}: {} changes", preset.name, book.changes);
        let untold = simulate(&scenario, seed, &mut Inert::new(scenario.new_desk(seed)), &mut ());
        assert_eq!(told, untold, "{}", preset.name);
    }
}
