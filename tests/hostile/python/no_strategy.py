# expect: P006
from assay import *
class S:
    def on_tick(self):
        pass
