//! Keywords as names.

use assay_sdk::*;

struct Order {
    r#type: u8,
    r#unsafe: bool,
    r#extern: u32,
}

fn r#match(order: &Order) -> u32 {
    if order.r#unsafe { order.r#extern } else { u32::from(order.r#type) }
}

struct Honest;

impl Strategy for Honest {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        let order = Order { r#type: 1, r#unsafe: false, r#extern: 2 };
        let _ = r#match(&order);
        Honest
    }
}

assay_sdk::export!(Honest);
