//! What CI gets from verdicts, read back by those for whom it is: schemas, and the parsers and verifiers of others.

mod formats;
mod hostile;
mod scripts;
mod signed;
mod support;
