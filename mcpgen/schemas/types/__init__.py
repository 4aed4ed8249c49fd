"""Infers Python types from schemas, and whether a type is exact."""

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
