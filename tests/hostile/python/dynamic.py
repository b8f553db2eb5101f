# expect: P003
from assay import *
class S(Strategy):
    def on_tick(self):
        eval("1")
        run = exec
        __import__("os")
        globals()
