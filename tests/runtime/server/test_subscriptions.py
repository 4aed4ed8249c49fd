"""Clients are notified of changes, in both protocols."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
from authored import server
from guards import PATIENCE
from mcp import Client, types
from odd_servers import DECLARED, comes

RESOURCE = {"resources": [{"uri": "odd://a", "name": "a"}]}


def test_modern_client_is_notified_of_changes(tmp_path: Path) -> None:
    body = "async def give(self, arguments, context): return ''"

    async def watch(package: Any, changes: Any) -> list[Any]:
        results: list[Any] = []
        async with Client(package) as client:
            with anyio.fail_after(PATIENCE):
                async with client.listen(resource_subscriptions=["odd://a"]) as events:
                    await changes.updated("odd://a")
                    async for event in events:
                        results.append(event)
                        break
        return results

    with server(tmp_path, {"give": {}}, body, **DECLARED, **RESOURCE) as odd:
        generated = __import__("odd._generated")._generated
        changes = generated.Subscriptions()
        resources = __import__("odd.resources").resources
        policy = odd.Policy(subscriptions=changes)
        result = odd.create(odd.Tools(), resources.Resources(), policy)
        (event,) = anyio.run(watch, result, changes)
    assert event.uri == "odd://a"


def test_legacy_client_is_notified_of_changes(tmp_path: Path) -> None:
    body = "async def give(self, arguments, context): return ''"
    messages: list[str] = []

    async def hear(message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            messages.append(str(message.params.uri))

    async def watch(package: Any, changes: Any) -> None:
        async with Client(package, mode="legacy", message_handler=hear) as client:
            for kind, params in (
                (types.SubscribeRequest, types.SubscribeRequestParams(uri="odd://a")),
                (types.UnsubscribeRequest, types.UnsubscribeRequestParams(uri="odd://a")),
            ):
                await client.session.send_request(kind(params=params), types.EmptyResult)
                await changes.updated("odd://a")
                await changes.updated("odd://b")
                await comes(lambda: bool(messages))
            await anyio.sleep(0.1)  # time for an unexpected notification

    with server(tmp_path, {"give": {}}, body, **DECLARED, **RESOURCE) as odd:
        generated = __import__("odd._generated")._generated
        changes = generated.Subscriptions()
        resources = __import__("odd.resources").resources
        policy = odd.Policy(subscriptions=changes)
        result = odd.create(odd.Tools(), resources.Resources(), policy)
        anyio.run(watch, result, changes)
    assert messages == ["odd://a"]
