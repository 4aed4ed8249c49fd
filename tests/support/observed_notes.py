"""The package of the golden case whose results were only observed, in each style."""

from __future__ import annotations

from functools import cache
from typing import Any

from paths import ROOT
from runtime.packages import Style, import_client

from mcpgen.contract.document import Contract, read
from mcpgen.jsontext import loads
from mcpgen.project.observed import with_observed

CASE = ROOT / "golden" / "observed"


@cache
def contract() -> Contract:
    """Return the contract of the golden case with its observed types."""
    recorded = read(loads((CASE / "contract.json").read_bytes()))
    observed = CASE / "contract.observed.json"
    return with_observed(recorded, observed.read_bytes(), observed.name)[0]


@cache
def notes(style: Style = "dataclass") -> Any:
    """Return the package of that contract."""
    return import_client(contract(), f"notes_{style}", style)
