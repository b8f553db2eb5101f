"""Orders, and what the exchange says about them.

Exactly one terminal answer per request: `OrderUpdate.ends_order` is true for the one update that ends an order; cancel, cancel-all, modify
and reduce are answered by the one update whose `request` is theirs.

    limit/market/order/replace --> ACCEPTED --> (TRIGGERED | FILL)* --> FILL (remaining 0) | CANCELLED
                               `-> REJECTED
"""

from __future__ import annotations

import enum
from typing import NamedTuple

from .units import Side


class TimeInForce(enum.IntEnum):
    """How long an order lives; `GOOD_TILL` needs `expires`."""

    DAY = 0
    IMMEDIATE_OR_CANCEL = 1
    FILL_OR_KILL = 2
    GOOD_TILL = 3
    AT_OPEN = 4
    AT_CLOSE = 5


class Display(enum.IntEnum):
    """How much of a resting order others see; `ICEBERG` needs `shown`, the shares seen at a time."""

    FULL = 0
    HIDDEN = 1
    ICEBERG = 2
    COMPLY = 3


class PostOnly(enum.IntEnum):
    """What becomes of an order that may not take liquidity and would."""

    NO = 0
    REJECT = 1
    SLIDE = 2


class Trigger(enum.IntEnum):
    """What an order waits for before it is entered: `STOP` a trade at `trigger_at` or beyond, `TRAIL` one so many cents off the best since."""

    NONE = 0
    STOP = 1
    TRAIL = 2


class UpdateKind(enum.Enum):
    """What happened to a request or an order."""

    ACCEPTED = "accepted"
    """The order is valid and live."""
    FILL = "fill"
    """Shares traded (`price`, `quantity`, `maker`); position and cash already include them."""
    CANCELLED = "cancelled"
    """The order is gone (`reason`); what had not traded will not."""
    ALL_CANCELLED = "all-cancelled"
    """The answer to a cancel-all: `quantity` orders were cancelled, and each also got its own `CANCELLED`."""
    MODIFIED = "modified"
    """Price and remaining quantity were changed as asked (`price`)."""
    REDUCED = "reduced"
    """Part of the order was cancelled as asked (`quantity`)."""
    REJECTED = "rejected"
    """The request was refused (`reason`). The order that a refused cancel, modify, reduce or replace names is as it was."""
    TRIGGERED = "triggered"
    """The trade that the order waited for has happened; it is entered now."""


class Reason(enum.Enum):
    """Why a request was rejected or an order cancelled. The order is part of the interface."""

    NONE = "none"
    REQUESTED = "requested"
    NO_LIQUIDITY = "no-liquidity"
    REPLACED = "replaced"
    MARKET_CLOSED = "market-closed"
    TRADER_STOPPED = "trader-stopped"
    WOULD_TRADE = "would-trade"
    INVALID_PRICE = "invalid-price"
    INVALID_QUANTITY = "invalid-quantity"
    UNKNOWN_ORDER = "unknown-order"
    TOO_MANY_OPEN_ORDERS = "too-many-open-orders"
    SELF_TRADE = "self-trade"
    MARKET_NOT_OPEN = "market-not-open"
    OUTSIDE_BAND = "outside-band"
    POSITION_LIMIT = "position-limit"
    CANNOT_FILL = "cannot-fill"
    EXPIRED = "expired"
    INVALID_TERMS = "invalid-terms"
    NO_AUCTION = "no-auction"
    ORDER_WAITS = "order-waits"
    IN_AUCTION = "in-auction"
    LOSS_LIMIT = "loss-limit"
    BUYING_POWER = "buying-power"
    RUINED = "ruined"

    def __str__(self) -> str:
        return self._value_


class OpenOrder(NamedTuple):
    """An order that has not ended, as far as you have heard."""

    id: int
    side: Side
    price: int | None
    """Limit price in cents; `None` for a market order."""
    remaining: int
    """Shares still to trade."""
    accepted: bool
    """Whether the exchange has said that it has it."""


class Fill(NamedTuple):
    """A trade of yours."""

    side: Side
    """Whether you bought or sold."""
    price: int
    """Trade price in cents."""
    quantity: int
    """Shares traded."""
    maker: bool
    """Whether your order rested and was hit."""

    def signed(self) -> int:
        """What it did to your position: shares bought, or less than 0 if they were sold."""
        return self.side.sign() * self.quantity


class OrderUpdate(NamedTuple):
    """One message from the exchange about one of your requests or orders. What does not matter for its kind is 0, `NONE` or false."""

    request: int
    """The request this answers; for a fill, an expiry and the orders of a cancel-all it is the one that made the order."""
    order: int
    """The order concerned; for an answer to a cancel-all it has the request's number."""
    kind: UpdateKind
    """What happened."""
    reason: Reason
    """Why it was cancelled or rejected."""
    price: int
    """Cents: of the trade, or of the modified order."""
    quantity: int
    """Shares traded or taken off; for `ALL_CANCELLED`, orders."""
    remaining: int
    """Shares of the order still to trade after this."""
    maker: bool
    """Whether your order rested and was hit."""
    side: Side | None
    """The order's side; `None` for an answer to a cancel-all, and for an order that is not known (any more)."""

    def fill(self) -> Fill | None:
        """The trade that this update tells of, if it does."""
        side = self.side
        return None if self.kind is not FILL or side is None else Fill(side, self.price, self.quantity, self.maker)

    def ends_order(self) -> bool:
        """Whether this is the last word on `order`: true exactly once for each order."""
        kind = self.kind
        if kind is FILL:
            return self.remaining == 0
        # A refused cancel or modify leaves its order alone; a refused order never lived.
        return kind is CANCELLED or (kind is REJECTED and self.request == self.order)


# Members by a plain name are found several times faster than through the class.
FILL, CANCELLED, REJECTED = UpdateKind.FILL, UpdateKind.CANCELLED, UpdateKind.REJECTED
