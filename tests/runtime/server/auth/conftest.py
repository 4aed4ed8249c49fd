"""Fixtures: a generated server for all tests, and a new issuer for each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from guarded import library
from mcpgen_runtime.server import JwtAuth
from token_issuer import ISSUER, RESOURCE, Issuer, serving


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with library(tmp_path_factory.mktemp("library")) as server:
        yield server


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with serving(Issuer("ES256")) as issuer:
        yield issuer


@pytest.fixture
def auth(issuer: Issuer) -> JwtAuth:
    return JwtAuth(
        issuer=ISSUER, resource=RESOURCE, jwks_url=issuer.jwks_url, algorithm=issuer.algorithm
    )
