"""Names that models and clients already use."""

from __future__ import annotations

import pydantic

from mcpgen.codegen import naming, reserved_names


def test_reserved_names_cover_model_attributes() -> None:
    class Model(pydantic.BaseModel):
        pass

    own = {name for name in dir(Model) if name[0] != "_" and name[:6] != "model_"}
    assert own <= reserved_names.MODEL


def test_fields_do_not_shadow_model_attributes() -> None:
    used = ["json", "copy", "schema", "validate", "model_config", "model_id"]
    assert naming.members(used, "basemodel") == {name: f"{name}_" for name in used}
    assert naming.members(["type", "fields"], "basemodel") == {"type": "type", "fields": "fields"}
