"""What is the author's: written once, read to see what it lacks, and only ever added to."""

from mcpgen.author.add import add
from mcpgen.author.lacks import GENERATED, Lack, Stub, lacks
from mcpgen.author.unused import Unused, former, unused
from mcpgen.author.whole import whole

__all__ = ["GENERATED", "Lack", "Stub", "Unused", "add", "former", "lacks", "unused", "whole"]
