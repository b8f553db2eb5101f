//! The scenarios that come with the library.

use super::settings::Scenario;

/// A scenario that comes with the library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Its source.
    pub toml: &'static str,
}

const PRESETS: [Preset; 18] = [
    Preset {
        name: "calm",
        summary: "Half an hour of calm-day, 09:30 to 10:00: the default market",
        toml: include_str!("presets/calm.toml"),
    },
    Preset {
        name: "calm-day",
        summary: "A whole day of a large, quiet share, in which trades carry information and makers keep little",
        toml: include_str!("presets/calm-day.toml"),
    },
    Preset {
        name: "lively",
        summary: "Half an hour of lively-day, 09:30 to 10:00",
        toml: include_str!("presets/lively.toml"),
    },
    Preset {
        name: "lively-day",
        summary: "As calm-day at twice the pace, with twice the trading and a tighter spread",
        toml: include_str!("presets/lively-day.toml"),
    },
    Preset {
        name: "volatile",
        summary: "Half an hour of volatile-day, 09:30 to 10:00",
        toml: include_str!("presets/volatile.toml"),
    },
    Preset {
        name: "volatile-day",
        summary: "As calm-day, moving about twice as far, at twice the spread",
        toml: include_str!("presets/volatile-day.toml"),
    },
    Preset {
        name: "stable",
        summary: "Half an hour of stable-day, 09:30 to 10:00",
        toml: include_str!("presets/stable.toml"),
    },
    Preset {
        name: "stable-day",
        summary: "As calm-day, moving about two thirds as far, at half the spread",
        toml: include_str!("presets/stable-day.toml"),
    },
    Preset {
        name: "thin",
        summary: "Half an hour of thin-day, 09:30 to 10:00",
        toml: include_str!("presets/thin.toml"),
    },
    Preset {
        name: "thin-day",
        summary: "As calm-day, with a quarter of the trading and a wide spread",
        toml: include_str!("presets/thin-day.toml"),
    },
    Preset {
        name: "trending",
        summary: "As calm-day, pushed up or down for hours, in most seeds, by a large order and by those who follow",
        toml: include_str!("presets/trending.toml"),
    },
    Preset {
        name: "flash-crash",
        summary: "As calm-day, in most seeds with a crash or a leap that is made good, or doubled, within minutes",
        toml: include_str!("presets/flash-crash.toml"),
    },
    Preset {
        name: "news-shock",
        summary: "As calm-day, with news that moves the value by some 2 % about three times a day",
        toml: include_str!("presets/news-shock.toml"),
    },
    Preset {
        name: "halt",
        summary: "As news-shock, halted for ten minutes at some time, and again by a circuit breaker if news takes it down 2 %",
        toml: include_str!("presets/halt.toml"),
    },
    Preset {
        name: "rmsc03",
        summary: "The ABIDES reference market RMSC-3 over a whole trading day: 5,128 agents, one of them buying 10 % of the volume",
        toml: include_str!("presets/rmsc03.toml"),
    },
    Preset {
        name: "rmsc04",
        summary: "The ABIDES reference market RMSC-4: 1,116 agents, 09:30 to 10:00",
        toml: include_str!("presets/rmsc04.toml"),
    },
    Preset {
        name: "rmsc04-day",
        summary: "The ABIDES reference market RMSC-4 over a whole trading day, 09:30 to 16:00",
        toml: include_str!("presets/rmsc04-day.toml"),
    },
    Preset {
        name: "smoke",
        summary: "A small lively market of 44 agents and two minutes, for tests and first tries",
        toml: include_str!("presets/smoke.toml"),
    },
];

/// Every preset.
#[must_use]
pub fn presets() -> &'static [Preset] {
    &PRESETS
}

/// The preset whose name is most like `name`, if any is.
#[must_use]
pub fn nearest(name: &str) -> Option<&'static str> {
    assay_model::nearest(name, PRESETS.iter().map(|preset| preset.name))
}

impl Scenario {
    /// The preset of this name.
    #[must_use]
    pub fn preset(name: &str) -> Option<Self> {
        let preset = PRESETS.iter().find(|preset| preset.name == name)?;
        // A test parses every preset, so this is `Some` for each.
        Self::parse(preset.toml).ok()
    }
}
