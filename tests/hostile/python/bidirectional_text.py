# expect: S025
from assay import *
class S(Strategy):
    pass
# ‮ hidden
