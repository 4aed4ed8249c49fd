"""What a server offers: read, written and hashed as a file, checked entry by entry, scaffolded."""

from mcpgen.contract.document import Contract, left_out, read

__all__ = ["Contract", "left_out", "read"]
