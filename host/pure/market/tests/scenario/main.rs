//! Scenario files: presets, overlays, what is drawn per seed, what is refused, and what the documents list.

mod documentation;
mod draws;
mod errors;
mod overlay;
mod presets;
