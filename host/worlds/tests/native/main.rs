//! Tools that are programs: in Python, of worlds that behave and worlds that do not; and those of published benchmarks, beside what the packages do.

mod agentdojo;
mod bfcl;
mod common;
mod python_tools;
mod tau2;
mod verdicts;
