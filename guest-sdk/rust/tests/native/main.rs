//! Strategies compiled for the machine at hand and run against a market on paper.

mod calls;
mod examples;
mod paper;

#[path = "../../../../examples/strategies/breakout.rs"]
mod breakout;
#[path = "../../../../examples/strategies/buy_and_hold.rs"]
mod buy_and_hold;
#[path = "../guests/every_call.rs"]
mod every_call;
#[path = "../../../../examples/strategies/market_maker.rs"]
mod market_maker;
#[path = "../../../../examples/strategies/mean_reversion.rs"]
mod mean_reversion;
#[path = "../../../../examples/strategies/momentum.rs"]
mod momentum;
#[path = "../../../../examples/strategies/queue_aware_maker.rs"]
mod queue_aware_maker;
#[path = "../../../../examples/strategies/reckless.rs"]
mod reckless;
#[path = "../../../template/strategy.rs"]
mod template;
#[path = "../../../../examples/strategies/twap.rs"]
mod twap;
