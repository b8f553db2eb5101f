# expect: P009
from assay import *
class S(Strategy):
    def on_tick(self):
        pass
    def on_fill(self, update):
        pass
