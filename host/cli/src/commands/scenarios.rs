//! `assay scenarios`: what there is, and one of them in full.

use crate::args::ScenariosCommand;
use crate::exit::{Exit, Failure};
use crate::{settings, ui};

pub(crate) fn run(command: Option<&ScenariosCommand>) -> Result<Exit, Failure> {
    match command {
        None => {
            let presets = assay_market::presets();
            let width = presets.iter().map(|preset| preset.name.len()).max().unwrap_or(0);
            for preset in presets {
                ui::out(&format!("{:width$}  {}", preset.name, preset.summary));
            }
        }
        Some(ScenariosCommand::Show { name }) => {
            let preset = assay_market::presets().iter().find(|preset| preset.name == name.as_str());
            ui::out(preset.ok_or_else(|| settings::unknown_scenario(name))?.toml.trim_end());
        }
    }
    super::DONE
}
