//! Source, dependency and component checks on untrusted strategies.
