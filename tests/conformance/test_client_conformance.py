"""The official conformance suite against clients generated from its servers' definitions.

A scenario passes by its network traffic, and the driver, ``conformance/client/drive.py``, must exit
successfully. The SDK's providers, passed as ``auth``, handle authorization scenarios. Proofs of
possession and workload identities, which the SDK doesn't support, are skipped.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import conforming
import forked
import pytest
from checkers import write
from paths import SUPPORT

from mcpgen.codegen.pipeline import Options, generate
from mcpgen.contract.document import read
from mcpgen.contract.handwritten import parse

FIXTURES = SUPPORT / "conformance" / "client"
REVISIONS = ("2025-11-25", "2026-07-28")

AUTHORIZED = {
    f"auth/{name}"
    for name in """
        metadata-default metadata-var1 metadata-var2 metadata-var3 basic-cimd pre-registration
        scope-from-www-authenticate scope-from-scopes-supported scope-omitted-when-undefined
        scope-step-up scope-retry-limit token-endpoint-auth-basic token-endpoint-auth-post
        token-endpoint-auth-none
    """.split()
}
AUTHORIZED_SINCE_2026 = {
    f"auth/{name}"
    for name in """
        resource-mismatch offline-access-scope offline-access-not-supported
        authorization-server-migration iss-supported iss-not-advertised iss-supported-missing
        iss-wrong-issuer iss-unexpected iss-normalized metadata-issuer-mismatch
    """.split()
}
SCORED = {
    "2025-11-25": {
        "initialize",
        "tools_call",
        "elicitation-sep1034-client-defaults",
        "sse-retry",
        *AUTHORIZED,
    },
    "2026-07-28": {
        "tools_call",
        "request-metadata",
        "sep-2322-client-request-state",
        "http-standard-headers",
        "http-custom-headers",
        "http-invalid-tool-headers",
        "json-schema-ref-no-deref",
        *AUTHORIZED,
        *AUTHORIZED_SINCE_2026,
    },
}
UNSCORED = {
    "json-schema-2020-12-preservation",
    "auth/client-credentials-basic",
    "auth/client-credentials-jwt",
    "auth/enterprise-managed-authorization",
}
MODULES = [
    f"mcp.client.auth.extensions.{name}" for name in ("client_credentials", "identity_assertion")
]
"""What takes longest to import."""
PATIENCE = 240
"""Seconds for a scenario: the suite starts all of them at once."""

pytestmark = [pytest.mark.network, pytest.mark.slow]


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A client for each revision, of one contract."""
    folder = tmp_path_factory.mktemp("packages")
    file = FIXTURES / "contract.yaml"
    contract = read(parse(file.read_bytes(), str(file)))
    for revision in REVISIONS:
        name = f"of_{revision.replace('-', '_')}"
        package = generate(replace(contract, revision=revision), Options(name=name))
        write(package.files, folder / name)
    return folder


@pytest.mark.parametrize("revision", REVISIONS)
def test_every_scored_scenario_passes(
    revision: str, packages: Path, cache: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "results"
    options = ["-o", str(folder), "--timeout", str(PATIENCE * 1000)]
    script = str(FIXTURES / "drive.py")
    with forked.serving(*MODULES) as command:
        options += ["--command", f"{' '.join(command)} {script} {packages}"]
        verdicts = conforming.run(cache, "client", revision, *options)
    assert set(verdicts.scored) == SCORED[revision], verdicts.output
    for name in SCORED[revision] | UNSCORED:
        output = next(folder.glob(f"{name}-2*/stderr.txt")).read_text()
        assert {**verdicts.scored, **verdicts.unscored}[name], f"{name}: {output}"
        assert "Traceback" not in output, f"{name}: {output}"
