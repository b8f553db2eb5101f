//! The one table of measures: key, title, unit, which way is better, and the definition with its source.

/// What a measure is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
    /// Money made and the risk taken for it.
    Profit,
    /// Shares held.
    Inventory,
    /// Orders, messages and fills.
    Orders,
    /// What execution cost or earned.
    Execution,
    /// The market as a whole, the trader included.
    Market,
}

/// The unit of a measure's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// An amount of money in cents.
    Cents,
    /// Cents a share; one cent is one tick.
    CentsPerShare,
    /// Shares.
    Shares,
    /// A number of things.
    Count,
    /// A plain number.
    Ratio,
    /// A fraction of one, shown in percent.
    Fraction,
    /// Hundredths of a percent.
    BasisPoints,
    /// Seconds.
    Seconds,
}

/// Which way a measure is better.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
    /// Neither; it describes.
    Neutral,
}

/// One measure's entry in [`KPIS`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KpiInfo {
    /// Which.
    pub kpi: Kpi,
    /// Stable name in files.
    pub key: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// What it is about.
    pub group: Group,
    /// Unit of the value.
    pub unit: Unit,
    /// Which way is better.
    pub better: Better,
    /// Formula and source.
    pub definition: &'static str,
}

impl Kpi {
    /// Its entry in [`KPIS`].
    #[must_use]
    pub const fn info(self) -> &'static KpiInfo {
        &KPIS[self as usize]
    }
}

macro_rules! catalogue {
    ($($kpi:ident $key:literal $title:literal $group:ident $unit:ident $better:ident $definition:literal)+) => {
        /// Every measure. Symbols: q position, M mid of the book, M′ mid of the book without the trader's own orders, E equity, D side
        /// of the order (+1 buys), P fill price. Each is taken from when the trader may trade to the close.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum Kpi {
            $(#[doc = $definition] $kpi,)+
        }

        /// How many measures there are.
        pub const KPI_COUNT: usize = [$(Kpi::$kpi),+].len();

        /// Every measure with its definition, in [`Kpi`] order.
        pub const KPIS: [KpiInfo; KPI_COUNT] = [$(KpiInfo {
            kpi: Kpi::$kpi, key: $key, title: $title, group: Group::$group, unit: Unit::$unit, better: Better::$better,
            definition: $definition,
        }),+];
    };
}

catalogue! {
    Pnl "pnl" "PnL" Profit Cents Higher
        "Liquidation value: the cash change when each symbol's q is closed at the closing instant, after a closing auction, against the visible book without the trader's own orders, level by level and with taker fees; shares beyond the depth at 5% worse than the mark (see E), or at the last level if that is worse. What icebergs hide and what is collected for an auction does not count. Where others have never shown two sides, the last level stands for the mark; where nobody has shown any either, bought shares are worth 0 and sold ones cost twice what they brought. E ends here."
    PnlAtMid "pnl_at_mid" "PnL at the mid" Profit Cents Neutral
        "Cash change + q·M − fees, M the last two-sided mid of the whole book; equals realised + unrealised − fees. A mark, not a trade: own quotes move it."
    LiquidationCost "liquidation_cost" "Liquidation cost" Profit Cents Lower
        "PnL at the mid less PnL: what it costs to close the position for cash."
    RealisedPnl "realised_pnl" "Realised PnL" Profit Cents Higher
        "Proceeds of shares that reduced the position less their average cost; buying alone realises nothing."
    UnrealisedPnl "unrealised_pnl" "Unrealised PnL" Profit Cents Higher
        "q·(M − average cost) at the close, M the last two-sided mid of the whole book."
    Fees "fees" "Fees" Profit Cents Lower
        "Fees paid less rebates received, by the venue's prices per share and of the notional."
    MaxDrawdown "max_drawdown" "Max drawdown" Profit Cents Lower
        "Greatest fall of E below its highest so far, 0 at the start and the liquidation at the close included. E = cash change + q·mark − fees; the mark is M′ time-weighted over the last 10 s, or as long as it is known, the last one held while a side is empty. Looked at after every request that moves M′ or the position, at each step of the Sharpe ratio and at the close."
    Sharpe "sharpe" "Sharpe ratio, annualised" Profit Ratio Higher
        "mean(ΔE)/sd(ΔE, n − 1)·√(252·6.5·120) over 30 s steps (Sharpe 1994); the last step runs to the close and ends with the liquidation. At least 30 returns, 10 of them other than 0. One session is noise: read it with its standard error."
    SharpeStandardError "sharpe_standard_error" "Sharpe standard error" Profit Ratio Neutral
        "Standard error of the 30 s Sharpe ratio, annualised likewise, for returns that need be neither normal nor independent: the long-run variance of its influence function by the weights of Newey and West (1987), lags up to 4(n/100)^(2/9) (Lo 2002, appendix)."
    SharpeReturns "sharpe_returns" "Sharpe sample" Profit Count Neutral
        "Number n of 30 s equity changes behind the Sharpe ratio."

    InventoryFinal "inventory_final" "Final inventory" Inventory Shares Neutral
        "q at the close."
    InventoryMean "inventory_mean" "Mean inventory" Inventory Shares Neutral
        "∫q dt / T."
    InventorySd "inventory_sd" "Inventory deviation" Inventory Shares Lower
        "√(∫(q − mean q)² dt / T): by holding time, not by fill."
    InventoryMax "inventory_max" "Largest inventory" Inventory Shares Lower
        "Greatest |q|."

    Orders "orders" "Orders submitted" Orders Count Neutral
        "Limit, market and replacing orders that reached the exchange, rejected ones included."
    Rejections "rejections" "Requests rejected" Orders Count Lower
        "Requests that the exchange answered with a rejection."
    Fills "fills" "Fills" Orders Count Neutral
        "Executions of the trader's orders."
    SharesTraded "shares_traded" "Shares traded" Orders Shares Neutral
        "Shares bought and sold."
    FillRateOrders "fill_rate_orders" "Fill rate, orders" Orders Fraction Higher
        "Orders with at least one fill ÷ orders submitted."
    FillRateQuantity "fill_rate_quantity" "Fill rate, quantity" Orders Fraction Higher
        "Shares filled ÷ shares submitted, growth by modification included."
    FillRatePassive "fill_rate_passive" "Fill rate, passive" Orders Fraction Higher
        "Shares filled as maker ÷ shares that came to rest in the book, auctions left out. A stop rests when it is set off, an order collected for an auction with what the auction leaves of it, growth by a change with what it does not take."
    MakerShare "maker_share" "Share made" Orders Fraction Neutral
        "Shares filled as maker ÷ shares filled, auctions left out; the others were taken."
    OrderToTrade "order_to_trade" "Order-to-trade ratio" Orders Ratio Lower
        "(orders + changes + cancels) ÷ fills − 1, rejected messages included; a replacement is a cancel and an order, a cancel-all one cancel an order (Regulation (EU) 2017/566, RTS 9, article 3)."
    OrderToTradeVolume "order_to_trade_volume" "Order-to-trade ratio, volume" Orders Ratio Lower
        "(shares ordered + shares left after changes + shares cancelled) ÷ shares filled − 1 (RTS 9, article 3)."

    Participation "participation" "Participation" Execution Fraction Neutral
        "Volume of the trades in which the trader took part ÷ market volume since it may trade, all symbols; each trade counts once in both."
    Shortfall "shortfall" "Shortfall to arrival" Execution BasisPoints Lower
        "Σ D(P − A)w ÷ Σ A·w, A the two-sided M′ when the order reached the exchange, w shares (Perold 1988, filled part only); orders that met a one-sided book are left out."
    EffectiveSpreadPaid "effective_spread_paid" "Effective spread paid" Execution CentsPerShare Lower
        "As taker: share-weighted mean of 2D(P − M′), M′ before the order arrived; negative is price improvement (Huang and Stoll 1996). This and what follows leave out auctions, in which nobody takes, and trades at a time when others did not show both sides."
    RealisedSpreadPaid1s "realised_spread_paid_1s" "Realised spread paid, 1 s" Execution CentsPerShare Lower
        "As taker: share-weighted mean of 2D(P − M′ 1 s later); fills within 1 s of the close, or without two sides 1 s later, are left out."
    RealisedSpreadPaid5s "realised_spread_paid_5s" "Realised spread paid, 5 s" Execution CentsPerShare Lower
        "As taker: share-weighted mean of 2D(P − M′ 5 s later); fills within 5 s of the close, or without two sides 5 s later, are left out."
    RealisedSpreadPaid60s "realised_spread_paid_60s" "Realised spread paid, 60 s" Execution CentsPerShare Lower
        "As taker: share-weighted mean of 2D(P − M′ 60 s later); fills within 60 s of the close, or without two sides 60 s later, are left out."
    Impact1s "impact_1s" "Price impact, 1 s" Execution CentsPerShare Lower
        "As taker: effective less realised spread of the same fills, 2D(M′ 1 s later − M′)."
    Impact5s "impact_5s" "Price impact, 5 s" Execution CentsPerShare Lower
        "As taker: effective less realised spread of the same fills, 2D(M′ 5 s later − M′)."
    Impact60s "impact_60s" "Price impact, 60 s" Execution CentsPerShare Lower
        "As taker: effective less realised spread of the same fills, 2D(M′ 60 s later − M′)."
    EffectiveSpreadEarned "effective_spread_earned" "Effective spread earned" Execution CentsPerShare Higher
        "As maker: share-weighted mean of 2D(P − M′), D the taker's side, M′ before the taker arrived."
    RealisedSpreadEarned1s "realised_spread_earned_1s" "Realised spread earned, 1 s" Execution CentsPerShare Higher
        "As maker: share-weighted mean of 2D(P − M′ 1 s later), D the taker's side."
    RealisedSpreadEarned5s "realised_spread_earned_5s" "Realised spread earned, 5 s" Execution CentsPerShare Higher
        "As maker: share-weighted mean of 2D(P − M′ 5 s later), D the taker's side."
    RealisedSpreadEarned60s "realised_spread_earned_60s" "Realised spread earned, 60 s" Execution CentsPerShare Higher
        "As maker: share-weighted mean of 2D(P − M′ 60 s later), D the taker's side."
    AdverseSelection100ms "adverse_selection_100ms" "Adverse selection, 100 ms" Execution CentsPerShare Lower
        "As maker: effective less realised spread of the same fills, 2D(M′ 100 ms later − M′), D the taker's side."
    AdverseSelection500ms "adverse_selection_500ms" "Adverse selection, 500 ms" Execution CentsPerShare Lower
        "As maker: effective less realised spread of the same fills, 2D(M′ 500 ms later − M′), D the taker's side."
    AdverseSelection1s "adverse_selection_1s" "Adverse selection, 1 s" Execution CentsPerShare Lower
        "As maker: effective less realised spread of the same fills, 2D(M′ 1 s later − M′), D the taker's side."
    AdverseSelection5s "adverse_selection_5s" "Adverse selection, 5 s" Execution CentsPerShare Lower
        "As maker: effective less realised spread of the same fills, 2D(M′ 5 s later − M′), D the taker's side."
    AdverseSelection60s "adverse_selection_60s" "Adverse selection, 60 s" Execution CentsPerShare Lower
        "As maker: effective less realised spread of the same fills, 2D(M′ 60 s later − M′), D the taker's side."

    Spread "spread" "Spread" Market CentsPerShare Lower
        "Best offer less best bid, time-weighted while both sides are there."
    Trades "trades" "Trades" Market Count Neutral
        "Trades in the market, the trader's included."
    Volume "volume" "Volume" Market Shares Neutral
        "Shares traded in the market, the trader's included."
    ReturnSd60s "return_sd_60s" "1-minute return deviation" Market BasisPoints Neutral
        "Sample deviation of log returns of M on a 60 s grid, last observation carried forward; at least 20 returns."
    MidRange "mid_range" "Mid range" Market CentsPerShare Neutral
        "Highest less lowest M."
    BidSize "bid_size" "Best bid size" Market Shares Higher
        "Visible shares at the best bid, time-weighted; 0 while there is none."
    AskSize "ask_size" "Best offer size" Market Shares Higher
        "Visible shares at the best offer, time-weighted; 0 while there is none."
    Volatility1s "volatility_1s" "Volatility, 1 s grid" Market Fraction Neutral
        "√(Σr²·Y/T) of log returns on a 1 s grid, Y = 252·6.5 h; the four grids together are the volatility signature (Andersen et al. 2000)."
    Volatility10s "volatility_10s" "Volatility, 10 s grid" Market Fraction Neutral
        "√(Σr²·Y/T) of log returns on a 10 s grid, Y = 252·6.5 h."
    Volatility60s "volatility_60s" "Volatility, 60 s grid" Market Fraction Neutral
        "√(Σr²·Y/T) of log returns on a 60 s grid, Y = 252·6.5 h."
    Volatility300s "volatility_300s" "Volatility, 300 s grid" Market Fraction Neutral
        "√(Σr²·Y/T) of log returns on a 300 s grid, Y = 252·6.5 h."
    OneSidedTime "one_sided_time" "One-sided time" Market Fraction Lower
        "Share of the time in which a side of the book was empty."
    BidEmptyTime "bid_empty_time" "Time without bids" Market Fraction Lower
        "Share of the time in which nobody showed a bid."
    AskEmptyTime "ask_empty_time" "Time without offers" Market Fraction Lower
        "Share of the time in which nobody showed an offer."
    Vpin "vpin" "VPIN" Market Fraction Neutral
        "Mean |buyer-initiated − seller-initiated| ÷ volume over 50 buckets of equal volume, by the known taker side, auctions left out (Easley, López de Prado and O'Hara 2012)."
    SpreadRecovery "spread_recovery" "Spread recovery" Market Seconds Lower
        "Resilience: mean time from the spread exceeding its time-weighted mean by two deviations until it is within one (after Large 2007). A shock still open at the close is censored: it is left out, and so makes the mean a little short."
    SpreadShocks "spread_shocks" "Spread shocks" Market Count Lower
        "How often the spread went beyond its mean by two deviations, after having been within one; the shock open at the close included."
    MarketEffectiveSpread "market_effective_spread" "Effective spread, all trades" Market CentsPerShare Lower
        "Share-weighted mean of 2D(P − M) over all trades, D the known taker's side, M the mid before the taker arrived (Huang and Stoll 1996). Trades at a one-sided book, and in what follows those with one then, are left out."
    MarketRealisedSpread1s "market_realised_spread_1s" "Realised spread, all trades, 1 s" Market CentsPerShare Neutral
        "Share-weighted mean of 2D(P − M 1 s later) over all trades: what makers keep. Trades within 1 s of the close are left out."
    MarketRealisedSpread5s "market_realised_spread_5s" "Realised spread, all trades, 5 s" Market CentsPerShare Neutral
        "Share-weighted mean of 2D(P − M 5 s later) over all trades: what makers keep. Trades within 5 s of the close are left out."
    MarketRealisedSpread60s "market_realised_spread_60s" "Realised spread, all trades, 60 s" Market CentsPerShare Neutral
        "Share-weighted mean of 2D(P − M 60 s later) over all trades: what makers keep. Trades within 60 s of the close are left out."
    MarketImpact1s "market_impact_1s" "Price impact, all trades, 1 s" Market CentsPerShare Lower
        "Effective less realised spread of the same trades, 2D(M 1 s later − M)."
    MarketImpact5s "market_impact_5s" "Price impact, all trades, 5 s" Market CentsPerShare Lower
        "Effective less realised spread of the same trades, 2D(M 5 s later − M)."
    MarketImpact60s "market_impact_60s" "Price impact, all trades, 60 s" Market CentsPerShare Lower
        "Effective less realised spread of the same trades, 2D(M 60 s later − M)."
}
