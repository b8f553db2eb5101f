//@ expect: S027
// Python.

def on_market_data(self, quote):
    return self.buy(quote.ask) if quote.spread > 2 else None
