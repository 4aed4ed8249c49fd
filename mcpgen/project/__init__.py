"""What `[tool.mcpgen]` in pyproject.toml says: which servers, their contracts, what they become."""

from mcpgen.project.find import PYPROJECT, Project, find
from mcpgen.project.made import Made, Own, Tree, folders, make
from mcpgen.project.model import Entry
from mcpgen.project.table import read
from mcpgen.project.written import Left, left, remember, remove

__all__ = [
    "PYPROJECT",
    "Entry",
    "Left",
    "Made",
    "Own",
    "Project",
    "Tree",
    "find",
    "folders",
    "left",
    "make",
    "read",
    "remember",
    "remove",
]
