# expect: P004
from assay import *
class S(Strategy):
    def on_tick(self):
        open("/etc/passwd").read()
        read = input
