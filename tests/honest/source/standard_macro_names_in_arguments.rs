//! Words of forbidden macros as variables and fields, among the arguments of macros of the standard library.

use assay_sdk::*;

struct Settings {
    env: i64,
    include: bool,
}

struct Honest;

impl Strategy for Honest {
    fn initialize(_: &Config, exchange: &mut Exchange) -> Self {
        let Settings { env, include } = Settings { env: 2, include: true };
        let core = vec![env, env as i64 + 1];
        exchange.log(&format!("{} {core:?} {include}", env));
        assert!(include && env != (3), "never");
        Honest
    }
}

assay_sdk::export!(Honest);
