"""The contract file: parsed, validated, hashed and scaffolded."""

from mcpgen.contract.document import Contract, left_out, read

__all__ = ["Contract", "left_out", "read"]
