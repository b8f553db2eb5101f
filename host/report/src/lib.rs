//! The page of one run: charts, tables, findings, source.
