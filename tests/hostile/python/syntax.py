# expect: P001
from assay import *
class S(Strategy):
    def on_tick(self)
        pass
