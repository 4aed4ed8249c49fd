"""Clients for calls through the whole pipeline."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from runtime.packages import STYLES, package

SHOP = package()

CANARY = "canary-5ecret"


async def slow(ctx: Any, params: Any) -> Any:
    del ctx, params
    await anyio.sleep_forever()


ITEM = {"id": "A", "price": 1}

ORDERED = {"item": ITEM}


every_style = pytest.mark.parametrize("style", STYLES)
