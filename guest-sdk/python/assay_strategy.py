"""The runner of Python strategies that is frozen into the Python component.

Nothing here is a security boundary: a strategy can reach and change all of it, and then trades badly or not at all. What it may use, see
and send is decided by the host, which trusts no byte that comes from here.
"""

import linecache
import os
import random
import sys
import traceback
import types
from struct import Struct

import assay
import assay_survey
from componentize_py_types import Err
from wit_world import exports
from wit_world.exports import strategy as interface
from wit_world.imports import exchange as host

# The package is the strategy's to import, and nobody else's: a repository may have a module of that name.
SDK = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == "assay"}

# Characters of a summary and of a traceback that are kept; the host cuts as well.
SUMMARY_CHARS_MAX = 1_000
TRACEBACK_CHARS_MAX = 8_000
# Innermost frames that are looked at: a recursion without end has a thousand, and describing them costs the strategy's fuel.
FRAMES_MAX = 50

# The numbers of the callbacks.
INITIALIZE, ON_TICK, ON_MARKET_DATA, ON_ORDER_UPDATE, ON_SIMULATION_END = range(5)
CALLBACKS = ("initialize", "on_tick", "on_market_data", "on_order_update", "on_simulation_end")
# Starting cash, open, close, its window, latency, tick interval, tick size, position limit, loss limit, margins (long, short, maintenance),
# price band, fees (maker's, taker's, each by share and by value), picoseconds for a unit of fuel; after the state.
CONFIG = Struct("<18q")
# Request, order, status, reason, price, quantity, remaining, maker, side; after the state.
UPDATE = Struct("<9q")
STATE_BYTES = assay.exchange._STATE.size
_Kind = assay.UpdateKind
STATUSES = (
    _Kind.ACCEPTED, _Kind.FILL, _Kind.FILL, _Kind.CANCELLED, _Kind.ALL_CANCELLED, _Kind.MODIFIED, _Kind.REDUCED, _Kind.REJECTED,
    _Kind.TRIGGERED,
)
REASONS = tuple(assay.Reason)
SIDES = (None, *assay.Side)


def config(symbol, numbers):
    """The configuration of these numbers; `wire.rs` in the SDK for Rust does the same arithmetic."""
    cash, market_open, close, window, latency, tick, tick_size, position, loss, *rest = numbers
    long, short, maintenance, band, maker_share, maker_value, taker_share, taker_value, picoseconds = rest
    return assay.Config(
        symbol, cash, market_open, close, window, latency, tick or None, tick_size, position, loss or None, long / 1e6, short / 1e6,
        maintenance / 1e6, band / 1e4 or None, assay.Fee(maker_share / 1e6, maker_value / 1e6),
        assay.Fee(taker_share / 1e6, taker_value / 1e6), picoseconds / 1e3,
    )


class Printed:
    """Standard output and standard error: lines of the report."""

    encoding, errors, closed = "utf-8", "replace", False

    def __init__(self, exchange):
        self.exchange, self.rest = exchange, ""

    def write(self, text):
        *lines, self.rest = (self.rest + text).split("\n")
        for line in lines:
            self.exchange.log(line)
        if len(self.rest) > SUMMARY_CHARS_MAX:
            self.flush()
        return len(text)

    def flush(self):
        if self.rest:
            self.exchange.log(self.rest)
            self.rest = ""

    def isatty(self):
        return False


class Runner:
    def load(self, file, source, symbol, state):
        self.file, self.symbol = file, symbol
        # Found before the strategy can have put anything else there.
        self.exchange = exchange = assay.Exchange(host.ask)
        exchange._begin(state)
        assay.Strategy.exchange = exchange
        self.printed = sys.stdout = sys.stderr = Printed(exchange)
        random.seed(os.urandom(32))
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        sys.modules.update(SDK)
        try:
            return self.make(source)
        except BaseException as error:
            raise self.raised(error)

    def make(self, source):
        module = types.ModuleType("strategy")
        module.__file__ = self.file
        sys.modules["strategy"] = module
        exec(compile(source, self.file, "exec", dont_inherit=True), module.__dict__)
        base = assay.Strategy
        found = [
            value
            for value in dict.fromkeys(filter(lambda value: isinstance(value, type), module.__dict__.values()))
            if issubclass(value, base) and value.__module__ == "strategy"
        ]
        found = [one for one in found if not any(one in other.__mro__[1:] for other in found)]
        if len(found) != 1:
            names = ", ".join(one.__name__ for one in found) or "none"
            raise TypeError(f"a strategy is exactly one class that derives from assay.Strategy; found: {names}")
        self.strategy = found[0]()
        return sum(1 << bit for bit, name in enumerate(CALLBACKS) if getattr(found[0], name) is not getattr(base, name))

    def call(self, callback, state):
        exchange = self.exchange
        try:
            exchange._begin(state)
            if callback == ON_TICK:
                self.strategy.on_tick()
            elif callback == ON_MARKET_DATA:
                self.strategy.on_market_data()
            elif callback == ON_ORDER_UPDATE:
                request, order, status, reason, price, quantity, remaining, maker, side = UPDATE.unpack_from(state, STATE_BYTES)
                update = assay.OrderUpdate(
                    request, order, STATUSES[status], REASONS[reason], price, quantity, remaining, bool(maker), SIDES[side]
                )
                self.strategy.on_order_update(update)
            elif callback == INITIALIZE:
                self.strategy.initialize(config(self.symbol, CONFIG.unpack_from(state, STATE_BYTES)))
            else:
                self.strategy.on_simulation_end()
            if self.printed.rest:
                self.printed.flush()
            return exchange._take()
        except BaseException as error:
            raise self.raised(error)

    def raised(self, error):
        """What the host is told of an exception, with what was asked for before it."""
        try:
            self.printed.flush()
            if self.exchange._out:
                host.ask(self.exchange._take())
            told = traceback.TracebackException.from_exception(error, compact=True, limit=-FRAMES_MAX)
            own = [frame for frame in told.stack if frame.filename == self.file]
            line = error.lineno if isinstance(error, SyntaxError) else own[-1].lineno if own else 0
            told.stack = traceback.StackSummary.from_list(own)
            summary = f"{self.file}:{line}: {''.join(told.format_exception_only()).strip().splitlines()[-1]}"
            text = "".join(told.format(chain=False))
        except BaseException:
            # An exception whose own methods fail, or no memory to describe it with.
            summary = text = f"{type(error).__name__} (it could not be described)"
        return Err(interface.Raised(summary[:SUMMARY_CHARS_MAX], text[:TRACEBACK_CHARS_MAX]))


# The binding makes a new object of the class below for each call, so what lasts is here.
RUNNER = Runner()


class Strategy(exports.Strategy):
    def load(self, file, source, symbol, state):
        return RUNNER.load(file, source, symbol, state)

    def call(self, callback, state):
        return RUNNER.call(callback, state)

    def survey(self, source):
        return assay_survey.survey(source)
