"""Writes packages as this version generates them into tests/compat, at each minor release.

The tests there run them on every later runtime of the same major version (before 1.0: of the same
minor version).
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from mcpgen import __version__
from mcpgen.codegen.pipeline import STYLES, Options, ServerOptions, generate, generate_server
from mcpgen.contract.document import read
from mcpgen.contract.handwritten import parse
from mcpgen.files import write
from mcpgen.jsontext import loads

ROOT = Path(__file__).resolve().parents[1]
VERSION = ".".join(__version__.split(".")[:2])


def main() -> int:
    """Write three clients, one in each style, and a server."""
    folder = ROOT / "tests" / "compat" / VERSION
    shutil.rmtree(folder, ignore_errors=True)
    contract = read(loads((ROOT / "golden" / "demo" / "contract.json").read_bytes()))
    for style in STYLES:
        options = Options(name=f"compat_{style}", style=style)
        write.write(generate(contract, options).files, folder / options.name)
    file = ROOT / "golden" / "server-notes" / "contract.yaml"
    notes = read(parse(file.read_bytes(), str(file)))
    server = generate_server(notes, ServerOptions(name="compat_server", standalone=False))
    package = folder / "compat_server"
    own = {
        path.removeprefix("src/compat_server/"): text
        for path, text in server.own.items()
        if path.startswith("src/compat_server/")
    }
    write.write({**own, **{f"_generated/{p}": t for p, t in server.generated.items()}}, package)
    print(f"wrote {folder.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
