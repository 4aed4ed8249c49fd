"""HTTP errors have status and headers, and ask for authorization."""

from __future__ import annotations

from typing import Any

import anyio
import httpx2
import pytest
from broken_connections import MADE, MODERN, failing_call
from mcp.client.streamable_http import streamable_http_client
from mcpgen_runtime.connection import http_errors
from mcpgen_runtime.connection.routing import routes
from mcpgen_runtime.connection.wire import faults as runtime_faults
from mcpgen_runtime.package import package_of_module
from runtime.packages import package
from runtime.web import raw_web


@pytest.mark.sampled(2)
@pytest.mark.parametrize("client_package", [MADE, MODERN], ids=["legacy", "modern"])
@pytest.mark.parametrize("status", [402, 404, 409, 429, 500, 503])
def test_http_error_of_a_call_has_status_and_headers(client_package: Any, status: int) -> None:
    with raw_web(f"call {status}") as (url, _):
        error: Any = failing_call(url, client_package=client_package, retry=None)
    assert isinstance(error, client_package.HttpError)
    assert (error.target, error.status, error.retry_after) == ("beg", status, 7.0)
    assert error.challenge == 'Bearer scope="admin"'
    assert "detail" in error.body


@pytest.mark.parametrize("status", [401, 403])
def test_authorization_may_be_asked_for_at_a_call(status: int) -> None:
    with raw_web(f"call {status}") as (url, _):
        error: Any = failing_call(url)
    assert isinstance(error, MADE.AuthorizationRequired)
    assert error.http.status == status
    assert error.http.challenge == 'Bearer scope="admin"'


@pytest.mark.parametrize("status", [401, 403, 429, 503])
def test_an_http_error_on_connecting_has_them_too(status: int) -> None:
    async def inside(url: str) -> Any:
        async with MADE.Client.connect(url):
            pass

    with raw_web(str(status)) as (url, _), pytest.raises(MADE.ConnectionFailed) as failed:
        anyio.run(inside, url)
    assert isinstance(failed.value, MADE.AuthorizationRequired) == (status in (401, 403))
    assert (failed.value.http.status, failed.value.http.retry_after) == (status, 7.0)


@pytest.mark.parametrize("has_client", [True, False])
def test_a_given_transport_is_asked_for_authorization_too(has_client: bool) -> None:
    async def inside(url: str) -> Any:
        async with httpx2.AsyncClient() as http:
            more: Any = {"http_client": http} if has_client else {}
            async with MADE.Client.connect(streamable_http_client(url, **more)):
                pass

    with raw_web("401") as (url, _), pytest.raises(MADE.AuthorizationRequired) as failed:
        anyio.run(inside, url)
    assert failed.value.http.status == 401


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("7", 7.0),
        ("", None),
        ("soon", None),
        ("-1", None),
        ("Fri, 31 Dec 1999 23:59:59 GMT", 0.0),
        ("9" * 400, 999999999.0),
        ("Fri, 99 Dec 1999 23:59:59 GMT", None),
    ],
)
def test_the_seconds_to_wait_are_read_as_http_says(text: str, seconds: float | None) -> None:
    errors, faults = http_errors, runtime_faults
    route = routes.Route("here", None, package_of_module(package().__name__))
    fault = faults.HttpRejection(429, {"retry-after": text})
    assert errors.request_error(fault, "t", route).retry_after == seconds
