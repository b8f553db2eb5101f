# expect: P001
from assay import *
class S(Strategy):
    pass
return 1
