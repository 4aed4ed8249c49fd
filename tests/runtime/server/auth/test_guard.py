"""A server over HTTP requires a token, and scopes for some calls."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest
from guarded import open_app, post, result, serving
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcpgen_runtime.server import JwtAuth, app
from starlette.applications import Starlette
from starlette.routing import Mount
from token_issuer import RESOURCE, DpopKey, Issuer

METADATA = "https://books.example.com/.well-known/oauth-protected-resource"


def run(function: Any) -> None:
    anyio.run(function)


def test_call_without_token_is_challenged_with_the_metadata_url(server: Any, auth: JwtAuth) -> None:
    async def check() -> None:
        async with open_app(server, auth=auth) as client:
            response = await post(client, None)
            challenge = response.headers["www-authenticate"]
            assert response.status_code == 401
            assert challenge == f'Bearer resource_metadata="{METADATA}/mcp"'
            document = (await client.get(f"{METADATA}/mcp")).json()
            assert document["resource"] == RESOURCE
            assert document["authorization_servers"] == [auth.issuer]
            assert document["scopes_supported"] == ["books:admin", "books:read", "books:write"]

    run(check)


def test_metadata_of_another_resource_is_not_served(server: Any, auth: JwtAuth) -> None:
    async def check() -> None:
        async with open_app(server, auth=auth) as client:
            assert (await client.get(f"{METADATA}/other")).status_code == 404
            assert (await client.get(METADATA)).status_code == 200
            assert (await client.post(METADATA)).status_code == 405
            preflight = await client.options(METADATA)
            assert preflight.headers["access-control-allow-origin"] == "*"

    run(check)


def test_health_checks_need_no_token(server: Any, auth: JwtAuth) -> None:
    async def check() -> None:
        async with open_app(server, auth=auth) as client:
            assert (await client.get("/healthz")).status_code == 200

    run(check)


def test_valid_token_identifies_the_caller(server: Any, auth: JwtAuth, issuer: Issuer) -> None:
    async def check() -> None:
        async with open_app(server, auth=auth) as client:
            answer = result(await post(client, issuer.token()))
            assert answer["content"][0]["text"] == "ada"

    run(check)


@pytest.mark.parametrize(
    ("header", "error"),
    [
        ("Basic YTpi", "invalid_request"),
        ("Bearer", "invalid_token"),
        ("Bearer garbage", "invalid_token"),
        ("Token x", "invalid_request"),
    ],
)
def test_other_authorization_is_refused(
    server: Any, auth: JwtAuth, header: str, error: str
) -> None:
    async def check() -> None:
        async with open_app(server, auth=auth) as client:
            response = await post(client, None, headers={"authorization": header})
            assert response.status_code == 401
            assert f'error="{error}"' in response.headers["www-authenticate"]

    run(check)


def test_two_authorization_headers_are_refused(server: Any, auth: JwtAuth, issuer: Issuer) -> None:
    async def check() -> None:
        async with open_app(server, auth=auth) as client:
            token = f"Bearer {issuer.token()}"
            headers = [("authorization", token), ("authorization", token)]
            response = await client.post("/mcp", headers=headers, content=b"{}")
            assert response.status_code == 401

    run(check)


def test_token_in_the_query_is_ignored(server: Any, auth: JwtAuth, issuer: Issuer) -> None:
    async def check() -> None:
        async with open_app(server, auth=auth) as client:
            response = await post(client, None, path=f"/mcp?access_token={issuer.token()}")
            assert response.status_code == 401

    run(check)


CALLS = [
    ("tools/call", {"name": "find", "arguments": {}}, ""),
    ("tools/call", {"name": "add", "arguments": {}}, "books:write"),
    ("tools/call", {"name": "drop", "arguments": {}}, "books:admin books:write"),
    ("prompts/get", {"name": "hello"}, ""),
    ("prompts/get", {"name": "secret"}, "books:read"),
    ("resources/read", {"uri": "doc://a"}, ""),
    ("resources/read", {"uri": "doc://b"}, "books:read"),
    ("resources/read", {"uri": "doc://open/1"}, ""),
    ("resources/read", {"uri": "doc://other/1"}, "books:read"),
    (
        "completion/complete",
        {"ref": {"type": "ref/prompt", "name": "secret"}, "argument": {"name": "x", "value": ""}},
        "books:read",
    ),
    (
        "subscriptions/listen",
        {"notifications": {"resourceSubscriptions": ["doc://a", "doc://b"]}},
        "books:read",
    ),
]


@pytest.mark.parametrize(("method", "params", "needed"), CALLS)
def test_call_without_its_scopes_is_refused_with_status_403(  # noqa: PLR0917 - fixtures and cases
    server: Any, auth: JwtAuth, issuer: Issuer, method: str, params: Any, needed: str
) -> None:
    async def check() -> None:
        async with open_app(server, auth=auth) as client:
            if needed:
                for scope in ("", "other", *needed.split()[1:]):
                    response = await post(client, issuer.token(scope), method, params)
                    assert response.status_code == 403
                    challenge = response.headers["www-authenticate"]
                    assert 'error="insufficient_scope"' in challenge
                    assert f'scope="{needed}"' in challenge
                    assert f'resource_metadata="{METADATA}/mcp"' in challenge
            if method != "subscriptions/listen":  # whose response doesn't end
                answer = result(await post(client, issuer.token(needed), method, params))
                assert not answer.get("isError")

    run(check)


@pytest.mark.parametrize(
    ("scope", "tools"),
    [
        ("", ["find"]),
        ("books:write", ["find", "add"]),
        ("books:write books:admin", ["find", "add", "drop"]),
    ],
)
def test_lists_are_private_and_lack_tools_whose_scopes_are_missing(
    server: Any, auth: JwtAuth, issuer: Issuer, scope: str, tools: list[str]
) -> None:
    async def check() -> None:
        async with open_app(server, auth=auth) as client:
            listed = result(await post(client, issuer.token(scope), "tools/list", {}))
            assert [tool["name"] for tool in listed["tools"]] == tools
            assert listed["cacheScope"] == "private"
            prompts = result(await post(client, issuer.token(scope), "prompts/list", {}))
            assert [prompt["name"] for prompt in prompts["prompts"]] == ["hello"]
            resources = result(await post(client, issuer.token(scope), "resources/list", {}))
            assert [resource["uri"] for resource in resources["resources"]] == ["doc://a"]

    run(check)


def test_resource_of_a_server_with_scopes_is_private(
    server: Any, auth: JwtAuth, issuer: Issuer
) -> None:
    async def check() -> None:
        async with open_app(server, auth=auth) as client:
            read = result(await post(client, issuer.token(), "resources/read", {"uri": "doc://a"}))
            assert read["ttlMs"] == 5_000
            assert read["cacheScope"] == "private"

    run(check)


def test_legacy_client_is_held_to_the_same_scopes(
    server: Any, auth: JwtAuth, issuer: Issuer
) -> None:
    async def check() -> None:
        async with open_app(server, auth=auth) as client:
            headers = {
                "authorization": f"Bearer {issuer.token()}",
                "accept": "application/json, text/event-stream",
            }
            initialize = {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            }
            opened = await client.post("/mcp", headers=headers, json=_message(1, initialize))
            headers["mcp-session-id"] = opened.headers["mcp-session-id"]
            listed = await client.post("/mcp", headers=headers, json=_message(2, {}, "tools/list"))
            assert [tool["name"] for tool in result(listed)["tools"]] == ["find"]
            call = _message(3, {"name": "add", "arguments": {}}, "tools/call")
            refused = await client.post("/mcp", headers=headers, json=call)
            assert refused.status_code == 403
            headers["authorization"] = f"Bearer {issuer.token(sub='eve')}"
            stolen = await client.post("/mcp", headers=headers, json=_message(4, {}, "tools/list"))
            assert stolen.status_code == 404

    run(check)


def _message(number: int, params: Any, method: str = "initialize") -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def test_scopes_for_every_request_are_in_the_first_challenge(server: Any, issuer: Issuer) -> None:
    auth = JwtAuth(
        issuer="https://auth.example.com",
        resource=RESOURCE,
        jwks_url=issuer.jwks_url,
        algorithm="ES256",
        scopes="use books",
    )

    async def check() -> None:
        async with open_app(server, auth=auth) as client:
            challenge = (await post(client, None)).headers["www-authenticate"]
            assert 'scope="books use"' in challenge
            assert (await post(client, issuer.token("books"))).status_code == 403
            result(await post(client, issuer.token("books use")))
            call = {"name": "add", "arguments": {}}
            response = await post(client, issuer.token("books use"), params=call)
            assert 'scope="books books:write use"' in response.headers["www-authenticate"]

    run(check)


def test_duplicate_member_name_does_not_bypass_scopes(
    server: Any, auth: JwtAuth, issuer: Issuer
) -> None:
    async def check() -> None:
        async with open_app(server, auth=auth) as client:
            for names in (("find", "add"), ("add", "find")):
                response = await _call_both(client, issuer.token(), names)
                # Either refused, or the tool that needs no scope has run.
                if response.status_code == 200:
                    assert result(response)["content"][0]["text"] == "ada"
                else:
                    assert response.status_code in (400, 403)

    run(check)


async def _call_both(client: Any, token: str, names: tuple[str, str]) -> Any:
    headers = {
        "authorization": f"Bearer {token}",
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
    }
    initialize = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    opened = await client.post("/mcp", headers=headers, json=_message(1, initialize))
    headers["mcp-session-id"] = opened.headers["mcp-session-id"]
    text = json.dumps(_message(2, {"name": "NAME", "arguments": {}}, "tools/call"))
    twice = text.replace('"name": "NAME"', f'"name": "{names[0]}", "name": "{names[1]}"')
    return await client.post("/mcp", headers=headers, content=twice)


def test_scopes_without_authorization_are_refused_at_the_start(server: Any) -> None:
    with pytest.raises(ValueError, match="auth is needed"):
        app(server)


def test_application_of_the_sdk_does_not_bypass_scopes(server: Any) -> None:
    async def check() -> None:
        async with serving(server.streamable_http_app(host="books.example.com")) as client:
            answer = result(await post(client, None, params={"name": "add", "arguments": {}}))
            assert answer["isError"]
            assert "needs the scope books:write" in answer["content"][0]["text"]

    run(check)


def in_starlette(inner: Starlette) -> Any:
    return Starlette(routes=[Mount("/tools", inner)], lifespan=inner.router.lifespan_context)


def in_fastapi(inner: Starlette) -> Any:
    from fastapi import FastAPI

    outer = FastAPI(lifespan=inner.router.lifespan_context)
    outer.mount("/tools", inner)
    return outer


@pytest.mark.parametrize(
    "mount", [in_starlette, pytest.param(in_fastapi, marks=pytest.mark.services)]
)
def test_mounted_application_serves_its_metadata_below_its_path(
    mount: Any, server: Any, issuer: Issuer
) -> None:
    auth = JwtAuth(
        issuer="https://auth.example.com",
        resource="https://books.example.com/tools/mcp",
        jwks_url=issuer.jwks_url,
        algorithm="ES256",
    )

    async def check() -> None:
        inner = app(server, allowed=["books.example.com"], auth=auth)
        async with serving(mount(inner)) as client:
            response = await post(client, None, path="/tools/mcp")
            url = "https://books.example.com/tools/.well-known/oauth-protected-resource/mcp"
            assert f'resource_metadata="{url}"' in response.headers["www-authenticate"]
            assert (await client.get(url)).json()["resource"] == auth.resource
            assert (await client.get("/tools/readyz")).status_code == 200
            token = issuer.token(aud=auth.resource)
            result(await post(client, token, path="/tools/mcp"))

    run(check)


def test_bound_token_needs_a_fresh_proof_for_each_request(
    server: Any, auth: JwtAuth, issuer: Issuer
) -> None:
    key = DpopKey()

    async def check() -> None:
        async with open_app(server, auth=auth) as client:
            token = issuer.token(cnf={"jkt": key.thumbprint})
            stolen = await post(client, token)
            assert stolen.status_code == 401
            assert stolen.headers["www-authenticate"].startswith("DPoP ")
            headers = {"dpop": key.proof(token)}
            result(await post(client, token, scheme="DPoP", headers=headers))
            replayed = await post(client, token, scheme="DPoP", headers=headers)
            assert replayed.status_code == 401
            assert 'error="invalid_dpop_proof"' in replayed.headers["www-authenticate"]
            assert "used before" in replayed.headers["www-authenticate"]
            unbound = issuer.token()
            headers = {"dpop": key.proof(unbound)}
            other = await post(client, unbound, scheme="DPoP", headers=headers)
            assert other.status_code == 401

    run(check)


class Verifier:
    """A verifier as an author writes it with the SDK."""

    async def verify_token(self, token: str) -> AccessToken | None:
        resources = {"good": RESOURCE, "other": "https://other.example.com/mcp", "unknown": None}
        if token not in resources:
            return None
        return AccessToken(token=token, client_id="app", scopes=[], resource=resources[token])


@pytest.mark.parametrize("strict", [False, True])
def test_sdk_verifier_does_not_admit_a_token_for_another_resource(
    server: Any, strict: bool
) -> None:
    settings = AuthSettings(
        issuer_url="https://auth.example.com",  # type: ignore[arg-type]
        resource_server_url=RESOURCE,  # type: ignore[arg-type]
        validate_token_resource=strict,
    )

    async def check() -> None:
        async with open_app(server, auth=settings, token_verifier=Verifier()) as client:
            statuses = {
                token: (await post(client, token)).status_code
                for token in ("good", "other", "unknown", "bad")
            }
            unknown = 401 if strict else 200
            assert statuses == {"good": 200, "other": 401, "unknown": unknown, "bad": 401}

    run(check)


def test_settings_of_the_sdk_without_a_verifier_are_refused(server: Any) -> None:
    settings = AuthSettings(
        issuer_url="https://auth.example.com",  # type: ignore[arg-type]
        resource_server_url=RESOURCE,  # type: ignore[arg-type]
        validate_token_resource=True,
    )
    with pytest.raises(ValueError, match="token_verifier"):
        app(server, auth=settings)
