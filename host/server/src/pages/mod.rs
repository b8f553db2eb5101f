//! Pages as HTML. Each is a function of what was read; none reads anything itself.
//!
//! Invariants: whatever came from outside goes through [`crate::text`] and is escaped; a page works without script, by reloading; an empty page says what to
//! do next.

pub(crate) mod arena;
pub(crate) mod aside;
pub(crate) mod boards;
mod broken;
pub(crate) mod compare;
mod controls;
pub(crate) mod doctor;
mod doubts;
pub(crate) mod edit;
pub(crate) mod episodes;
pub(crate) mod files;
pub(crate) mod folders;
pub(crate) mod gate;
pub(crate) mod home;
pub(crate) mod jobs;
mod layout;
pub(crate) mod orders;
pub(crate) mod outline;
pub(crate) mod record;
pub(crate) mod refine;
pub(crate) mod rollout;
pub(crate) mod rollouts;
pub(crate) mod runs;
pub(crate) mod start;
pub(crate) mod state;
pub(crate) mod step;
pub(crate) mod tables;
pub(crate) mod trajectory;
pub(crate) mod worlds;

pub(crate) use layout::{Frame, SCRIPT, Topic, left_out, style, trouble, with_notice};
