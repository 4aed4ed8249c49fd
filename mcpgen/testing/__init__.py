"""Contract tests of a live server: what it says of itself is put to the test."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcpgen.testing.in_pytest import contract_tests

__all__ = ["contract_tests"]


def __getattr__(name: str) -> object:
    """Load what is asked for: modules of this package are used without pytest, too."""
    if name != "contract_tests":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from mcpgen.testing.in_pytest import contract_tests

    return contract_tests
