//! Runs a tool on hostile input with no network, little memory and one writable folder.
