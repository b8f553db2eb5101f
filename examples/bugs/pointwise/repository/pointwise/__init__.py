"""JSON Pointer and JSON Patch."""

from .diff import diff
from .errors import NotThere, PatchFailed, PointwiseError
from .patch import apply
from .pointer import Pointer

__all__ = ["NotThere", "PatchFailed", "Pointer", "PointwiseError", "apply", "diff"]
__version__ = "3.1.0"
