//@ expect: S001 S014
// Replaces the allocator that is metered.
use assay_sdk::*;

struct Attack;

use std::alloc::{GlobalAlloc, Layout};

struct Zero;

unsafe impl GlobalAlloc for Zero {
    unsafe fn alloc(&self, _: Layout) -> *mut u8 {
        std::ptr::null_mut()
    }
    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static ALLOCATOR: Zero = Zero;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
