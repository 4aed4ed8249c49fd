"""A schema as the typed tree that Python can say, and whether that is all of it."""

from mcpgen.shape.read import shape
from mcpgen.shape.tags import tag
from mcpgen.shape.tree import Definition, Member, Node, Record, Shape

__all__ = ["Definition", "Member", "Node", "Record", "Shape", "shape", "tag"]
