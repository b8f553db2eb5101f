//@ expect: S017
// The dot makes it look like a field; the macro throws it away.
use assay_sdk::*;

struct Attack;

macro_rules! swap {
    ($argument:tt $bang:tt . $name:tt) => {
        $name $bang $argument
    };
}
const TEXT: &str = swap!(("/etc/passwd") ! . include_str);

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
