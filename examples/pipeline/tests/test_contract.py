"""The library itself, held against what it says of its tools."""

from __future__ import annotations

from mcpgen.testing import contract_tests

test_library = contract_tests("demo", contract="mcp/library.contract.json", calls=300)
