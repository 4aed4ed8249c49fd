"""A generated server rejects hostile requests, directly and behind nginx."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from hostile_requests import REQUESTS, Endpoint, Hostile, behind_nginx, generated_server, judge

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")


@pytest.fixture(scope="module")
def direct(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    with generated_server(tmp_path_factory.mktemp("hostile")) as endpoint:
        yield endpoint


@pytest.fixture(scope="module")
def behind_proxy(direct: Endpoint) -> Iterator[Endpoint]:
    with behind_nginx(direct) as endpoint:
        yield endpoint


def names(request: Hostile) -> str:
    return request.name


@pytest.mark.slow
@pytest.mark.parametrize("request_", REQUESTS, ids=names)
def test_hostile_request_has_its_expected_outcome(request_: Hostile, direct: Endpoint) -> None:
    verdict = judge(request_, direct)
    assert verdict.is_expected, verdict.text


@pytest.mark.services
@pytest.mark.parametrize("request_", REQUESTS, ids=names)
def test_hostile_request_has_its_expected_outcome_behind_nginx(
    request_: Hostile, behind_proxy: Endpoint
) -> None:
    verdict = judge(request_, behind_proxy)
    assert verdict.is_expected, verdict.text


def test_there_are_thirty() -> None:
    assert len({request.name for request in REQUESTS}) == 30
