"""A schema as the typed tree that Python can say, and whether that is all of it."""

from mcpgen.types.discriminators import discriminator
from mcpgen.types.inference import infer
from mcpgen.types.nodes import Definition, InferredType, Member, Node, Record

__all__ = ["Definition", "InferredType", "Member", "Node", "Record", "discriminator", "infer"]
