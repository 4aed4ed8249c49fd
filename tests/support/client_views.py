"""Clients whose views are tested."""

from __future__ import annotations

from runtime.packages import package

SHOP = package()


ITEM = {"id": "A", "price": 1}
