#!/usr/bin/env assay run
//! A first line for the shell.

use assay_sdk::*;

struct Honest;

impl Strategy for Honest {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Honest
    }
}

assay_sdk::export!(Honest);
