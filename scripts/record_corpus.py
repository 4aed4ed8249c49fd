"""Record the small corpus in tests/support/corpus from the packages that servers.toml pins.

    python scripts/record_corpus.py [NAME]...

Needs Node, npm and a network. Each server is installed into .cache/corpus and started without any
of its variables set. Writes live/NAME.json, a server's lists in the form of the protocol, and
licenses/NAME.txt, the license and the notice of its package.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT / "tests" / "support" / "corpus"
CACHE = ROOT / ".cache" / "corpus"
BIN = "Scripts" if os.name == "nt" else "bin"


def main(names: list[str]) -> None:
    servers = tomllib.loads((CORPUS / "servers.toml").read_text(encoding="utf-8"))
    for name in names or sorted(servers):
        server = servers[name]
        folder = install(name, server["package"])
        document = lists(record(folder, server["command"]), server)
        text = json.dumps(document, indent=1, ensure_ascii=False, sort_keys=False)
        write(CORPUS / "live" / f"{name}.json", f"{text}\n")
        write(CORPUS / "licenses" / f"{name}.txt", license_texts(folder, server["package"]))
        print(f"{name}: {len(document['tools'])} tools, {len(text):,} characters")


def install(name: str, package: str) -> Path:
    """Install a package into a folder of its own, and return the folder."""
    folder = CACHE / name
    if "==" in package:
        if not (folder / BIN).is_dir():
            venv.create(folder, with_pip=True)
        subprocess.run([folder / BIN / "python", "-m", "pip", "install", "-q", package], check=True)
    else:
        folder.mkdir(parents=True, exist_ok=True)
        options = ["--silent", "--ignore-scripts", "--no-audit", "--no-fund"]
        subprocess.run(["npm", "install", *options, package], cwd=folder, check=True)
    return folder


def record(folder: Path, command: list[str]) -> dict[str, Any]:
    """Return the contract of an installed server."""
    program = next(
        path
        for folder_ in (folder / BIN, folder / "node_modules" / ".bin")
        if (path := folder_ / command[0]).exists()
    )
    completed = subprocess.run(
        [sys.executable, "-m", "mcpgen", "record", "-q", "--", program, *command[1:]],
        stdout=subprocess.PIPE,
        cwd=folder,
        check=True,
    )
    contract: dict[str, Any] = json.loads(completed.stdout)
    return contract


def lists(contract: dict[str, Any], server: dict[str, Any]) -> dict[str, Any]:
    """Convert a contract to the lists that the server sent, in the server's order."""
    tools = contract["tools"]
    order = contract.get("order", {}).get("tools", sorted(tools))
    return {
        "source": {"package": server["package"], "license": server["license"]},
        "serverInfo": contract["server"],
        "protocolVersion": contract["revision"],
        "capabilities": contract.get("capabilities", {}),
        "tools": [tools[name]["definition"] for name in order],
        **{
            kind: list(contract.get(kind, {}).values())
            for kind in ("resources", "resourceTemplates", "prompts")
        },
    }


def license_texts(folder: Path, package: str) -> str:
    """Return the license and the notice of a package, with its name."""
    name, is_python, _ = package.partition("==")
    if is_python:
        normal = re.sub(r"[-.]", "_", name)
        paths = folder.glob(f"lib/*/site-packages/{normal}-*/**/*")
    else:
        paths = (folder / "node_modules" / package.rpartition("@")[0]).glob("*")
    files = [path for path in sorted(paths) if path.stem.upper() in ("LICENSE", "NOTICE")]
    if not files:
        raise SystemExit(f"error: {package} has no license file")
    texts = [path.read_text(encoding="utf-8").strip() for path in files]
    return "\n\n".join([f"The definitions are from {package}.", *texts]) + "\n"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
