//! Names that are also names of forbidden things, used for something else.

use assay_sdk::*;

mod fs {
    pub fn read(level: i64) -> i64 {
        level
    }
}

mod net {
    pub const EXPOSURE: i64 = 3;
}

struct Env {
    process: i64,
    thread: i64,
    include: bool,
}

fn env(path: i64) -> Env {
    Env { process: path, thread: fs::read(path), include: path != (net::EXPOSURE) }
}

struct Honest {
    instant: i64,
}

impl Honest {
    fn set_hook(&mut self, stdin: i64) -> i64 {
        let asm = self.instant + stdin;
        let include = !(asm > 0);
        if include { 0 } else { asm }
    }
}

impl Strategy for Honest {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        let env = env(4);
        let mut honest = Honest { instant: env.process + env.thread + i64::from(env.include) };
        honest.instant = honest.set_hook(1);
        honest
    }
}

assay_sdk::export!(Honest);
