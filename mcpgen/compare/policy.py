"""How someone wants changes to be judged: for whom, what fails, and what is known and ignored."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from mcpgen.compare.change import Audience, Severity
from mcpgen.findings.ignores import Ignore

FAILING = frozenset({Severity.BREAKING, Severity.SECURITY})


@dataclass(frozen=True, slots=True)
class Policy:
    """Whom a change must concern, what fails, and what someone chose to see in another way."""

    audiences: Collection[Audience] = tuple(Audience)
    fail_on: Collection[Severity] = FAILING
    overrides: Mapping[str, Severity] = field(default_factory=dict[str, Severity])
    ignores: Sequence[Ignore] = ()
    today: date = date.min
