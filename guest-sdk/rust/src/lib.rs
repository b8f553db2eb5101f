//! What a strategy is written against.
