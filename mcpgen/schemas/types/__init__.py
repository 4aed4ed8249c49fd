"""The Python type that is inferred from a schema, and whether it says all of the schema."""

from mcpgen.schemas.types.discriminators import contains_itself, discriminator
from mcpgen.schemas.types.inference import infer
from mcpgen.schemas.types.nodes import Definition, InferredType, Member, Node, Record

__all__ = [
    "Definition",
    "InferredType",
    "Member",
    "Node",
    "Record",
    "contains_itself",
    "discriminator",
    "infer",
]
