"""Plans a package from an API, its inferred types and its names, in final Python form."""

from mcpgen.codegen.plan.client import plan
from mcpgen.codegen.plan.example import Example, example
from mcpgen.codegen.plan.package import ClientPackage, Formats, ServerPackage, Style
from mcpgen.codegen.plan.sharing import pin

__all__ = [
    "ClientPackage",
    "Example",
    "Formats",
    "ServerPackage",
    "Style",
    "example",
    "pin",
    "plan",
]
