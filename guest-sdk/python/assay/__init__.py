"""What a Python strategy is written against; `GUIDE.md` of the guest SDK teaches it on one page.

A strategy is one file with one class that derives from `Strategy`. All numbers are integers: prices and cash in cents, quantities in shares,
times in nanoseconds since the Unix epoch. One cent is one tick.

The package runs inside the sandbox; outside, it is there for editors and type checkers.
"""

from .exchange import Exchange
from .market import Config, Fee, Indicative, Level, Phase, Quote, SessionState, Symbol, Trade
from .orders import Display, Fill, OpenOrder, OrderUpdate, PostOnly, Reason, TimeInForce, Trigger, UpdateKind
from .strategy import Strategy, parameter
from .timer import Timer
from .units import MICROSECOND, MILLISECOND, MINUTE, PRICE_MAX_CENTS, QUANTITY_MAX, SECOND, Side

__all__ = [
    "Config", "Display", "Exchange", "Fee", "Fill", "Indicative", "Level", "MICROSECOND", "MILLISECOND", "MINUTE", "OpenOrder", "OrderUpdate",
    "PRICE_MAX_CENTS", "Phase", "PostOnly", "QUANTITY_MAX", "Quote", "Reason", "SECOND", "SessionState", "Side", "Strategy", "Symbol",
    "TimeInForce", "Timer", "Trade", "Trigger", "UpdateKind", "parameter",
]
