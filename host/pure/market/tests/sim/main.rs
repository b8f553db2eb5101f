//! A session, and a strategy in it: what is composed, heard, sent, valued, closed, and withstood.

mod close;
mod composition;
mod determinism;
mod exploits;
mod feed;
mod halt;
mod hostile;
mod marking;
mod network;
mod oracle;
mod seats;
mod symbols;
mod thinking;
mod trader;
mod venue;
