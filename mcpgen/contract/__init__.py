"""Parses, validates, hashes and scaffolds contracts."""

from mcpgen.contract.document import Contract, left_out, read

__all__ = ["Contract", "left_out", "read"]
