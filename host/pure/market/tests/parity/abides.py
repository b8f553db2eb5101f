#!/usr/bin/env python3
"""Makes the reference data of the parity test: runs ABIDES and prints one row of figures a seed, as CSV.

    python abides.py CHECKOUT rmsc04 --close 16:00:00 --seeds 1-30 > abides-rmsc04-day.csv

CHECKOUT is github.com/jpmorganchase/abides-jpmc-public at commit f9cbe51342b7dedd9587e4e069040d68a5c6477f, unchanged. Needs Python 3.11,
numpy 1.24.4, pandas 1.5.3, scipy 1.10.1, coloredlogs, tqdm and psutil. A day of rmsc03 takes one to two minutes a seed and 1 GiB, one of rmsc04
half a minute. Compiled in place (Cython 3.3.1, without the types of annotations), the packages give the same rows in two thirds of the time.

Two things that the release lacks are supplied here:
- `POVExecutionAgent`, which rmsc03 names: a market order each minute for its share of the volume of the last minute, as in the older
  github.com/abides-sim/abides (agent/execution/POVExecutionAgent.py).
- pomegranate 0.14, which does not build on Python 3.11: the same mixture of order sizes, drawn with NumPy.

The figures are defined in stats.rs, beside this file. Orders are limit orders that the book received up to the close; cancels and trades are
the entries CANCEL and EXEC of its history; the others come from the last state that the book logs at each time.
"""

import argparse
import gc
import json
import math
import sys
import types

COLUMNS = ["messages", "orders", "cancels", "trades", "volume", "spread", "mid range", "1-min sd bp", "tick vol %", "bid size"]
SECOND = 1_000_000_000
MINUTE = 60 * SECOND
YEAR_SECONDS = 252 * 6.5 * 3600


def mixture_module(numpy):
    """Stands in for pomegranate: draws from a mixture given as JSON."""

    class GeneralMixtureModel:
        def __init__(self, spec):
            self.parts = [(part["name"], *part["parameters"]) for part in spec["distributions"]]
            weights = numpy.array(spec["weights"])
            self.weights = weights / weights.sum()

        @classmethod
        def from_json(cls, text):
            return cls(json.loads(text))

        def sample(self, random_state):
            name, a, b = self.parts[random_state.choice(len(self.parts), p=self.weights)]
            return random_state.lognormal(a, b) if name.startswith("LogNormal") else random_state.normal(a, b)

    module = types.ModuleType("pomegranate")
    module.GeneralMixtureModel = GeneralMixtureModel
    return module


def execution_agent():
    """The agent that rmsc03 names and the release lacks."""
    from abides_markets.agents import TradingAgent
    from abides_markets.messages.query import QueryTransactedVolResponseMsg

    class POVExecutionAgent(TradingAgent):
        def __init__(self, id, name, type, symbol, starting_cash, start_time, end_time, freq, lookback_period, pov,
                     direction, quantity, trade, log_orders):
            super().__init__(id, name, type, None, starting_cash, log_orders)
            self.symbol, self.pov, self.side = symbol, pov, direction
            self.begins, self.ends, self.freq, self.lookback = start_time, end_time, freq, lookback_period
            self.left, self.trades_at_all = int(quantity), trade

        def wakeup(self, current_time):
            may_trade = super().wakeup(current_time)
            if not self.trades_at_all:
                return
            if current_time < self.begins:
                self.set_wakeup(self.begins)
                return
            if current_time + self.freq < self.ends and self.left > 0:
                self.set_wakeup(current_time + self.freq)
            if may_trade and self.left > 0:
                self.get_transacted_volume(self.symbol, lookback_period=self.lookback)

        def receive_message(self, current_time, sender_id, message):
            super().receive_message(current_time, sender_id, message)
            if isinstance(message, QueryTransactedVolResponseMsg):
                quantity = min(round(self.pov * sum(self.transacted_volume[self.symbol])), self.left)
                if quantity > 0:
                    self.place_market_order(self.symbol, quantity, self.side)

        def order_executed(self, order):
            super().order_executed(order)
            self.left -= order.quantity

        def get_wake_frequency(self):
            return self.freq

    return POVExecutionAgent


def count_limit_orders():
    """Has each exchange count the limit orders that it receives up to the close: the history has only those that rest."""
    from abides_markets.agents import ExchangeAgent
    from abides_markets.messages.order import LimitOrderMsg

    receive = ExchangeAgent.receive_message

    def receive_message(self, current_time, sender_id, message):
        if isinstance(message, LimitOrderMsg) and current_time <= self.mkt_close:
            self.limit_orders_received = getattr(self, "limit_orders_received", 0) + 1
        receive(self, current_time, sender_id, message)

    ExchangeAgent.receive_message = receive_message


def leave_out_texts():
    """Leaves out what only fills logs, which nothing here reads, and sums the sides of the book in plain loops: the same rows in half the time."""
    from abides_core import agent, kernel
    from abides_markets import order_book, orders
    from abides_markets.agents import trading_agent
    from abides_markets.orders import Side

    def get_imbalance(self):
        bids = asks = 0
        for level in self.bids:
            for order, _ in level.visible_orders:
                bids += order.quantity
        for level in self.asks:
            for order, _ in level.visible_orders:
                asks += order.quantity
        if bids == asks:
            return (0, None)
        if bids == 0:
            return (1.0, Side.ASK)
        if asks == 0:
            return (1.0, Side.BID)
        return (1 - bids / asks, Side.ASK) if bids < asks else (1 - asks / bids, Side.BID)

    order_book.OrderBook.get_imbalance = get_imbalance
    agent.Agent.logEvent = lambda *_, **__: None
    orders.Order.to_dict = lambda self: None
    for kind in (orders.LimitOrder, orders.MarketOrder):
        kind.__str__ = kind.__repr__ = lambda self: ""
    for module in (agent, kernel, orders, trading_agent):
        module.fmt_ts = lambda _: ""
    kernel.Kernel.write_summary_log = lambda self: None
    kernel.Kernel.write_log = lambda self, *_: None


def deviation(values):
    mean = sum(values) / len(values)
    return math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))


def states(book):
    """Time, bid, ask and size at the bid of the last state at each time; None for an empty side."""
    last = None
    for row in book.book_log2:
        if last is not None and row["QuoteTime"] != last["QuoteTime"]:
            yield touch(last)
        last = row
    if last is not None:
        yield touch(last)


def touch(row):
    bids, asks = row["bids"], row["asks"]
    bid, size = (int(bids[0][0]), int(bids[0][1])) if len(bids) else (None, 0)
    return row["QuoteTime"], bid, int(asks[0][0]) if len(asks) else None, size


def figures(exchange, symbol):
    book, opening, close = exchange.order_books[symbol], exchange.mkt_open, exchange.mkt_close
    two_sided = spread = size = squares = 0.0
    low = high = last_mid = None
    minutes, next_minute = [], opening + MINUTE
    held = None

    def hold(until):
        nonlocal two_sided, spread, size, squares, low, high, last_mid, next_minute
        if held is None or held[1] is None or held[2] is None:
            return
        at, bid, ask, shares = held
        lasted = until - at
        if lasted <= 0:
            return
        two_sided += lasted
        spread += lasted * (ask - bid)
        size += lasted * shares
        mid = (bid + ask) / 2
        low, high = (mid, mid) if low is None else (min(low, mid), max(high, mid))
        squares += math.log(mid / (mid if last_mid is None else last_mid)) ** 2
        last_mid = mid
        while next_minute <= until:
            minutes.append(mid)
            next_minute += MINUTE

    for state in states(book):
        if state[0] > close:
            break
        hold(state[0])
        held = state
    hold(close)

    kinds = {"CANCEL": 0, "EXEC": 0}
    volume = 0
    for entry in book.history:
        if entry["time"] <= close and entry["type"] in kinds:
            kinds[entry["type"]] += 1
            if entry["type"] == "EXEC":
                volume += entry["quantity"]
    returns = [1e4 * math.log(after / before) for before, after in zip(minutes, minutes[1:])]
    session = (close - opening) / SECOND
    return [exchange.kernel.ttl_messages, exchange.limit_orders_received, kinds["CANCEL"], kinds["EXEC"], volume, spread / two_sided, high - low,
            deviation(returns), 100 * math.sqrt(squares * YEAR_SECONDS / session), size / two_sided]


def run(config, seed, close):
    from abides_core import abides

    built = config.build_config(seed=seed, end_time=close, stdout_log_level="ERROR", book_log_depth=1)
    exchange = built["agents"][0]
    abides.run(built, kernel_seed=0)
    return figures(exchange, "ABM")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", help="the folder of abides-jpmc-public")
    parser.add_argument("market", choices=["rmsc03", "rmsc04"])
    parser.add_argument("--close", default="10:00:00", help="end of the session; it opens at 09:30:00")
    parser.add_argument("--seeds", default="1-30", help="first and last seed")
    options = parser.parse_args()

    import numpy

    sys.modules["pomegranate"] = mixture_module(numpy)
    sys.path[:0] = [f"{options.checkout}/abides-core", f"{options.checkout}/abides-markets"]
    import abides_markets.agents as agents

    agents.POVExecutionAgent = execution_agent()
    count_limit_orders()
    leave_out_texts()
    # Only agents and the kernel hold one another, so it is enough to look after each seed.
    gc.disable()
    config = __import__(f"abides_markets.configs.{options.market}", fromlist=["build_config"])

    first, _, last = options.seeds.partition("-")
    print(",".join(["seed", *COLUMNS]), flush=True)
    for seed in range(int(first), int(last or first) + 1):
        values = run(config, seed, options.close)
        gc.collect()
        row = [f"{value:.6f}" if isinstance(value, float) else str(value) for value in values]
        print(",".join([str(seed), *row]), flush=True)


if __name__ == "__main__":
    main()
