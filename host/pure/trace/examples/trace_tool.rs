//! What can be done with a trajectory, each in a line or two: the shape of a command-line tool.
//!
//! ```console
//! $ cargo run -p assay-trace --example trace_tool -- show | stats FILE
//! $ cargo run -p assay-trace --example trace_tool -- diff LEFT RIGHT
//! $ cargo run -p assay-trace --example trace_tool -- chat | atif | inspect FILE…
//! $ cargo run -p assay-trace --example trace_tool -- rescore FILE REWARD
//! ```

#![expect(clippy::disallowed_types, reason = "an example is a program")]

use assay_model::Time;
use assay_trace::export::{atif::atif, chat, inspect::inspect_log};
use assay_trace::score::{Finite, ScoreNode};
use assay_trace::{
    Durable, Filter, Loaded, Outcome, Trajectory, Verdict, diff, read, rescore, show, show_stats, stats,
};
use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Seek, SeekFrom, Write};

/// A file on a disk.
struct OnDisk(File);

impl Write for OnDisk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Durable for OnDisk {
    fn sync(&mut self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn truncate(&mut self, bytes: u64) -> io::Result<()> {
        self.0.set_len(bytes)?;
        self.0.seek(SeekFrom::Start(bytes)).map(drop)
    }
}

#[expect(clippy::print_stderr, reason = "an example is a program")]
fn load(path: &str) -> Result<Loaded, Box<dyn Error>> {
    let loaded = read(BufReader::new(File::open(path)?))?;
    if let Some(damage) = &loaded.damage {
        eprintln!("{path}: {damage}");
    }
    Ok(loaded)
}

fn run(arguments: &[&str]) -> Result<String, Box<dyn Error>> {
    let trajectories = |paths: &[&str]| -> Result<Vec<Trajectory>, Box<dyn Error>> {
        paths.iter().map(|path| Ok(load(path)?.trajectory)).collect()
    };
    Ok(match arguments {
        ["show", path] => show(&load(path)?.trajectory, &Filter::default(), 20),
        ["stats", path] => show_stats(&stats(&load(path)?.trajectory)),
        ["diff", left, right] => diff(&load(left)?.trajectory, &load(right)?.trajectory).to_string(),
        ["chat", paths @ ..] => {
            let all = trajectories(paths)?;
            let rows = all.iter().filter(|each| chat::ChatFilter::default().takes(each)).map(chat::chat_row);
            rows.map(|row| serde_json::to_string(&row)).collect::<Result<Vec<_>, _>>()?.join("\n")
        }
        ["atif", path, others @ ..] => {
            serde_json::to_string_pretty(&atif(&load(path)?.trajectory, &trajectories(others)?)?.document)?
        }
        ["inspect", paths @ ..] => serde_json::to_string_pretty(&inspect_log(&trajectories(paths)?)?)?,
        ["rescore", path, reward] => {
            let sink = OnDisk(OpenOptions::new().write(true).open(path)?);
            let score = ScoreNode::scored("by hand", Finite::new(reward.parse()?)?);
            let verdict = Verdict::scored(Time(0), "trace_tool", Outcome::Success, "by hand", score)?;
            format!("the file's last hash is {}", rescore(sink, &load(path)?, verdict)?.hash)
        }
        _ => {
            return Err(
                "show | stats | diff | chat | atif | inspect | rescore, then files; see the example's head".into()
            );
        }
    })
}

#[expect(clippy::print_stdout, clippy::disallowed_methods, reason = "an example is a program")]
fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    println!("{}", run(&arguments.iter().map(String::as_str).collect::<Vec<_>>())?);
    Ok(())
}
