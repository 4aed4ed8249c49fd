"""The author's files: written once, searched for missing methods, and only appended to."""

from mcpgen.codegen.user_code.add import add, new_project
from mcpgen.codegen.user_code.missing import GENERATED, MissingMethods, Stub, missing_methods
from mcpgen.codegen.user_code.unused import Unused, find_unused, former_methods

__all__ = [
    "GENERATED",
    "MissingMethods",
    "Stub",
    "Unused",
    "add",
    "find_unused",
    "former_methods",
    "missing_methods",
    "new_project",
]
