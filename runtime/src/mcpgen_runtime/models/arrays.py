"""The type of JSON arrays."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
else:
    # Pydantic builds the item schema of a ``Sequence`` twice, so nested ones take 2**levels.
    Sequence = list

__all__ = ["Sequence"]
