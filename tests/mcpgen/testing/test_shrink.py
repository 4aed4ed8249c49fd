"""Cases are shrunk to their cause."""

from __future__ import annotations

from mcpgen.findings.contract_tests import Case
from mcpgen.testing.shrink import shrunk


def test_case_is_shrunk_to_its_cause() -> None:
    case = Case("call", "tool x", {"arguments": {"a": 987, "b": ["x", "yyyyB"], "c": {"d": 1}}})

    def fails(smaller: Case) -> bool:
        return any("B" in str(item) for item in smaller.data["arguments"].get("b", ()))

    assert shrunk(case, fails, 200).data["arguments"] == {"b": ["B"]}
    assert shrunk(case, fails, 0) == case
