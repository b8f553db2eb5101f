"""What a strategy can do, and what it knows.

A callback costs two crossings of the sandbox's border: the host hands in what is known as one string of bytes, and the requests go out as
another. Whatever else is asked (`depth`, `trades`, `open_orders`, `queue_ahead`, `select`, `random`) sends the requests so far ahead of the question, so that the
answer counts them in. `host/sandbox/src/python/strategy/wire.rs` is the other side.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct

from .market import Indicative, Level, Phase, Quote, SessionState, Symbol, Trade
from .orders import Display, OpenOrder, PostOnly, TimeInForce, Trigger
from .units import Side, price as _price, quantity as _quantity

# Now, symbol, bid, its size, ask, its size, last, volume, position, average cost, realised, phase, its end, indicative price, matched,
# imbalance, cash, fees, number of the last request.
_STATE = Struct("<19q")
# From the bid to the imbalance.
_VIEW = Struct("<14q")
_TRADE = Struct("<4q")
_SHARES = Struct("<q")
_LEVEL = Struct("<qq")
_OPEN_ORDER = Struct("<qqqBB")
_RANDOM = Struct("<Q")

_LIMIT = Struct("<BBBBqq").pack
_MARKET = Struct("<BBq").pack
_ORDER = Struct("<BBBBBBqqqqq").pack
_NAMED = Struct("<Bq").pack
_REDUCE = Struct("<Bqq").pack
_CHANGE = Struct("<Bqqq").pack
_TEXT = Struct("<BI").pack
_DEPTH = Struct("<BBI").pack
# The first byte of a request, and of a question.
(
    _IS_LIMIT, _IS_MARKET, _IS_ORDER, _IS_CANCEL, _IS_CANCEL_ALL, _IS_MODIFY, _IS_REDUCE, _IS_REPLACE, _IS_WAKE_AT, _IS_MUTE, _IS_LOG,
    _IS_SELECT, _IS_SYMBOL_NAME, _IS_DEPTH, _IS_OPEN_ORDERS, _IS_RANDOM, _IS_TRADES, _IS_NEW_TRADES, _IS_QUEUE_AHEAD,
) = range(19)
# Requests are sent ahead of time once they take so many bytes.
_OUT_BYTES_MAX = 1 << 16
_SIDES = tuple(Side)
_MAYBE_SIDES = (None, *_SIDES)
_PHASES = tuple(Phase)
_COUNT_MAX = (1 << 32) - 1
_TIME_MAX = (1 << 63) - 1


class Exchange:
    """Your line to the exchange: requests, and what you know of the market and of yourself.

    Requests return at once with an id; their answers arrive as order updates, at least two latencies later.
    """

    __slots__ = ("_ask", "_cash", "_fees", "_last_id", "_now", "_out", "_quote", "_raw", "_symbol")

    def __init__(self, ask: Callable[[bytes], bytes]) -> None:
        self._ask = ask
        self._out = bytearray()
        self._begin(bytes(_STATE.size))

    # Requests.

    def limit(self, side: Side, price: int, quantity: int, *, hidden: bool = False, post_only: bool = False) -> int:
        """Sends a limit order; what does not trade rests until the close. Returns its id.

        `hidden` is not shown in the book and ranks behind every visible order at its price. `post_only` never takes liquidity: rejected
        where it would.
        """
        return self._send(_LIMIT(_IS_LIMIT, _side(side), bool(hidden), bool(post_only), _price(price), _quantity(quantity)))

    def market(self, side: Side, quantity: int) -> int:
        """Sends a market order: trades at whatever the book offers, and what finds no liquidity is cancelled. Returns its id."""
        return self._send(_MARKET(_IS_MARKET, _side(side), _quantity(quantity)))

    def order(
        self,
        side: Side,
        price: int | None,
        quantity: int,
        *,
        time_in_force: TimeInForce = TimeInForce.DAY,
        expires: int = 0,
        display: Display = Display.FULL,
        shown: int = 0,
        post_only: PostOnly = PostOnly.NO,
        trigger: Trigger = Trigger.NONE,
        trigger_at: int = 0,
    ) -> int:
        """Sends an order with any of the rarer terms; a price of `None` is an order at market. Returns its id."""
        terms = TimeInForce(time_in_force), Display(display), PostOnly(post_only), Trigger(trigger)
        cents = 0 if price is None else _price(price)
        return self._send(_ORDER(_IS_ORDER, _side(side), *terms, cents, _quantity(quantity), _time(expires), shown, trigger_at))

    def cancel(self, order: int) -> int:
        """Cancels an order. Returns the request's id."""
        return self._send(_NAMED(_IS_CANCEL, order))

    def cancel_all(self) -> int:
        """Cancels all your resting orders in the selected symbol. Returns the request's id."""
        return self._send(bytes((_IS_CANCEL_ALL,)))

    def modify(self, order: int, price: int, quantity: int) -> int:
        """Sets an order's price and *remaining* quantity; its id stays. Returns the request's id.

        It keeps its place in the queue only if the price stays and the quantity does not grow.
        """
        return self._send(_CHANGE(_IS_MODIFY, order, _price(price), _quantity(quantity)))

    def reduce(self, order: int, by: int) -> int:
        """Cancels `by` shares of what remains of an order; it keeps its place in the queue. Returns the request's id."""
        return self._send(_REDUCE(_IS_REDUCE, order, _quantity(by)))

    def replace(self, order: int, price: int, quantity: int) -> int:
        """Cancels an order and enters a new one on the same side, atomically: you never have both. Returns the new order's id."""
        return self._send(_CHANGE(_IS_REPLACE, order, _price(price), _quantity(quantity)))

    def wake_at(self, time: int) -> None:
        """Asks for an extra `on_tick` at `time`, or now if that is past."""
        self._put(_NAMED(_IS_WAKE_AT, _time(time)))

    def wake_in(self, delay: int) -> None:
        """Asks for an extra `on_tick` after `delay` nanoseconds."""
        self.wake_at(self._now + delay)

    def mute_market_data(self) -> None:
        """No more `on_market_data`; `quote` stays fresh in the other callbacks. Once muted, it stays so."""
        self._put(bytes((_IS_MUTE,)))

    def log(self, message: object) -> None:
        """Writes a line to the report. `print` does the same."""
        text = str(message).encode("utf-8", "replace")[:_OUT_BYTES_MAX]
        self._put(_TEXT(_IS_LOG, len(text)) + text)

    def random(self) -> int:
        """64 random bits from this run's seed, the strategy's own."""
        return _RANDOM.unpack(self._question(bytes((_IS_RANDOM,))))[0]

    def random_below(self, bound: int) -> int:
        """A random number in `0..bound`; 0 if `bound` is 0."""
        return (self.random() * bound) >> 64

    # Markets with several symbols. Each callback is about one, which is then selected; `on_tick` is about the first. Cash is one.

    def symbols(self) -> list[tuple[Symbol, str]]:
        """Every symbol with its name, the first first."""
        found: list[tuple[Symbol, str]] = []
        while name := self._question(_TEXT(_IS_SYMBOL_NAME, len(found))).decode("utf-8"):
            found.append((len(found), name))
        return found

    def find(self, name: str) -> Symbol | None:
        """The symbol of this name."""
        return next((symbol for symbol, found in self.symbols() if found == name), None)

    def symbol(self) -> Symbol:
        """The symbol that is selected: at first the one that this callback is about."""
        return self._symbol

    def select(self, symbol: Symbol) -> None:
        """Selects a symbol until the end of the callback. One that the market does not have ends the strategy."""
        self._raw = _VIEW.unpack(self._question(_TEXT(_IS_SELECT, symbol)))
        self._symbol, self._quote = symbol, None

    # What you know.

    def now(self) -> int:
        """The time of this callback."""
        return self._now

    def quote(self) -> Quote:
        """The newest quote that has reached you; empty before the first."""
        quote = self._quote
        if quote is None:
            bid, bid_size, ask, ask_size, last, volume = self._raw[:6]
            quote = self._quote = Quote(
                Level(bid, bid_size) if bid else None, Level(ask, ask_size) if ask else None, last or None, volume
            )
        return quote

    def depth(self, side: Side, levels: int = 10) -> list[Level]:
        """Up to `levels` (at most 10) price levels as of the last quote, best first. Dearer than `quote`."""
        return [Level(*level) for level in _LEVEL.iter_unpack(self._question(_DEPTH(_IS_DEPTH, _side(side), max(levels, 0))))]

    def trades(self, count: int) -> list[Trade]:
        """The last `count` trades on the tape that have reached you, oldest first; 1,000 are kept."""
        return _trades(self._question(_TEXT(_IS_TRADES, min(max(count, 0), _COUNT_MAX))))

    def new_trades(self) -> list[Trade]:
        """The trades that have reached you since you last asked, oldest first. Each is told once."""
        return _trades(self._question(bytes((_IS_NEW_TRADES,))))

    def session(self) -> SessionState:
        """Whether the market trades, is halted or collects orders for an auction, as of the last market data."""
        phase, ends, price, matched, imbalance = self._raw[9:]
        return SessionState(_PHASES[phase], ends or None, Indicative(price, matched, imbalance) if price else None)

    def queue_ahead(self, order: int) -> int | None:
        """Visible shares that stand before this order of yours at its price, as of the last market data; `None` if that is not known.

        It is not if the order does not rest, or if no market data has arrived since you first asked about it. The 16 orders last asked
        about are followed.
        """
        ahead = _SHARES.unpack(self._question(_NAMED(_IS_QUEUE_AHEAD, order)))[0]
        return None if ahead < 0 else ahead

    def open_orders(self) -> list[OpenOrder]:
        """Your orders that have not ended, as far as you have heard, oldest first; those under way included."""
        found = _OPEN_ORDER.iter_unpack(self._question(bytes((_IS_OPEN_ORDERS,))))
        return [
            OpenOrder(order, _SIDES[side], price or None, remaining, bool(accepted))
            for order, price, remaining, side, accepted in found
        ]

    def position(self) -> int:
        """Shares you hold; negative when short."""
        return self._raw[6]

    def cash(self) -> int:
        """Your cash in cents, fees paid; may be negative."""
        return self._cash

    def average_cost(self) -> float | None:
        """The average price in cents that you paid for the shares you hold (or got for those you are short), fees left out.

        `None` when flat. Known to a thousandth of a cent.
        """
        return self._raw[7] / 1e3 or None

    def realised(self) -> int:
        """Cents that closed shares earned against their average cost, fees left out."""
        return self._raw[8]

    def fees(self) -> int:
        """Fees charged so far, less rebates, in cents; `cash` has paid them already."""
        return self._fees

    # The runner's side.

    def _begin(self, state: bytes) -> None:
        self._now, self._symbol, *self._raw, self._cash, self._fees, self._last_id = _STATE.unpack_from(state)
        self._quote = None

    def _take(self) -> bytes:
        out = bytes(self._out)
        self._out.clear()
        return out

    def _send(self, request: bytes) -> int:
        self._put(request)
        self._last_id = number = self._last_id + 1
        return number

    def _put(self, request: bytes) -> None:
        out = self._out
        out += request
        if len(out) > _OUT_BYTES_MAX:
            self._ask(self._take())

    def _question(self, question: bytes) -> bytes:
        return self._ask(self._take() + question)


def _trades(answer: bytes) -> list[Trade]:
    return [Trade(at, price, quantity, _MAYBE_SIDES[aggressor]) for at, price, quantity, aggressor in _TRADE.iter_unpack(answer)]


def _side(side: Side) -> Side:
    if type(side) is not Side:
        raise TypeError(f"a side is Side.BUY or Side.SELL, not {side!r}")
    return side


def _time(time: int) -> int:
    if type(time) is not int:
        raise TypeError(f"a time is an int, in nanoseconds, not {time!r}")
    return min(max(time, 0), _TIME_MAX)
