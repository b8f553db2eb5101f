"""The entry point of the Python component: the two things that it can be used for."""

# The order matters: the REPL comes last and freezes everything that is there by then.
from assay_strategy import Strategy
from assay_repl import Repl

__all__ = ["Repl", "Strategy"]
