"""The library itself, held against what it says of its tools."""

from __future__ import annotations

from mcpgen.testing import contract_tests

test_bookshelf = contract_tests("demo", contract="mcp/bookshelf.contract.json", calls=300)
