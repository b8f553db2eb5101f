//! Messages that wait for busy participants.
//!
//! What waits for one participant is a ring in a slab that all share, whose slots are used again, last freed first. So a seat keeps four bytes of it,
//! and the slab stays in the processor's cache however many participants there are. Invariant: a letter is taken out once, in the order of arrival.

use super::message::Letter;

/// What waits for one participant: the slot of the last letter, which links to the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Waiting(u32);

impl Waiting {
    pub(super) const NOTHING: Self = Self(u32::MAX);
}

/// See the module documentation.
#[derive(Debug, Default)]
pub(super) struct Letters {
    slots: Vec<Slot>,
    free: Vec<u32>,
}

#[derive(Debug)]
struct Slot {
    /// None in a free slot.
    letter: Option<Letter>,
    /// The slot of the letter behind it; of the last one, of the first.
    next: u32,
}

impl Letters {
    /// Puts a letter behind those that wait.
    pub(super) fn push(&mut self, waiting: &mut Waiting, letter: Letter) {
        let new = self.free.pop().unwrap_or_else(|| self.grow());
        let next = match self.slots.get_mut(waiting.0 as usize) {
            Some(last) => std::mem::replace(&mut last.next, new),
            None => new,
        };
        self.slots[new as usize] = Slot { letter: Some(letter), next };
        *waiting = Waiting(new);
    }

    /// Takes out the first of those that wait.
    pub(super) fn pop(&mut self, waiting: &mut Waiting) -> Option<Letter> {
        let first = self.slots.get(waiting.0 as usize)?.next;
        let second = self.slots[first as usize].next;
        if first == waiting.0 {
            *waiting = Waiting::NOTHING;
        } else {
            self.slots[waiting.0 as usize].next = second;
        }
        self.free.push(first);
        self.slots[first as usize].letter.take()
    }

    #[cold]
    fn grow(&mut self) -> u32 {
        // 2^32 slots do not fit the memory of any machine this runs on, so the cast is exact.
        let new = self.slots.len() as u32;
        self.slots.push(Slot { letter: None, next: new });
        new
    }
}
