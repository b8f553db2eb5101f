"""What can go wrong."""


class PointwiseError(ValueError):
    """Anything of this package."""


class NotThere(PointwiseError):
    """A pointer names nothing in the document."""


class PatchFailed(PointwiseError):
    """An operation could not be carried out; `index` says which."""

    def __init__(self, index, why):
        super().__init__(f"operation {index}: {why}")
        self.index = index
