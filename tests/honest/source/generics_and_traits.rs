//! Types that are a little involved.

use assay_sdk::*;
use std::collections::HashMap;
use std::marker::PhantomData;

trait Signal {
    type Output: Copy + PartialOrd + Default;
    const WINDOW: usize;

    fn update(&mut self, price: f64) -> Option<Self::Output>;
}

struct Window<T, const N: usize> {
    values: [f64; N],
    at: usize,
    kind: PhantomData<fn() -> T>,
}

impl<T, const N: usize> Signal for Window<T, N>
where
    T: Default + Copy + PartialOrd + From<f64>,
{
    type Output = T;
    const WINDOW: usize = N;

    fn update(&mut self, price: f64) -> Option<T> {
        self.values[self.at % N] = price;
        self.at += 1;
        (self.at >= Self::WINDOW).then(|| T::from(self.values.iter().sum::<f64>() / N as f64))
    }
}

type Handlers<'a> = HashMap<&'static str, Vec<Box<dyn for<'b> Fn(&'b mut Honest, &'a str) -> Result<Option<(i64, u64)>, Box<dyn std::error::Error>> + 'a>>>;

fn compose<A, B, C>(first: impl Fn(A) -> B, second: impl Fn(B) -> C) -> impl Fn(A) -> C {
    move |value| second(first(value))
}

struct Honest {
    mean: Window<f64, 20>,
}

impl Strategy for Honest {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        let _: Option<Handlers<'static>> = None;
        let twice = compose(|x: i64| x + 1, |x: i64| x << 1);
        let _ = (twice(3) << 2 >> 1, 1 < 2, (3 > 2) as u8, &&1 == &&1, !!true, - -1, 'a'..='z');
        Honest { mean: Window { values: [0.0; 20], at: 0, kind: PhantomData } }
    }

    fn on_market_data(&mut self, quote: &Quote, _: &mut Exchange) {
        if let Some(mid) = quote.mid() {
            let _ = self.mean.update(mid);
        }
    }
}

assay_sdk::export!(Honest);
