//! One step of the loop: ask the model, run the code of its reply, tell it what came out.
//!
//! Invariants: the reply is on disk before its code runs, and all of the step before the next one begins; a step ends the episode only by a
//! [`Stop`], which names the exit; what code does is told to the model, what the infrastructure does ends the episode.

use assay_model::Time;
use assay_trace::Digest;

use crate::agent::Agent;
use crate::code_blocks::{self, Block};
use crate::exit::Exit;
use crate::prompt;
use crate::reply::Reply;
use crate::start::Brief;
use crate::stop::Stop;
use crate::stuck::Sight;
use crate::text::{cut_middle, printable};

/// Blocks of one reply that are run: more is a model that has lost its way, and none of ours needed ten.
pub const BLOCKS_PER_REPLY_MAX: usize = 32;

/// The longest sentence on an exit, in bytes: a summary is the model's, so it may be anything.
const DETAIL_BYTES_MAX: usize = 4 << 10;

/// Takes steps until something ends them.
pub(crate) async fn drive(agent: &mut Agent, brief: Brief, started_at: Time) -> Stop {
    let mut taken = agent.begin(brief, started_at).await;
    while taken.is_ok() {
        taken = step(agent).await;
    }
    let Err(mut stop) = taken else { unreachable!("the loop ends with an error only") };
    stop.detail = printable(&cut_middle(&stop.detail, DETAIL_BYTES_MAX)).into_owned();
    stop
}

/// Takes one step.
///
/// # Errors
/// The episode is over.
pub(crate) async fn step(agent: &mut Agent) -> Result<(), Stop> {
    agent.check_limits()?;
    let reply = agent.ask().await?;
    agent.commit().await?;
    let mut blocks = code_blocks::find(&reply.text);
    let was_cut_off = reply.was_cut_off && blocks.pop_if(|last| !last.closed).is_some();
    let mut message = if blocks.is_empty() && !was_cut_off {
        no_code(agent, &reply)?
    } else {
        agent.replies_without_code = 0;
        run_blocks(agent, &blocks).await?
    };
    if was_cut_off {
        message.push_str(prompt::CUT_OFF);
    }
    message.push_str(&prompt::steps_remaining(agent.steps_left()));
    agent.say(message);
    agent.commit().await
}

/// Runs the blocks in order, up to the one that ends the work or that a supervisor stops at. What they printed is what the model is told.
async fn run_blocks(agent: &mut Agent, blocks: &[Block]) -> Result<String, Stop> {
    let mut told = String::new();
    let mut room = agent.settings().limits.shown_bytes_per_step;
    for (place, block) in blocks.iter().take(BLOCKS_PER_REPLY_MAX).enumerate() {
        if blocks.len() > 1 {
            told.push_str(&format!("Block {} of {}:\n", place + 1, blocks.len()));
        }
        match agent.run_cell(&block.code, &mut room).await? {
            Ok(output) => told.push_str(&output),
            Err(instead) => {
                told.push_str(&instead);
                return Ok(told);
            }
        }
    }
    if blocks.len() > BLOCKS_PER_REPLY_MAX {
        told.push_str(&format!("Only the first {BLOCKS_PER_REPLY_MAX} blocks were run.\n"));
    }
    let codes = blocks.iter().map(|block| block.code.as_str()).collect::<Vec<_>>().join("\0");
    match agent.stuck.see(Digest::chained(Digest::of(codes.as_bytes()), told.as_bytes())) {
        Sight::Circling if agent.settings().stuck_detection => {
            told.push_str(&prompt::circling(agent.settings().nudge.as_deref()));
        }
        Sight::Stuck if agent.settings().stuck_detection => {
            return Err(Stop::new(Exit::Stuck, "the same steps again and again, after a warning"));
        }
        _ => {}
    }
    Ok(told)
}

fn no_code(agent: &mut Agent, reply: &Reply) -> Result<String, Stop> {
    agent.replies_without_code += 1;
    let allowed = agent.settings().limits.replies_without_code;
    if agent.replies_without_code >= allowed {
        let words = reply.text.chars().take(200).collect::<String>();
        return Err(Stop::new(
            Exit::NoCode,
            format!("{allowed} replies in a row without code; the last began: {words}"),
        ));
    }
    Ok(prompt::no_code(allowed - agent.replies_without_code, agent.settings().nudge.as_deref()))
}
