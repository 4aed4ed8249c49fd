"""The files that `mcpgen server --docker` writes."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

import pytest
import yaml
from mcpgen_runtime.server import Introspection, JwtAuth
from skeletons import demo

from mcpgen.codegen.server_pipeline import ServerOptions, generate_server


def test_compose_file_publishes_only_the_proxy() -> None:
    project = generate_server(
        demo(), ServerOptions(docker=True, redis=True, auth="jwt", standalone=False)
    )
    compose = yaml.safe_load(project.own["compose.yaml"])
    services = compose["services"]
    assert [name for name in services if "ports" in services[name]] == ["nginx"]
    assert set(services) == {"nginx", "redis", "server"}
    server, redis = services["server"], services["redis"]
    assert server["deploy"]["replicas"] == 2
    assert server["depends_on"] == {"redis": {"condition": "service_healthy"}}
    assert services["nginx"]["depends_on"] == {"server": {"condition": "service_healthy"}}
    required = [name for name, value in server["environment"].items() if ":?" in value]
    assert required == [
        "REDIS_URL",
        "MCPGEN_STATE_KEYS",
        "MCPGEN_AUTH_ISSUER",
        "MCPGEN_AUTH_RESOURCE",
        "MCPGEN_AUTH_JWKS_URL",
    ]
    assert redis["environment"]["REDIS_PASSWORD"].startswith("${REDIS_PASSWORD:?")
    assert all("healthcheck" in services[name] for name in ("nginx", "redis"))
    assert "HEALTHCHECK" in project.own["Dockerfile"]
    proxy = services["nginx"]["networks"]["inner"]["ipv4_address"]
    assert server["command"][server["command"].index("--trust-proxy") + 1] == proxy
    assert "ENV PIP_FIND_LINKS=/app/wheels" in project.own["Dockerfile"]
    assert "wheels/README.md" in project.own


@pytest.mark.parametrize(("kind", "settings"), [("jwt", JwtAuth), ("introspection", Introspection)])
def test_compose_file_passes_each_variable_of_authorization(kind: str, settings: Any) -> None:
    project = generate_server(demo(), ServerOptions(docker=True, auth=kind))
    environment = yaml.safe_load(project.own["compose.yaml"])["services"]["server"]["environment"]
    variables = {
        member.metadata["variable"]: member.default is MISSING
        for member in fields(settings)
        if "variable" in member.metadata
    }
    assert environment.keys() == variables.keys()
    for name, is_required in variables.items():
        assert (":?" in environment[name]) == is_required, name


def test_compose_file_of_a_small_server_needs_no_variable() -> None:
    project = generate_server(demo(), ServerOptions(docker=True, standalone=True))
    compose = yaml.safe_load(project.own["compose.yaml"])
    assert set(compose["services"]) == {"nginx", "server"}
    assert "environment" not in compose["services"]["server"]
    assert ":?" not in project.own["compose.yaml"]
    assert "wheels/README.md" not in project.own
