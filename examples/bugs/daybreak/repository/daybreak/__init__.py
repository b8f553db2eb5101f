"""When daily jobs run next."""

from .plan import Plan
from .schedule import Daily
from .zones import BERLIN, LONDON, NEW_YORK, TOKYO, Zone

__all__ = ["BERLIN", "Daily", "LONDON", "NEW_YORK", "Plan", "TOKYO", "Zone"]
__version__ = "1.2.0"
