# expect: P008
from assay import *
class S(Strategy):
    def initialize(self):
        pass
    async def on_tick(self):
        pass
    def on_market_data(self, quote):
        pass
    def on_simulation_end(self):
        yield 1
