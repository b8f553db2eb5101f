//! End to end, hostile guests, determinism, structure; benches.
