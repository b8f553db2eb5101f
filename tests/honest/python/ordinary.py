"""Everything that an ordinary strategy may use."""

from __future__ import annotations

import math
import random
import statistics
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache

import assay
from assay import SECOND, Config, Quote, Side, Strategy, Timer


class Mood(Enum):
    CALM = "calm"
    WILD = "wild"


@dataclass
class Window:
    size: int = 20
    prices: deque[float] = field(default_factory=deque)

    def __len__(self) -> int:
        return len(self.prices)

    def add(self, price: float) -> None:
        self.prices.append(price)
        if len(self) > self.size:
            self.prices.popleft()


@lru_cache(maxsize=64)
def root(number: int) -> float:
    return math.sqrt(number)


class Base(assay.Strategy):
    """What several ideas share."""

    def __init__(self) -> None:
        super().__init__()
        self.window = Window()
        self.evaluate = type(self).__name__

    def mood(self, prices: Iterable[float]) -> Mood:
        return Mood.WILD if statistics.pstdev(prices) > 3 else Mood.CALM


class Ordinary(Base):
    def initialize(self, config: Config) -> None:
        self.clock = Timer(self.exchange, config.market_open, 2 * SECOND)
        print(f"{self.evaluate} begins with {config.starting_cash} cents, lucky number {random.randint(1, 6)}")

    def on_tick(self) -> None:
        quote: Quote = self.exchange.quote()
        mid = quote.mid()
        if not self.clock.is_due() or mid is None:
            return
        self.window.add(mid)
        if len(self.window) > 5 and self.mood(self.window.prices) is Mood.CALM and self.exchange.position() < 10:
            self.exchange.market(Side.BUY, 1)


if __name__ == "__main__":
    print("a file can be run by itself too")
