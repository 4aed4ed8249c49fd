"""A server of a community garden with the SDK's low-level server. SEEDED_BUG names its bugs."""

from __future__ import annotations

import base64
import json
import os
import sys
import traceback
from typing import Any

import anyio
from mcp import MCPError, types
from sdk import (
    BODIES,
    DESTROYS,
    READ,
    SAFE,
    serve,
    tool,
    user_prompt,
    valid_arguments,
    validators,
)
from stdio import TEXT, bug, integral, listed, obj

WAV = base64.b64encode(b"RIFF\x24\0\0\0WAVEfmt " + b"\0" * 32).decode()
PDF = base64.b64encode(b"%PDF-1.4\n" + b"\0" * 32).decode()


def nullable(schema: Any) -> Any:
    return {"anyOf": [schema, {"type": "null"}]}


BED_ID = {"type": "string", "description": "Bed ID, such as bed_1", "pattern": "^bed_[0-9]+$"}
PLANT_ID = {"type": "integer", "description": "Plant ID", "minimum": 1}
WORD = {"type": "string", "minLength": 1, "maxLength": 30}
POINT = obj(["x", "y"], x={"type": "number"}, y={"type": "number"})
SOIL = {
    "oneOf": [
        obj(["kind", "ph"], kind={"const": "measured"}, ph={"type": "number"}),
        obj(["kind"], kind={"const": "unknown"}, since={"type": "string", "format": "date"}),
    ]
}
BED = obj(
    ["id", "title", "sunny", "soil", "corner", "labels"],
    id=BED_ID,
    title=TEXT,
    sunny={"type": "boolean"},
    soil=SOIL,
    corner=POINT,
    labels={"type": "object", "additionalProperties": {"type": "string"}},
)
PLANT = obj(
    ["id", "bed", "species", "height", "companions", "comment"],
    id=PLANT_ID,
    bed=BED_ID,
    species=TEXT,
    height={"type": "integer"},
    companions=listed({"type": "integer"}),
    comment=nullable(TEXT),
)
RULE = {
    "oneOf": [
        obj(["when"], when={"enum": ["dry", "hot", "weekly"]}),
        obj(["all"], all=listed({"$ref": "#/$defs/rule"}, minItems=1, maxItems=3)),
        obj(["not"], **{"not": {"$ref": "#/$defs/rule"}}),
    ]
}


class Refused(Exception):
    """The tool fails; its text is the result."""


class Garden:
    """The beds, the plants and the watering log."""

    def __init__(self) -> None:
        self.beds: dict[str, Any] = {}
        self.plants: dict[int, Any] = {}
        self.log: list[Any] = []
        self.seeds = {"tomato": 20, "bean": 5, "dill": 0}
        self.settings = {"unit": "cm", "watering": "weekly"}
        self.last_bed = self.last_plant = 0
        self.blocks: list[bytes] = []
        self.reads = 0
        self.mail = ""
        for number in range(5):
            soil = {"kind": "measured", "ph": 6.5} if number % 2 else {"kind": "unknown"}
            self.bed(f"Bed {number}", bool(number % 2), soil, {"x": number, "y": 0}, {"a": "b"})
        for number in range(26):
            comment = "big" if number % 2 else None
            self.plant(f"bed_{number % 4 + 1}", "tomato", 10 * number, [1][:number], comment)

    def bed(self, title: str, sunny: bool, soil: Any, corner: Any, labels: Any) -> Any:
        self.last_bed += 1
        bed = {"id": f"bed_{self.last_bed}", "title": title, "sunny": sunny, "soil": soil}
        self.beds[bed["id"]] = {**bed, "corner": corner, "labels": labels}
        return self.beds[bed["id"]]

    def plant(self, bed: str, species: str, height: int, companions: Any, comment: Any) -> Any:
        self.last_plant += 1
        plant = {"id": self.last_plant, "bed": bed, "species": species, "height": height}
        self.plants[self.last_plant] = {**plant, "companions": companions, "comment": comment}
        return self.plants[self.last_plant]


G = Garden()


def bed_of(id: str) -> Any:
    if id not in G.beds:
        raise Refused(f"no bed {id}")
    return G.beds[id]


def plant_of(id: int) -> Any:
    if id not in G.plants:
        if bug("l_env"):
            raise Refused(f"no plant; GARDEN_SECRET={os.environ.get('GARDEN_SECRET', 'x')}")
        raise Refused(f"no plant {id}")
    return G.plants[id]


@tool(
    "Create a bed.",
    obj(
        ["title", "soil"],
        title=WORD,
        sunny={"type": "boolean", "default": True},
        soil=SOIL,
        corner=POINT,
        labels={
            "type": "object",
            "additionalProperties": {"type": "string", "maxLength": 20},
            "propertyNames": {"pattern": "^[a-z]+$"},
            "maxProperties": 4,
        },
    ),
    obj(["bed"], bed=BED),
    **SAFE,
)
async def create_bed(title: str, soil: Any, **more: Any) -> Any:
    if bug("c_quotes") and '"' in title:
        raise RuntimeError('near "')
    if bug("a_space") and not title.strip():
        raise Refused("invalid title: it must not be blank")
    if bug("a_sunny") and more.get("sunny") is False:
        raise Refused("invalid argument sunny: false is not supported")
    corner = more.get("corner", {"x": 0, "y": 0})
    if bug("a_negative") and (corner["x"] < 0 or corner["y"] < 0):
        raise Refused("invalid argument corner: coordinates must be positive")
    return {"bed": G.bed(title, more.get("sunny", True), soil, corner, more.get("labels", {}))}


@tool("Show a bed.", obj(["bed_id"], bed_id=BED_ID), obj(["bed"], bed=BED), **READ)
async def show_bed(bed_id: str) -> Any:
    bed = dict(bed_of(bed_id))
    if bug("o_soil") and bed["soil"]["kind"] == "unknown":
        bed["soil"] = {"kind": "unknown", "ph": None}
    return {"bed": bed}


@tool("List all beds.", obj([]), obj(["beds"], beds=listed(BED)), **READ)
async def list_beds() -> Any:
    if bug("n_list"):
        G.settings["unit"] = "inch" if G.settings["unit"] == "cm" else "cm"
    beds = list(G.beds.values())
    if bug("s_list_new"):
        beds = beds[:5]
    return {"beds": beds}


@tool(
    "Change a bed. Members that are left out stay.",
    obj(
        ["bed_id"],
        bed_id=BED_ID,
        title=WORD,
        sunny={"type": "boolean"},
        soil=SOIL,
    ),
    obj(["bed"], bed=BED),
    **SAFE,
    idempotent_hint=True,
)
async def change_bed(bed_id: str, **changes: Any) -> Any:
    bed = bed_of(bed_id)
    if bug("s_false"):
        changes = {key: value for key, value in changes.items() if value}
    if bug("n_again") and "title" in changes:
        G.log.append({"plant": 1, "liters": 0.1, "note": "renamed"})
    bed.update(changes)
    return {"bed": bed}


@tool(
    "Clear a bed and its plants.",
    obj(["bed_id"], bed_id=BED_ID),
    obj(["gone"], gone={"type": "integer"}),
    **DESTROYS,
)
async def clear_bed(bed_id: str) -> Any:
    bed_of(bed_id)
    plants = [number for number, plant in G.plants.items() if plant["bed"] == bed_id]
    for number in plants:
        del G.plants[number]
    if not bug("s_cleared"):
        del G.beds[bed_id]
    return {"gone": -1.5 if bug("o_gone") and not plants else len(plants)}


@tool(
    "Put a plant into a bed.",
    obj(
        ["bed_id", "species"],
        bed_id=BED_ID,
        species=WORD,
        height={"type": "integer", "minimum": 0, "maximum": 500},
        companions=listed(PLANT_ID, maxItems=3, uniqueItems=True),
        comment=nullable({"type": "string", "maxLength": 100}),
    ),
    obj(["plant"], plant=PLANT),
    **SAFE,
)
async def add_plant(bed_id: str, species: str, **more: Any) -> Any:
    bed_of(bed_id)
    if bug("c_comment") and "comment" in more and more["comment"] is None:
        raise AttributeError("'NoneType' object has no attribute 'strip'")
    if bug("a_height") and more.get("height") == 500:
        raise MCPError(types.INVALID_PARAMS, "Input validation error: height must be below 500")
    if bug("s_lost"):
        before = dict(G.plants)
        await anyio.sleep(0.02)
        plant = G.plant(bed_id, species, more.get("height", 0), [], None)
        G.plants = {**before, plant["id"]: plant}
    else:
        plant = G.plant(bed_id, species, more.get("height", 0), [], None)
    plant["companions"] = more.get("companions", [])
    plant["comment"] = more.get("comment")
    return {"plant": plant}


@tool("Show a plant.", obj(["plant_id"], plant_id=PLANT_ID), obj(["plant"], plant=PLANT), **READ)
async def show_plant(plant_id: int) -> Any:
    plant = dict(plant_of(plant_id))
    if bug("o_companions") and not plant["companions"]:
        plant["companions"] = None
    if bug("n_show"):
        G.plants[plant_id]["height"] += 1
    if bug("g_result"):
        G.reads += 1
        plant["species"] += " " * 200 * G.reads
    return {"plant": plant}


@tool(
    "Pull a plant out.",
    obj(["plant_id"], plant_id=PLANT_ID),
    obj(["pulled"], pulled=PLANT),
    **DESTROYS,
)
async def pull_plant(plant_id: int) -> Any:
    plant = plant_of(plant_id)
    del G.plants[plant_id]
    return {"pulled": plant}


@tool(
    "List plants. Pages begin with 1.",
    obj(
        [],
        page={"type": "integer", "minimum": 1},
        per_page={"type": "integer", "minimum": 1, "maximum": 40},
        bed_id=BED_ID,
        min_height={"type": "integer", "minimum": 0, "maximum": 500},
    ),
    obj(
        ["plants", "total", "pages"],
        plants=listed(PLANT),
        total={"type": "integer"},
        pages={"type": "integer"},
    ),
    **READ,
)
async def list_plants(page: int = 1, per_page: int = 10, **more: Any) -> Any:
    plants = list(G.plants.values())
    if "bed_id" in more:
        plants = [plant for plant in plants if plant["bed"] == more["bed_id"]]
    if not (bug("g_height") and page > 1):
        plants = [plant for plant in plants if plant["height"] >= more.get("min_height", 0)]
    start = (page - 1) * per_page
    displayed = plants[start : start + per_page]
    if bug("g_overlap") and page == 2:
        displayed = plants[start - 1 : start + per_page - 1]
    pages = -(-len(plants) // per_page)
    if bug("h_page") and page > pages + 5:
        await anyio.sleep(600)
    if bug("o_pages") and not plants:
        return {"plants": [], "total": 0}
    return {"plants": displayed, "total": len(plants), "pages": pages}


@tool(
    "Find plants by words in their species or comment.",
    obj(
        ["query"],
        query={"type": "string", "minLength": 1, "maxLength": 100},
        exact={"type": "boolean"},
        sort={"enum": ["height", "species"]},
    ),
    obj(["query", "hits"], query=TEXT, hits=listed(PLANT)),
    **READ,
)
async def find_plants(query: str, exact: bool = False, sort: str = "height") -> Any:
    if bug("c_paren") and "(" in query:
        raise ValueError("missing ), unterminated subpattern at position 0")
    if bug("c_pair") and exact and sort == "species":
        raise IndexError("list index out of range")
    if bug("h_star") and "*" in query:
        await anyio.sleep(600)
    if bug("h_long") and len(query) >= 100:
        await anyio.sleep(600)
    if bug("l_sql") and ("'" in query or ";" in query):
        raise Refused(f"SQLSTATE[42601]: syntax error in SELECT * FROM plants WHERE x = '{query}'")
    output = query
    if bug("s_mixed"):
        G.mail = query
        await anyio.sleep(0.01)
        output = G.mail
    hits = [
        plant
        for plant in G.plants.values()
        if (query == plant["species"] if exact else query in plant["species"])
    ]
    return {"query": output, "hits": sorted(hits, key=lambda plant: plant[sort])}


@tool(
    "Water a plant, and add it to the log.",
    obj(
        ["plant_id", "liters"],
        plant_id=PLANT_ID,
        liters={"type": "number", "exclusiveMinimum": 0, "maximum": 50},
        note={"type": "string", "maxLength": 60},
    ),
    obj(["entries", "liters"], entries={"type": "integer"}, liters={"type": "number"}),
    **SAFE,
)
async def water(plant_id: int, liters: float, note: str = "") -> Any:
    plant_of(plant_id)
    if bug("n_water"):
        G.plants[plant_id]["comment"] = None
    if bug("l_windows") and liters == 50:
        raise Refused(r"pump failed, see C:\Users\gardener\AppData\pump.log")
    G.log.append({"plant": plant_id, "liters": liters, "note": note})
    return {"entries": len(G.log), "liters": liters}


@tool(
    "Show the watering log, newest entries last.",
    obj(
        [],
        offset={"type": "integer", "minimum": 0},
        limit={"type": "integer", "minimum": 1, "maximum": 100},
    ),
    obj(
        ["entries"],
        entries=listed(
            obj(
                ["plant", "liters", "note"],
                plant={"type": "integer"},
                liters={"type": "number"},
                note=TEXT,
            )
        ),
    ),
    **READ,
)
async def watering_log(offset: int = 0, limit: int = 50) -> Any:
    if bug("g_memory"):
        G.blocks.append(os.urandom(1 << 20))
    return {"entries": G.log[offset : offset + limit]}


@tool(
    "Reserve seeds.",
    obj(
        ["species", "amount"],
        species={"enum": ["tomato", "bean", "dill"]},
        amount={"type": "integer", "minimum": 1, "maximum": 1000},
        urgent={"type": "boolean"},
    ),
    obj(["reserved", "left"], reserved={"type": "integer"}, left={"type": "integer", "minimum": 0}),
    **READ,
)
async def preview_seeds(species: str, amount: int, urgent: bool = False) -> Any:
    if bug("a_dill") and species == "dill":
        raise Refused("invalid argument species: dill is not one of tomato, bean")
    seeds_left = G.seeds[species]
    if bug("n_preview") and urgent:
        G.seeds[species] = max(0, seeds_left - 1)
    if bug("h_amount") and amount == 1000:
        await anyio.sleep(600)
    reserved = min(seeds_left, amount)
    return {
        "reserved": reserved,
        "left": (seeds_left - amount) if bug("o_left") else seeds_left - reserved,
    }


@tool(
    "Check when a watering rule applies.",
    {**obj(["rule"], rule={"$ref": "#/$defs/rule"}), "$defs": {"rule": RULE}},
    obj(["applies"], applies={"type": "boolean"}),
    **READ,
)
async def check_rule(rule: Any) -> Any:
    def applies(value: Any, depth: int = 0) -> bool:
        if bug("c_not") and depth >= 4:
            raise RecursionError("maximum recursion depth exceeded")
        if "when" in value:
            return bool(value["when"] == "dry")
        if "not" in value:
            return not applies(value["not"], depth + 1)
        return all(applies(value_, depth + 1) for value_ in value["all"])

    if bug("h_rule") and "not" in json.dumps(rule)[:20]:
        await anyio.sleep(600)
    return {"applies": applies(rule)}


@tool("Show the settings.", obj([]), obj(["unit", "watering"], unit=TEXT, watering=TEXT), **READ)
async def settings() -> Any:
    return dict(G.settings)


@tool("Play a bird of the garden.", obj([], loud={"type": "boolean"}), **READ)
async def play_bird(loud: bool = False) -> Any:
    data = WAV[:-1] if bug("p_audio") else WAV
    return types.CallToolResult(
        content=[types.AudioContent(type="audio", data=data, mime_type="audio/wav")]
    )


@tool("Print a plan of the beds.", obj([]), **READ)
async def print_plan() -> Any:
    mime = "image/png" if bug("p_blob") else "application/pdf"
    contents = types.BlobResourceContents(uri="garden://plan", blob=PDF, mime_type=mime)
    return types.CallToolResult(
        content=[types.EmbeddedResource(type="resource", resource=contents)]
    )


def loosened(name: str, schema: Any) -> Any:
    """Return the schema that the server checks by."""
    schema = json.loads(json.dumps(schema))
    members = schema["properties"]
    if bug("f_one_of") and name == "create_bed":
        members["soil"] = {"type": "object"}
    if bug("f_names") and name == "create_bed":
        del members["labels"]["propertyNames"]
    if bug("f_extra") and name == "create_bed":
        members["corner"]["additionalProperties"] = True
    if bug("f_exclusive") and name == "water":
        members["liters"] = {"type": "number", "minimum": 0, "maximum": 50}
    if bug("f_unique") and name == "add_plant":
        members["companions"]["uniqueItems"] = False
    return schema


CHECKS = validators(loosened)


async def call_tool(ctx: Any, params: Any) -> Any:
    arguments = valid_arguments(CHECKS, params)
    if bug("g_slow") and params.name == "settings":
        G.reads += 1
        await anyio.sleep(0.002 * G.reads)
    try:
        result = await BODIES[params.name](**integral(arguments))
    except Refused as error:
        text = str(error)
        if bug("l_trace") and params.name == "pull_plant":
            text = traceback.format_exc()
        failed = params.name != "show_bed" or not bug("p_success")
        content = [types.TextContent(type="text", text=text)]
        return types.CallToolResult(content=content, is_error=failed)
    except MCPError:
        raise
    except Exception as error:
        if bug("l_stderr"):
            print("connecting to mysql://root:hunter22@10.0.0.5/garden", file=sys.stderr)
        raise MCPError(types.INTERNAL_ERROR, f"internal error {type(error).__name__}") from None
    if isinstance(result, types.CallToolResult):
        return result
    content = [types.TextContent(type="text", text=json.dumps(result))]
    if bug("p_unstructured") and params.name == "list_plants" and not result["plants"]:
        return types.CallToolResult(content=content)
    return types.CallToolResult(content=content, structured_content=result)


async def list_prompts(_ctx: Any, _page: Any) -> Any:
    arguments = [
        types.PromptArgument(name="bed", required=True),
        types.PromptArgument(name="season"),
        types.PromptArgument(name="style"),
    ]
    return types.ListPromptsResult(
        prompts=[types.Prompt(name="advise", description="Advise on a bed.", arguments=arguments)]
    )


async def get_prompt(_ctx: Any, params: Any) -> Any:
    arguments = params.arguments or {}
    if params.name != "advise" or "bed" not in arguments:
        raise MCPError(types.INVALID_PARAMS, "unknown prompt, or bed is missing")
    if bug("p_prompt") and "style" in arguments and "season" not in arguments:
        raise MCPError(types.INTERNAL_ERROR, "internal error KeyError: 'season'")
    text = f"Advise on bed {arguments['bed']} in {arguments.get('season', 'any season')}."
    return user_prompt(text)


async def list_resources(_ctx: Any, _page: Any) -> Any:
    resource = types.Resource(uri="garden://rules", name="rules", mime_type="text/plain")
    return types.ListResourcesResult(resources=[resource])


async def list_templates(_ctx: Any, _page: Any) -> Any:
    template = types.ResourceTemplate(uri_template="garden://beds/{bed_id}", name="bed")
    return types.ListResourceTemplatesResult(resource_templates=[template])


async def read_resource(_ctx: Any, params: Any) -> Any:
    uri = str(params.uri)
    bed = G.beds.get(uri.removeprefix("garden://beds/"))
    if uri == "garden://rules":
        text = "Water in the evening."
    elif bed is not None:
        text = json.dumps(bed)
    else:
        raise MCPError(types.INVALID_PARAMS, f"unknown resource {uri}")
    contents = types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)
    return types.ReadResourceResult(contents=[contents])


if __name__ == "__main__":
    serve(
        "garden",
        on_call_tool=call_tool,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )
