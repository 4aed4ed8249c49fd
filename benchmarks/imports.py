"""Measures start-up: the command's help, and the import of a generated package."""

from __future__ import annotations

import compileall
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from math import inf, nan
from pathlib import Path

import mcpgen_runtime
import synthetic
import timing
from timing import Row

from mcpgen.codegen.pipeline import Options, generate
from mcpgen.files import write

SIZES = (1, 100, 1000)
TURNS = 10


def start(repeat: int) -> list[Row]:
    """Measure the command's help against an interpreter that does nothing."""
    script = shutil.which("mcpgen", path=str(Path(sys.executable).parent)) or "mcpgen"
    row = timing.commands(
        {
            "python -c pass": timing.python("pass"),
            "mcpgen --help": [script, "--help"],
            "python -m mcpgen --help": [sys.executable, "-m", "mcpgen", "--help"],
            "mcpgen protocol --help": [script, "protocol", "--help"],
            "mcpgen client --help": [script, "client", "--help"],
            "python -c 'import click'": timing.python("import click"),
        },
        repeat=repeat,
    )
    bare = row["python -c pass"]
    return [{"command": name, "ms": ms, "x pass": ms / bare} for name, ms in row.items()]


def packages(repeat: int) -> list[Row]:
    """Measure importing generated packages of several sizes, and what is loaded on use.

    They are compiled in advance, as pip does for installed packages.
    """
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder)
        named = {
            "pass": timing.python("pass"),
            "import pydantic": timing.python("import pydantic"),
            "from pydantic import BaseModel": timing.python("from pydantic import BaseModel"),
            "import mcp": timing.python("import mcp"),
        }
        for size in SIZES:
            named |= statements(size, target)
        compileall.compile_dir(target, quiet=1)
        row = timing.commands(named, repeat=repeat, cwd=target)
        cpu = processor({what: named[what] for what in named if "every tool" not in what}, target)
    pydantic = row["import pydantic"]
    return [
        {
            "statement": what,
            "ms": ms,
            "x pydantic": ms / pydantic,
            "x pydantic, CPU": cpu.get(what, nan) / cpu["import pydantic"],
        }
        for what, ms in row.items()
    ]


def processor(named: Mapping[str, Sequence[str]], folder: Path) -> dict[str, float]:
    """Return the least CPU time of each command in milliseconds. The commands take turns."""
    least = dict.fromkeys(named, inf)
    for _ in range(TURNS):
        for what, command in named.items():
            before = timing.processor()
            timing.run(command, folder)
            least[what] = min(least[what], timing.processor() - before)
    return least


def statements(size: int, folder: Path) -> dict[str, list[str]]:
    """Write a package and return the statements to measure."""
    name = f"tools{size}"
    generated = generate(synthetic.contract(size), Options(name=name))
    write.write(generated.files, folder / name)
    models = sorted(Path(path).stem for path in generated.files if path.startswith("models/"))
    first = next(model for model in models if model != "__init__")
    client = f"Tools{size}Client"
    return {
        f"import {name}": timing.python(f"import {name}"),
        f"from {name} import {client}": timing.python(f"from {name} import {client}"),
        f"{name}: models of one tool": timing.python(f"import {name}.models.{first}"),
        f"{name}: models of every tool": timing.python(
            f"from importlib import import_module as load\n"
            f"for name in {models}: load('{name}.models.' + name)"
        ),
    }


def runtime() -> list[Row]:
    """Count the modules of the runtime, and those that importing a client loads."""
    with tempfile.TemporaryDirectory() as folder:
        generated = generate(synthetic.contract(1), Options(name="tools1"))
        write.write(generated.files, Path(folder) / "tools1")
        code = "import sys; from tools1 import Client; print(*sys.modules)"
        run = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=folder
        )
    loaded = run.stdout.split()
    texts = [file.read_text("utf-8") for file in Path(mcpgen_runtime.__file__).parent.rglob("*.py")]
    return [
        {
            "files": len(texts),
            "lines": sum(text.count("\n") for text in texts),
            "bytes": sum(len(text.encode()) for text in texts),
            "loaded by the client": sum(name.startswith("mcpgen_runtime") for name in loaded),
            "modules loaded in all": len(loaded),
        }
    ]


def main() -> None:
    """Print all tables."""
    repeat = timing.repeat(__doc__ or "", 15)
    print("The command\n")
    print(timing.table(start(repeat)))
    print("\nGenerated packages\n")
    print(timing.table(packages(repeat)))
    print("\nThe runtime\n")
    print(timing.table(runtime()))


if __name__ == "__main__":
    main()
