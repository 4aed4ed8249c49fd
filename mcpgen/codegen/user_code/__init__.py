"""What is the author's: written once, read to see what it lacks, and only ever added to."""

from mcpgen.codegen.user_code.add import add
from mcpgen.codegen.user_code.missing import GENERATED, Lack, Stub, lacks
from mcpgen.codegen.user_code.project import whole
from mcpgen.codegen.user_code.unused import Unused, former, unused

__all__ = ["GENERATED", "Lack", "Stub", "Unused", "add", "former", "lacks", "unused", "whole"]
