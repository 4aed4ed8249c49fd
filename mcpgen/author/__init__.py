"""What is the author's: written once, read to see what it lacks, and only ever added to."""

from mcpgen.author.add import add
from mcpgen.author.lacks import GENERATED, Lack, Stub, lacks
from mcpgen.author.whole import whole

__all__ = ["GENERATED", "Lack", "Stub", "add", "lacks", "whole"]
