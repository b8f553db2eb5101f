# expect: P007
from assay import *
class A(Strategy):
    pass
class B(Strategy):
    pass
