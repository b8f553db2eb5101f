//! A strategy over seeds against an inert baseline: KPIs, intervals, the run record.
