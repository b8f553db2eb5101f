//! Each measure by its definition in the catalogue, from what the collector has gathered.

use super::catalogue::Kpi;
use super::collector::Collector;
use super::measure::{Measure, Missing, Sample};
use super::tape::SIGNATURE_MEASURED;
use assay_model::Side;

impl Collector {
    pub(super) fn measure(&self, kpi: Kpi) -> Measure {
        match kpi {
            Kpi::Pnl
            | Kpi::PnlAtMid
            | Kpi::LiquidationCost
            | Kpi::RealisedPnl
            | Kpi::UnrealisedPnl
            | Kpi::Fees
            | Kpi::MaxDrawdown
            | Kpi::Sharpe
            | Kpi::SharpeStandardError
            | Kpi::SharpeReturns => self.profit(kpi),
            Kpi::InventoryFinal => Measure::Value(self.account.position() as f64),
            Kpi::InventoryMean => Measure::Value(self.inventory.mean().unwrap_or_default()),
            Kpi::InventorySd => Measure::Value(self.inventory.standard_deviation().unwrap_or_default()),
            Kpi::InventoryMax => Measure::Value(self.account.position_absolute_max() as f64),
            Kpi::Orders => Measure::Value(self.orders.submitted() as f64),
            Kpi::Rejections => Measure::Value(self.orders.rejections() as f64),
            Kpi::Fills => Measure::Value(self.orders.fills() as f64),
            Kpi::SharesTraded => Measure::Value(self.orders.filled_shares() as f64),
            Kpi::FillRateOrders => self.orders.fill_rate_orders(),
            Kpi::FillRateQuantity => self.orders.fill_rate_quantity(),
            Kpi::FillRatePassive => self.orders.fill_rate_passive(),
            Kpi::MakerShare => self.orders.maker_share(),
            Kpi::OrderToTrade => self.orders.order_to_trade(),
            Kpi::OrderToTradeVolume => self.orders.order_to_trade_volume(),
            Kpi::Participation => self.participation(),
            Kpi::Shortfall => self.orders.shortfall_basis_points(),
            Kpi::EffectiveSpreadPaid => self.spreads_taken.effective(),
            Kpi::RealisedSpreadPaid1s => self.spreads_taken.realised(0),
            Kpi::RealisedSpreadPaid5s => self.spreads_taken.realised(1),
            Kpi::RealisedSpreadPaid60s => self.spreads_taken.realised(2),
            Kpi::Impact1s => self.spreads_taken.impact(0),
            Kpi::Impact5s => self.spreads_taken.impact(1),
            Kpi::Impact60s => self.spreads_taken.impact(2),
            Kpi::EffectiveSpreadEarned => self.spreads_made.effective(),
            Kpi::RealisedSpreadEarned1s => self.spreads_made.realised(2),
            Kpi::RealisedSpreadEarned5s => self.spreads_made.realised(3),
            Kpi::RealisedSpreadEarned60s => self.spreads_made.realised(4),
            Kpi::AdverseSelection100ms => self.spreads_made.impact(0),
            Kpi::AdverseSelection500ms => self.spreads_made.impact(1),
            Kpi::AdverseSelection1s => self.spreads_made.impact(2),
            Kpi::AdverseSelection5s => self.spreads_made.impact(3),
            Kpi::AdverseSelection60s => self.spreads_made.impact(4),
            Kpi::Spread => self.tape.spread_mean_cents(),
            Kpi::Trades => Measure::Value(self.tape.trades() as f64),
            Kpi::Volume => Measure::Value(self.tape.volume() as f64),
            Kpi::ReturnSd60s => self.tape.one_minute_deviation_basis_points(),
            Kpi::MidRange => self.tape.mid_range_cents(),
            Kpi::BidSize => self.tape.size_mean(Side::Buy),
            Kpi::AskSize => self.tape.size_mean(Side::Sell),
            Kpi::Volatility1s => self.tape.volatility(SIGNATURE_MEASURED[0]),
            Kpi::Volatility10s => self.tape.volatility(SIGNATURE_MEASURED[1]),
            Kpi::Volatility60s => self.tape.volatility(SIGNATURE_MEASURED[2]),
            Kpi::Volatility300s => self.tape.volatility(SIGNATURE_MEASURED[3]),
            Kpi::OneSidedTime => self.tape.one_sided_fraction(),
            Kpi::BidEmptyTime => self.tape.empty_fraction(Side::Buy),
            Kpi::AskEmptyTime => self.tape.empty_fraction(Side::Sell),
            Kpi::Vpin => self.tape.vpin(),
            Kpi::SpreadRecovery => self.tape.spread_recovery_seconds(),
            Kpi::SpreadShocks => Measure::Value(self.tape.spread_shocks() as f64),
            Kpi::MarketEffectiveSpread => self.spreads_all.effective(),
            Kpi::MarketRealisedSpread1s => self.spreads_all.realised(0),
            Kpi::MarketRealisedSpread5s => self.spreads_all.realised(1),
            Kpi::MarketRealisedSpread60s => self.spreads_all.realised(2),
            Kpi::MarketImpact1s => self.spreads_all.impact(0),
            Kpi::MarketImpact5s => self.spreads_all.impact(1),
            Kpi::MarketImpact60s => self.spreads_all.impact(2),
        }
    }

    fn participation(&self) -> Measure {
        Measure::ratio(self.volume_own, self.tape.volume() + self.volume_elsewhere, Sample::MarketShares)
    }

    fn profit(&self, kpi: Kpi) -> Measure {
        let no_mid = Measure::Missing(Missing::TooFew { sample: Sample::Mids, have: 0, need: 1 });
        let account = &self.account;
        match kpi {
            Kpi::RealisedPnl => Measure::Value(account.realised_cents()),
            Kpi::UnrealisedPnl => account.unrealised_cents().map_or(no_mid, Measure::Value),
            Kpi::PnlAtMid => account.at_mid_cents().map_or(no_mid, Measure::Value),
            Kpi::LiquidationCost => account.liquidation_cost_cents().map_or(no_mid, Measure::Value),
            Kpi::Fees => Measure::Value(account.fees_cents()),
            Kpi::SharpeReturns => Measure::Value(self.equity.count() as f64),
            // Everything has a liquidation value, so these always have one too.
            Kpi::MaxDrawdown => Measure::Value(account.drawdown_max_cents()),
            Kpi::Sharpe | Kpi::SharpeStandardError => self.equity.sharpe(kpi == Kpi::SharpeStandardError),
            _ => Measure::Value(account.equity_change_cents()),
        }
    }
}
