# expect: P005
from assay import *
class S(Strategy):
    def on_tick(self):
        for c in ().__class__.__base__.__subclasses__():
            c.__init__.__globals__
        getattr(self, "__dict__")
        "{0.__class__}".format(self)
        try:
            pass
        except Exception as e:
            e.__traceback__.tb_frame.f_back.f_globals
