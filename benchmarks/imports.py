"""What starting costs: the command's help, and importing a generated package."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import synthetic
import timing

from mcpgen import output
from mcpgen.pipeline import Options, generate

Row = dict[str, Any]


def rows(*, repeat: int) -> list[Row]:
    """Measure fresh interpreters, each against a bare one and against ``import pydantic``."""
    bare = timing.python("pass", repeat=repeat)
    pydantic = timing.python("import pydantic", repeat=repeat)
    heavy = timing.python("import mcp", repeat=repeat)
    model = timing.python("from pydantic import BaseModel", repeat=repeat)
    found = [
        ("python -c pass", bare),
        ("import pydantic", pydantic),
        ("from pydantic import BaseModel", model),
        ("import mcp", heavy),
        ("mcpgen --help", timing.wall([sys.executable, "-m", "mcpgen", "--help"], repeat=repeat)),
    ]
    for size in (10, 100, 1000):
        found += packages(size, repeat=repeat)
    return [
        {"what": what, "ms": ms, "x pass": ms / bare, "x import pydantic": ms / pydantic}
        for what, ms in found
    ]


def packages(size: int, *, repeat: int) -> list[tuple[str, float]]:
    """Measure importing a package, its client class, and the models of one tool."""
    generated = generate(synthetic.contract(size), Options(name="package"))
    module = sorted(
        path for path in generated.files if path.startswith("models/") and "__init__" not in path
    )[0].removesuffix(".py")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        output.write(generated.files, place / "package")
        one = module.replace("/", ".")
        return [
            (f"{size} tools: import package", code("import package", place, repeat)),
            (f"{size} tools: one tool's models", code(f"import package.{one}", place, repeat)),
            (f"{size} tools: the client", code("from package import Client", place, repeat)),
        ]


def code(statement: str, place: Path, repeat: int) -> float:
    """Measure one statement in a folder that holds the package."""
    return timing.python(statement, repeat=repeat, cwd=place)
