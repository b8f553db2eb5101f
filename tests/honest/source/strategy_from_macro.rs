//! The implementation comes out of a macro of the file.

use assay_sdk::*;

macro_rules! strategy {
    ($name:ident) => {
        struct $name;

        impl Strategy for $name {
            fn initialize(_: &Config, _: &mut Exchange) -> Self {
                $name
            }
        }

        assay_sdk::export!($name);
    };
}

strategy!(Honest);
