//! Models over real HTTP against a server of our own that speaks each dialect, well and badly; scripts and cassettes.

mod budgets;
mod dialects;
mod failures;
mod files;
mod hostile;
mod secrets;
mod support;
