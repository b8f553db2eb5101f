"""Units: prices in integer cents, quantities in shares, times and lengths of time in nanoseconds."""

from __future__ import annotations

import enum

PRICE_MAX_CENTS = 100_000_000
"""The highest price an order may name: one million dollars a share. The lowest is 1."""
QUANTITY_MAX = 1_000_000
"""The largest quantity of one order, in shares. The smallest is 1."""

MICROSECOND = 1_000
MILLISECOND = 1_000_000
SECOND = 1_000_000_000
MINUTE = 60 * SECOND


class Side(enum.IntEnum):
    """Which side of the book an order is on."""

    BUY = 0
    SELL = 1

    @staticmethod
    def toward(shares: int) -> Side | None:
        """The side that moves a position by `shares`: buy for more, sell for fewer, `None` for 0."""
        return None if shares == 0 else BUY if shares > 0 else SELL

    def opposite(self) -> Side:
        """The other side."""
        return SELL if self is BUY else BUY

    def sign(self) -> int:
        """+1 for a buy, -1 for a sell."""
        return 1 if self is BUY else -1


# Members by a plain name are found several times faster than through the class.
BUY, SELL = Side.BUY, Side.SELL


def price(cents: int) -> int:
    """A price that the exchange takes, or an error that says what to do."""
    if type(cents) is not int:
        raise TypeError(f"a price is an int, in cents, not {cents!r}; round a float with math.floor or math.ceil")
    if not 1 <= cents <= PRICE_MAX_CENTS:
        raise ValueError(f"a price is 1 to {PRICE_MAX_CENTS} cents, not {cents}")
    return cents


def quantity(shares: int) -> int:
    """A quantity that the exchange takes, or an error that says what to do."""
    if type(shares) is not int:
        raise TypeError(f"a quantity is an int, in shares, not {shares!r}")
    if not 1 <= shares <= QUANTITY_MAX:
        raise ValueError(f"a quantity is 1 to {QUANTITY_MAX} shares, not {shares}")
    return shares
