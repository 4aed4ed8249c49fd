"""The JSON of a result is at hand."""

from __future__ import annotations

import copy
import pickle
from datetime import date

import mcpgen_runtime
from mcpgen_runtime.models import raw
from pydantic import TypeAdapter
from runtime.packages import package, part
from typed_values import WHOLE, alike


def test_the_json_of_a_result_is_at_hand() -> None:
    value = TypeAdapter(package().OrderOutput).validate_python(WHOLE, by_alias=True)
    raw.remember(value, WHOLE)
    assert mcpgen_runtime.raw_json(value) is WHOLE
    assert mcpgen_runtime.raw_json(value.item) is WHOLE["item"]
    assert mcpgen_runtime.raw_json(value.item.parts) == WHOLE["item"]["parts"]
    assert mcpgen_runtime.raw_json(value.item.parts[0]) is WHOLE["item"]["parts"][0]
    assert mcpgen_runtime.raw_json(copy.deepcopy(value)) == WHOLE
    assert mcpgen_runtime.raw_json(pickle.loads(pickle.dumps(value))) == WHOLE


def test_raw_json_of_containers_holds_raw_items() -> None:
    items = [{"id": "A", "price": 1}, {"id": "B", "price": 2.0, "x": 1}]
    kind = package().OrderOutputItem if hasattr(package(), "OrderOutputItem") else None
    kind = kind or part(package(), "models.order").OrderOutputItem
    values = TypeAdapter(list[kind]).validate_python(items)
    raw.remember(values, items)
    assert alike(mcpgen_runtime.raw_json(values), items)
    assert alike(mcpgen_runtime.raw_json(values[1]), items[1])
    by_name = {"b": values[1]}
    assert alike(mcpgen_runtime.raw_json(by_name), {"b": items[1]})
    assert mcpgen_runtime.raw_json([1, "a", None, date(2026, 1, 1)]) == [1, "a", None, "2026-01-01"]


def test_raw_json_of_a_constructed_object_is_its_content() -> None:
    item = part(package(), "models.order").OrderOutputItem(id="A", price=1)
    assert mcpgen_runtime.raw_json(item) == {"id": "A", "price": 1}
    assert mcpgen_runtime.raw_json([item])[0]["id"] == "A"
