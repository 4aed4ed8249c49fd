"""The golden cases, and the packages and projects generated from them."""

from __future__ import annotations

from paths import ROOT

from mcpgen.codegen.pipeline import Generated, Options, generate
from mcpgen.codegen.server_pipeline import GeneratedServer, ServerOptions, generate_server
from mcpgen.contract.document import Contract, read
from mcpgen.contract.handwritten import parse
from mcpgen.jsontext import loads
from mcpgen.project.observed import with_observed

GOLDEN = ROOT / "golden"
CASES = sorted(path.name for path in GOLDEN.iterdir() if not path.name.startswith("server-"))
REFUSED = [case for case in CASES if case.startswith("refused-")]
ACCEPTED = [case for case in CASES if case not in REFUSED]
SERVERS = sorted(path.name for path in (ROOT / "golden").glob("server-*"))


def options(case: str) -> list[str]:
    """Return the command-line options of a case, one per line: name = "value"."""
    path = GOLDEN / case / "options.toml"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    pairs = [line.replace('"', "").split(" = ") for line in lines]
    return [f"--{name}={value}" for name, value in pairs]


def package(case: str) -> Generated:
    arguments = dict(option.removeprefix("--").split("=") for option in options(case))
    return generate(load_contract(case), Options(**arguments))  # type: ignore[arg-type] # checked by Options


def load_contract(case: str) -> Contract:
    """Return the contract of a case with its observed types."""
    contract = read(loads((GOLDEN / case / "contract.json").read_bytes()))
    observed = GOLDEN / case / "contract.observed.json"
    if observed.exists():
        contract, _ = with_observed(contract, observed.read_bytes(), observed.name)
    return contract


def generate_case(case: str) -> GeneratedServer:
    file = ROOT / "golden" / case / "contract.yaml"
    contract = read(parse(file.read_bytes(), str(file)))
    return generate_server(contract, ServerOptions(docker=True, standalone=False))
