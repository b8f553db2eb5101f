//! Where a strategy's fuel goes: every function's share, exactly, from the meter that also decides.
//!
//! A profiled program is the same module with a wrapper around each function and each import ([`instrument`]), which tells the host when it is
//! entered and left. The host reads the fuel, books what was used since the last look, and gives back what the wrapper costs, so that
//! the guest has at every operator of its own the fuel that it would have without. Same guest, inputs and budget: same profile, same
//! fuel, to the unit. Two things differ. Calls are twice as deep, so a stack overflow comes sooner. And a callback that ends with
//! less than [`ENTER_FUEL`] to spare may run out in a wrapper.
//!
//! Profiling costs two host calls for each call in the guest; it is for one episode of somebody who wants to know, never for one that is scored.

mod instrument;

use crate::callback::Callback;
pub(crate) use instrument::instrument;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Module of the two hooks among the imports of an instrumented module; no strategy can import it.
pub(crate) const HOOKS: &str = "assay:profile";
pub(crate) const ENTER: &str = "enter";
pub(crate) const EXIT: &str = "exit";
/// Fuel that a wrapper has used when it reports: its entry, a constant, the call.
pub(crate) const ENTER_FUEL: u64 = 3;
/// Fuel of the call by which it reports the end.
pub(crate) const EXIT_FUEL: u64 = 1;
/// Paths of calls that are told apart. What a guest with more of them calls beyond is booked on its callers.
pub const FRAMES_MAX: usize = 100_000;

/// A function of a profiled program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Function {
    /// For people: demangled, or a number where the module has no name.
    pub(crate) name: String,
    /// Each costs its wrapper one fuel to pass on.
    pub(crate) parameters: u64,
}

/// A strategy's fuel by path of calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Profile {
    /// Callers stand before what they call; the first ones are the five callbacks.
    pub frames: Vec<Frame>,
    /// Calls that found no room for a frame of their own.
    pub calls_dropped: u64,
}

impl Profile {
    /// Fuel of each frame and of all that it called.
    #[must_use]
    pub fn totals(&self) -> Vec<u64> {
        let mut totals: Vec<u64> = self.frames.iter().map(|frame| frame.fuel).collect();
        for (index, frame) in self.frames.iter().enumerate().rev() {
            if let Some(caller) = frame.parent {
                totals[caller] += totals[index];
            }
        }
        totals
    }
}

/// A function as called along one path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// Index of the caller's frame; `None` for a callback.
    pub parent: Option<usize>,
    /// The function's name, that of a host call with `exchange.` before it, or the callback's. Not trusted: may hold anything.
    pub name: String,
    /// How often it was entered.
    pub calls: u64,
    /// Fuel of its own, without what it called; of a callback the host's work of calling.
    pub fuel: u64,
}

/// Books fuel while an episode runs.
pub(crate) struct Recorder {
    pub(crate) functions: Arc<[Function]>,
    nodes: Vec<Node>,
    /// Where the guest is.
    at: usize,
    /// Calls under way that found no room.
    lost: u64,
    calls_dropped: u64,
    /// Fuel in the tank of this callback at its start.
    armed: u64,
    /// The same at the last look.
    left: u64,
}

#[derive(Default)]
struct Node {
    function: usize,
    parent: usize,
    calls: u64,
    fuel: u64,
    /// By function.
    callees: BTreeMap<usize, usize>,
}

impl Recorder {
    pub(crate) fn new(functions: Arc<[Function]>) -> Self {
        let nodes = Callback::ALL.iter().enumerate().map(|(at, _)| Node { parent: at, ..Node::default() }).collect();
        Self { functions, nodes, at: 0, lost: 0, calls_dropped: 0, armed: 0, left: 0 }
    }

    /// A callback begins with so much fuel.
    pub(crate) fn begin(&mut self, callback: Callback, fuel: u64) {
        (self.at, self.lost, self.armed, self.left) = (callback as usize, 0, fuel, fuel);
    }

    /// It is over, one way or another, and is billed so much.
    pub(crate) fn end(&mut self, billed: u64) {
        self.look(self.armed.saturating_sub(billed));
    }

    fn look(&mut self, left: u64) {
        self.nodes[self.at].fuel += self.left.saturating_sub(left);
        self.left = left;
    }

    /// The guest enters a function.
    pub(crate) fn enter(&mut self, function: usize, left: u64) {
        self.look(left);
        let known = self.nodes[self.at].callees.get(&function).copied();
        if self.lost > 0 || (known.is_none() && self.nodes.len() >= FRAMES_MAX) {
            (self.lost, self.calls_dropped) = (self.lost + 1, self.calls_dropped + 1);
            return;
        }
        let node = known.unwrap_or_else(|| {
            self.nodes.push(Node { function, parent: self.at, ..Node::default() });
            let new = self.nodes.len() - 1;
            self.nodes[self.at].callees.insert(function, new);
            new
        });
        self.nodes[node].calls += 1;
        self.at = node;
    }

    /// It leaves the function that it is in.
    pub(crate) fn exit(&mut self, left: u64) {
        self.look(left);
        match self.lost.checked_sub(1) {
            Some(lost) => self.lost = lost,
            None => self.at = self.nodes[self.at].parent,
        }
    }

    /// The profile, with the number of calls of each callback.
    pub(crate) fn finish(self, calls: impl Fn(Callback) -> u64) -> Profile {
        let roots = Callback::ALL.iter().zip(&self.nodes).map(|(&callback, node)| Frame {
            parent: None,
            name: callback.name().to_owned(),
            calls: calls(callback),
            fuel: node.fuel,
        });
        let others = self.nodes.iter().skip(Callback::ALL.len()).map(|node| Frame {
            parent: Some(node.parent),
            name: self.functions[node.function].name.clone(),
            calls: node.calls,
            fuel: node.fuel,
        });
        Profile { frames: roots.chain(others).collect(), calls_dropped: self.calls_dropped }
    }
}
