//! Bytes to events; the layout is described in the parent module. The bytes may come from anywhere: nothing here panics.

use super::{LogVersion, MAGIC, OTHER_SYMBOL};
use crate::{AgentIndex, Event, EventKind, Session};
use assay_model::{
    Display, Level, Liquidity, OrderId, OrderUpdate, PostOnly, Price, Qualifiers, Quote, Reason, Request, RequestId,
    RequestKind, SYMBOLS_MAX, Side, SymbolIndex, Terms, Time, TimeInForce, Trigger, UpdateKind,
};
use std::fmt;

/// Bytes that are not an event log.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("read the event log: at byte {offset}, expected {expected}")]
pub struct DecodeError {
    /// Where, from the start of the log.
    pub offset: usize,
    /// What should have been there.
    pub expected: Expected,
}

/// What a reader of the log looked for and did not find.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    /// The first bytes of a log.
    Magic,
    /// A version that this crate reads.
    Version,
    /// The number of a symbol other than the first.
    Symbol,
    /// A known event tag.
    Event,
    /// A known request kind.
    Request,
    /// A known update kind.
    Update,
    /// A side.
    Side,
    /// Known qualifiers.
    Qualifiers,
    /// A price within bounds.
    Price,
    /// A level: a price within bounds, or zero and zero shares.
    Level,
    /// Maker or taker.
    Liquidity,
    /// A known reason.
    Reason,
    /// Known terms of an order.
    Terms,
    /// Call or continuous.
    Session,
    /// So many more bytes; the log ends early.
    Bytes(usize),
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LogVersion { major, minor } = LogVersion::CURRENT;
        match self {
            Self::Magic => f.write_str("the letters \"assaylog\""),
            Self::Version => write!(f, "format version {major}.0 to {major}.{minor}"),
            Self::Symbol => write!(f, "the number of another symbol, 1 to {}", SYMBOLS_MAX - 1),
            Self::Event => f.write_str("an event tag"),
            Self::Request => f.write_str("a request kind"),
            Self::Update => f.write_str("an update kind"),
            Self::Side => f.write_str("a side, 0 or 1"),
            Self::Qualifiers => f.write_str("qualifiers, 0 to 3"),
            Self::Price => f.write_str("a price within bounds"),
            Self::Level => f.write_str("a price within bounds, or no price and no shares"),
            Self::Liquidity => f.write_str("0 for maker or 1 for taker"),
            Self::Reason => f.write_str("a reason"),
            Self::Terms => f.write_str("a known number in an order's terms"),
            Self::Session => f.write_str("0 for call or 1 for continuous"),
            Self::Bytes(count) => write!(f, "{count} more bytes"),
        }
    }
}

/// Reads a log: checks the header, then yields its events until the end or the first error.
///
/// # Errors
/// If the header is not that of a log this crate can read.
pub fn decode(log: &[u8]) -> Result<Events<'_>, DecodeError> {
    let mut reader = Reader { log, offset: 0 };
    if reader.take::<8>().ok() != Some(MAGIC) {
        return Err(DecodeError { offset: 0, expected: Expected::Magic });
    }
    let offset = reader.offset;
    let version = LogVersion { major: u16::from_le_bytes(reader.take()?), minor: u16::from_le_bytes(reader.take()?) };
    if !version.is_readable() {
        return Err(DecodeError { offset, expected: Expected::Version });
    }
    Ok(Events { reader, failed: false })
}

/// The events of a log; see [`decode`].
#[derive(Clone, Debug)]
pub struct Events<'a> {
    reader: Reader<'a>,
    failed: bool,
}

impl Iterator for Events<'_> {
    type Item = Result<Event, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || self.reader.offset == self.reader.log.len() {
            return None;
        }
        let event = self.reader.event();
        self.failed = event.is_err();
        Some(event)
    }
}

/// Invariant: `offset` is at most the length of `log`.
#[derive(Clone, Debug)]
struct Reader<'a> {
    log: &'a [u8],
    offset: usize,
}

impl Reader<'_> {
    fn event(&mut self) -> Result<Event, DecodeError> {
        let mut symbol = SymbolIndex::FIRST;
        if self.log.get(self.offset) == Some(&OTHER_SYMBOL) {
            self.offset += 1;
            let others = 1..SYMBOLS_MAX as u8;
            symbol = SymbolIndex(self.one_of(Expected::Symbol, |number| others.contains(&number).then_some(number))?);
        }
        let tag = self.one_of(Expected::Event, |tag| (tag <= 6).then_some(tag))?;
        let at = Time(self.u64()?);
        let kind = match tag {
            0 => EventKind::Opened,
            1 => EventKind::Closed,
            2 => EventKind::Request { agent: self.agent()?, request: self.request()? },
            3 => EventKind::Update { agent: self.agent()?, update: self.update()? },
            4 => EventKind::Trade {
                price: self.price()?,
                quantity: self.u32()?,
                taker_side: self.side()?,
                maker: (self.agent()?, self.id()?),
                taker: (self.agent()?, self.id()?),
            },
            5 => EventKind::Quote(self.quote()?),
            _ => EventKind::Session(self.choice(Expected::Session, &[Session::Call, Session::Continuous])?),
        };
        Ok(Event { at, symbol, kind })
    }

    fn request(&mut self) -> Result<Request, DecodeError> {
        let id = self.id()?;
        let kind = match self.one_of(Expected::Request, |kind| (kind <= 7).then_some(kind))? {
            0 => RequestKind::Limit {
                side: self.side()?,
                price: self.i64()?,
                quantity: self.u64()?,
                qualifiers: self.qualifiers()?,
            },
            1 => RequestKind::Market { side: self.side()?, quantity: self.u64()? },
            2 => RequestKind::Cancel { order: self.id()? },
            3 => RequestKind::CancelAll,
            4 => RequestKind::Modify { order: self.id()?, price: self.i64()?, quantity: self.u64()? },
            5 => RequestKind::Reduce { order: self.id()?, by: self.u64()? },
            6 => RequestKind::Replace { order: self.id()?, price: self.i64()?, quantity: self.u64()? },
            _ => RequestKind::Order(self.terms()?),
        };
        Ok(Request { id, kind })
    }

    fn update(&mut self) -> Result<OrderUpdate, DecodeError> {
        let (request, order, at, remaining) = (self.id()?, self.id()?, Time(self.u64()?), self.u32()?);
        let kind = match self.one_of(Expected::Update, |kind| (kind <= 7).then_some(kind))? {
            0 => UpdateKind::Accepted,
            1 => UpdateKind::Fill { price: self.price()?, quantity: self.u32()?, liquidity: self.liquidity()? },
            2 => UpdateKind::Cancelled { reason: self.reason()? },
            3 => UpdateKind::CancelledAll { count: self.u32()? },
            4 => UpdateKind::Modified { price: self.price()? },
            5 => UpdateKind::Reduced { by: self.u32()? },
            6 => UpdateKind::Rejected { reason: self.reason()? },
            _ => UpdateKind::Triggered,
        };
        Ok(OrderUpdate { request, order, at, remaining, kind })
    }

    fn terms(&mut self) -> Result<Terms, DecodeError> {
        let side = self.side()?;
        let time_in_force = self.choice(Expected::Terms, &TimeInForce::ALL)?;
        let display = self.choice(Expected::Terms, &Display::ALL)?;
        let post_only = self.choice(Expected::Terms, &PostOnly::ALL)?;
        let trigger = self.choice(Expected::Terms, &Trigger::ALL)?;
        let (price, quantity) = (self.u32()? as i32, self.u32()?);
        let (shown, trigger_at) = (self.u32()?, self.u32()? as i32);
        let expires = Time(self.u64()?);
        Ok(Terms { expires, price, quantity, shown, trigger_at, side, time_in_force, display, post_only, trigger })
    }

    fn quote(&mut self) -> Result<Quote, DecodeError> {
        Ok(Quote {
            sequence: self.u64()?,
            at: Time(self.u64()?),
            bid: self.level()?,
            ask: self.level()?,
            last: self.optional_price()?,
            volume: self.u64()?,
        })
    }

    fn level(&mut self) -> Result<Option<Level>, DecodeError> {
        let offset = self.offset;
        match (self.optional_price()?, self.u64()?) {
            (Some(price), quantity) => Ok(Some(Level { price, quantity })),
            (None, 0) => Ok(None),
            (None, _) => Err(DecodeError { offset, expected: Expected::Level }),
        }
    }

    fn price(&mut self) -> Result<Price, DecodeError> {
        let offset = self.offset;
        Price::new(i64::from(self.u32()?)).ok_or(DecodeError { offset, expected: Expected::Price })
    }

    fn optional_price(&mut self) -> Result<Option<Price>, DecodeError> {
        let offset = self.offset;
        match i64::from(self.u32()?) {
            0 => Ok(None),
            cents => Price::new(cents).map(Some).ok_or(DecodeError { offset, expected: Expected::Price }),
        }
    }

    fn side(&mut self) -> Result<Side, DecodeError> {
        self.choice(Expected::Side, &[Side::Buy, Side::Sell])
    }

    fn liquidity(&mut self) -> Result<Liquidity, DecodeError> {
        self.choice(Expected::Liquidity, &[Liquidity::Maker, Liquidity::Taker])
    }

    fn reason(&mut self) -> Result<Reason, DecodeError> {
        self.choice(Expected::Reason, &Reason::ALL)
    }

    fn qualifiers(&mut self) -> Result<Qualifiers, DecodeError> {
        let qualifiers = |byte| Qualifiers { hidden: byte & 1 != 0, post_only: byte & 2 != 0 };
        self.one_of(Expected::Qualifiers, |byte| (byte <= 3).then(|| qualifiers(byte)))
    }

    fn agent(&mut self) -> Result<AgentIndex, DecodeError> {
        Ok(AgentIndex(self.u32()?))
    }

    fn id(&mut self) -> Result<OrderId, DecodeError> {
        Ok(RequestId(self.u64()?))
    }

    fn u32(&mut self) -> Result<u32, DecodeError> {
        Ok(u32::from_le_bytes(self.take()?))
    }

    fn u64(&mut self) -> Result<u64, DecodeError> {
        Ok(u64::from_le_bytes(self.take()?))
    }

    fn i64(&mut self) -> Result<i64, DecodeError> {
        Ok(i64::from_le_bytes(self.take()?))
    }

    /// One byte that is the number of one of these.
    fn choice<T: Copy>(&mut self, expected: Expected, all: &[T]) -> Result<T, DecodeError> {
        self.one_of(expected, |byte| all.get(usize::from(byte)).copied())
    }

    /// One byte that stands for something.
    fn one_of<T>(&mut self, expected: Expected, known: impl FnOnce(u8) -> Option<T>) -> Result<T, DecodeError> {
        let offset = self.offset;
        let [byte] = self.take()?;
        known(byte).ok_or(DecodeError { offset, expected })
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let rest = &self.log[self.offset..];
        let missing = || DecodeError { offset: self.log.len(), expected: Expected::Bytes(N - rest.len()) };
        let bytes = rest.first_chunk().ok_or_else(missing)?;
        self.offset += N;
        Ok(*bytes)
    }
}
