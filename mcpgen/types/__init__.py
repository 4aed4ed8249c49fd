"""A schema as the typed tree that Python can say, and whether that is all of it."""

from mcpgen.types.discriminators import tag
from mcpgen.types.infer import shape
from mcpgen.types.nodes import Definition, Member, Node, Record, Shape

__all__ = ["Definition", "Member", "Node", "Record", "Shape", "shape", "tag"]
