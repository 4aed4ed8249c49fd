"""A server of a kitchen over stdio, JSON-RPC without the SDK. SEEDED_BUG names its bugs."""

from __future__ import annotations

import base64
import copy
import json
import os
import re
import sys
import threading
import time
import uuid
from datetime import date, timedelta
from typing import Any

from jsonschema import Draft202012Validator
from stdio import (
    DESTROYS,
    READ,
    SAFE,
    TEXT,
    RpcError,
    ToolError,
    bug,
    initialized,
    integral,
    listed,
    obj,
    say,
    serve,
    tool,
)

SECRET = os.environ.get("KITCHEN_SECRET", "")
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"\0" * 60
LEVELS = ["easy", "normal", "hard"]
MEALS = ["breakfast", "lunch", "dinner"]
UNITS = ["g", "ml", "piece"]
IMPERIAL = {"g": "oz", "ml": "fl_oz", "piece": "piece"}
GRAMS = {"g": 1, "kg": 1000, "oz": 28.349523125, "lb": 453.59237}
KCAL = {"flour": 364, "sugar": 387, "butter": 717, "milk": 61, "egg": 143, "rice": 360}
START = date(2027, 3, 1)
NUMBER = {"type": "number"}
WHOLE = {"type": "integer", "minimum": 0}
RECIPE_ID = {"type": "integer", "minimum": 1, "description": "ID of a recipe."}
ENTRY_ID = {"type": "string", "maxLength": 64, "description": "ID of a planned meal."}
DAY = {"type": "string", "format": "date", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}
AMOUNT = {"type": "number", "exclusiveMinimum": 0, "maximum": 10000}
PRODUCT = {"type": "string", "minLength": 1, "maxLength": 60, "description": "Name of a product."}
SERVINGS = {"type": "integer", "minimum": 1, "maximum": 24}
INGREDIENT = obj(["name", "amount", "unit"], name=PRODUCT, amount=AMOUNT, unit={"enum": UNITS})
TAGS = listed({"type": "string", "minLength": 1, "maxLength": 20}, maxItems=8, uniqueItems=True)
NEW_RECIPE = {
    "title": {"type": "string", "minLength": 1, "maxLength": 80},
    "servings": SERVINGS,
    "minutes": {"type": "integer", "minimum": 1, "maximum": 1440},
    "level": {"enum": LEVELS},
    "tags": TAGS,
    "source": {"type": ["string", "null"], "maxLength": 200},
    "favorite": {"type": "boolean"},
}
RECIPE = obj(
    ["recipe_id", *NEW_RECIPE, "ingredients", "steps"],
    recipe_id=RECIPE_ID,
    **NEW_RECIPE,
    ingredients=listed(INGREDIENT),
    steps=listed(TEXT),
)
ENTRY = obj(
    ["entry_id", "day", "meal", "recipe_id", "guests"],
    entry_id=ENTRY_ID,
    day=DAY,
    meal={"enum": MEALS},
    recipe_id=RECIPE_ID,
    guests={"type": "integer"},
)
STOCK = obj(
    ["name", "amount", "unit"],
    name=TEXT,
    amount={"type": "number", "minimum": 0},
    unit={"enum": UNITS},
)
RATING = obj(["stars"], stars={"type": "integer"}, comment=TEXT)
COURSE = obj(
    ["dish"],
    dish={"type": "string", "maxLength": 60},
    guests={"type": "integer", "minimum": 1, "maximum": 40},
    courses=listed({"$ref": "#/$defs/course"}, maxItems=4),
)

TOOLS = [
    tool(
        "add_recipe",
        "Write down a recipe.",
        obj(
            ["title", "servings", "minutes", "ingredients"],
            **NEW_RECIPE,
            ingredients=listed(INGREDIENT, minItems=1, maxItems=30),
            steps=listed({"type": "string", "maxLength": 500}, maxItems=20),
        ),
        RECIPE,
        **SAFE,
    ),
    tool("get_recipe", "Show a recipe.", obj(["recipe_id"], recipe_id=RECIPE_ID), RECIPE, **READ),
    tool(
        "change_recipe",
        "Change what is given of a recipe.",
        obj(["recipe_id"], recipe_id=RECIPE_ID, **NEW_RECIPE),
        RECIPE,
        **DESTROYS,
        idempotentHint=True,
    ),
    tool(
        "delete_recipe",
        "Delete a recipe, its ratings, and the meals that are planned with it.",
        obj(["recipe_id"], recipe_id=RECIPE_ID),
        obj(["deleted"], deleted=RECIPE_ID),
        **DESTROYS,
    ),
    tool(
        "find_recipes",
        "Find recipes by words of the title, and by tags.",
        obj(
            ["text"],
            text={"type": "string", "maxLength": 300},
            max_minutes={"type": "integer", "minimum": 1},
            tags=listed({"type": "string"}, maxItems=8),
            match={"enum": ["any", "all"]},
        ),
        obj(
            ["count", "hits"],
            count=WHOLE,
            hits=listed(obj(["recipe_id", "title"], recipe_id=RECIPE_ID, title=TEXT)),
        ),
        **READ,
    ),
    tool(
        "list_recipes",
        "List the recipes, the oldest first.",
        obj(
            [],
            cursor={"type": "string", "description": "next_cursor of the page before."},
            page_size={"type": "integer", "minimum": 1, "maximum": 50},
            level={"enum": LEVELS},
        ),
        obj(
            ["recipes", "next_cursor"],
            recipes=listed(RECIPE),
            next_cursor={"type": ["string", "null"]},
        ),
        **READ,
    ),
    tool(
        "scale_recipe",
        "Compute the ingredients for another number of servings.",
        obj(
            ["recipe_id", "servings"],
            recipe_id=RECIPE_ID,
            servings=SERVINGS,
            round={"type": "boolean"},
            system={"enum": ["metric", "imperial"]},
        ),
        obj(
            ["servings", "ingredients"],
            servings=SERVINGS,
            ingredients=listed(
                obj(
                    ["name", "amount", "unit"],
                    name=TEXT,
                    amount=NUMBER,
                    unit={"enum": [*UNITS, "oz", "fl_oz"]},
                )
            ),
        ),
        **READ,
    ),
    tool(
        "nutrition",
        "Add up the energy of products. Unknown products count nothing.",
        obj(
            ["items"],
            items=listed(
                obj(["name", "grams"], name=PRODUCT, grams={"type": "number", "minimum": 0}),
                maxItems=20,
            ),
        ),
        obj(["kcal", "unknown"], kcal=NUMBER, unknown=listed(TEXT)),
        **READ,
    ),
    tool(
        "convert_weight",
        "Convert a weight.",
        obj(
            ["amount", "source", "target"],
            amount={"type": "number", "minimum": 0, "maximum": 1000000},
            source={"enum": list(GRAMS)},
            target={"enum": list(GRAMS)},
        ),
        obj(["amount", "unit"], amount=NUMBER, unit={"enum": list(GRAMS)}),
        **READ,
    ),
    tool(
        "plan_meal",
        "Plan a meal.",
        obj(
            ["day", "meal", "recipe_id"],
            day=DAY,
            meal={"enum": MEALS},
            recipe_id=RECIPE_ID,
            guests={"type": "integer", "minimum": 1, "maximum": 12},
        ),
        ENTRY,
        **SAFE,
    ),
    tool(
        "list_plan",
        "List the planned meals by day, from the first day to the last one given.",
        {
            **obj(
                [],
                first=DAY,
                last=DAY,
                page={"type": "integer", "minimum": 1},
                per_page={"type": "integer", "minimum": 1, "maximum": 30},
            ),
            "dependentRequired": {"last": ["first"]},
        },
        obj(["total", "pages", "entries"], total=WHOLE, pages=WHOLE, entries=listed(ENTRY)),
        **READ,
    ),
    tool(
        "cancel_meal",
        "Remove a planned meal. One that isn't planned any more stays so.",
        obj(["entry_id"], entry_id=ENTRY_ID),
        obj(["entry_id", "planned"], entry_id=ENTRY_ID, planned=WHOLE),
        **DESTROYS,
        idempotentHint=True,
    ),
    tool(
        "rate_recipe",
        "Add a rating to a recipe.",
        obj(
            ["recipe_id", "stars"],
            recipe_id=RECIPE_ID,
            stars={"type": "integer", "minimum": 1, "maximum": 5},
            comment={"type": "string", "maxLength": 300},
        ),
        obj(["recipe_id", "average"], recipe_id=RECIPE_ID, average=NUMBER),
        **SAFE,
    ),
    tool(
        "list_ratings",
        "List the ratings of a recipe, the oldest first.",
        obj(
            ["recipe_id"],
            recipe_id=RECIPE_ID,
            offset={"type": "integer", "minimum": 0},
            limit={"type": "integer", "minimum": 1, "maximum": 100},
        ),
        obj(
            ["total", "average", "ratings"],
            total=WHOLE,
            average={"type": ["number", "null"]},
            ratings=listed(RATING),
        ),
        **READ,
    ),
    tool(
        "stock_product",
        "Set how much of a product is in the pantry.",
        obj(["name", "amount", "unit"], name=PRODUCT, amount=AMOUNT, unit={"enum": UNITS}),
        STOCK,
        **DESTROYS,
        idempotentHint=True,
    ),
    tool(
        "use_product",
        "Take some of a product from the pantry.",
        obj(["name", "amount"], name=PRODUCT, amount=AMOUNT),
        STOCK,
        **DESTROYS,
        idempotentHint=False,
    ),
    tool(
        "show_pantry",
        "List what is in the pantry.",
        obj([], unit={"enum": UNITS}),
        obj(["products"], products=listed(STOCK)),
        **READ,
    ),
    tool(
        "shopping_list",
        "List what the planned meals need and the pantry doesn't have.",
        obj([], day=DAY),
        obj(["products"], products=listed(STOCK)),
        **READ,
    ),
    tool(
        "count_menu",
        "Count the dishes of a menu.",
        {**obj(["menu"], menu={"$ref": "#/$defs/course"}), "$defs": {"course": COURSE}},
        obj(["dishes", "guests"], dishes=WHOLE, guests=WHOLE),
        **READ,
    ),
    tool(
        "recipe_card",
        "Draw the card of a recipe.",
        obj(["recipe_id"], recipe_id=RECIPE_ID, format={"enum": ["image", "text"]}),
        **READ,
    ),
]
SCHEMAS = {item["name"]: item for item in TOOLS}
PROMPTS = [
    {
        "name": "suggest",
        "description": "Suggest a dish.",
        "arguments": [{"name": "products", "required": True}, {"name": "diet"}],
    }
]


class Kitchen:
    """Recipes, ratings, planned meals and the pantry."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.recipes: dict[int, dict[str, Any]] = {}
        self.ratings: dict[int, list[dict[str, Any]]] = {}
        self.plan: dict[str, dict[str, Any]] = {}
        self.pantry: dict[str, dict[str, Any]] = {}
        self.last = 0
        self.memory: list[bytes] = []
        self.reads = 0
        words = ["Rice", "Bread", "Soup", "Cake", "Salad", "Stew"]
        for number in range(37):
            products = ["flour", "milk", "egg", "rice", "butter"]
            used = [products[number % 5], products[(number + 2) % 5]]
            units = ["g", "ml", "piece"]
            ingredients = [
                {"name": name, "amount": 50 + number, "unit": units[products.index(name) % 3]}
                for name in used
            ]
            self.write(
                f"{words[number % 6]} number {number + 1}",
                number % 6 + 1,
                10 + number * 7 % 90,
                ingredients,
                level=LEVELS[number % 3],
                tags=["quick"] if number % 4 == 0 else [],
                source=f"page {number}" if number % 5 == 0 else None,
                favorite=number % 7 == 0,
            )
        for number in range(23):
            self.ratings[3].append({"stars": number % 5 + 1, "comment": f"Comment {number}"})
        for number in range(31):
            day = (START + timedelta(days=number // 2)).isoformat()
            self.book(day, MEALS[number % 3], number + 1, 2)
        for name, unit in (("flour", "g"), ("milk", "ml"), ("egg", "piece"), ("rice", "g")):
            self.pantry[name] = {"name": name, "amount": 500, "unit": unit}
        self.indexed = list(self.recipes)

    def write(self, title: str, servings: int, minutes: int, ingredients: Any, **more: Any) -> Any:
        self.last += 1
        recipe = {"recipe_id": self.last, "title": title, "servings": servings}
        recipe |= {"minutes": minutes, "level": "normal", "tags": [], "source": None}
        recipe |= {"favorite": False, "ingredients": ingredients, "steps": [], **more}
        self.recipes[self.last] = recipe
        self.ratings[self.last] = []
        return recipe

    def book(self, day: str, meal: str, recipe_id: int, guests: int) -> Any:
        entry = {"entry_id": uuid.uuid4().hex, "day": day, "meal": meal}
        entry |= {"recipe_id": recipe_id, "guests": guests}
        self.plan[entry["entry_id"]] = entry
        return entry

    def recipe(self, number: int) -> dict[str, Any]:
        if number not in self.recipes:
            raise ToolError(f"recipe {number} not found")
        return self.recipes[number]

    def pause(self, seconds: float) -> None:
        """Release the lock for a moment."""
        self.lock.release()
        time.sleep(seconds)
        self.lock.acquire()


KITCHEN = Kitchen()


def parsed_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ToolError(f"{text} is not a day of the calendar") from None


def add_recipe(title: str, servings: int, minutes: int, ingredients: Any, **more: Any) -> Any:
    if bug("a_minutes") and minutes > 999:
        raise ToolError("minutes: must have at most 3 digits")
    return KITCHEN.write(title, servings, minutes, ingredients, **more)


def get_recipe(recipe_id: int) -> Any:
    if bug("l_config") and recipe_id not in KITCHEN.recipes:
        settings = {"store": "recipes", "retries": 3, "secret": SECRET}
        raise ToolError(f"recipe {recipe_id} not found with settings {json.dumps(settings)}")
    return KITCHEN.recipe(recipe_id)


def change_recipe(recipe_id: int, **changes: Any) -> Any:
    recipe = KITCHEN.recipe(recipe_id)
    if bug("a_title") and re.search(r"[&'<>]", changes.get("title", "")):
        raise ToolError("title: contains characters that are not allowed")
    for key, value in changes.items():
        if bug("s_favorite") and key == "favorite" and not value:
            continue
        recipe[key] = value
    if bug("s_tags") and "title" in changes and "tags" not in changes:
        recipe["tags"] = []
    result = dict(recipe)
    if bug("o_source") and "source" in changes and changes["source"] is None:
        del result["source"]
    return result


def delete_recipe(recipe_id: int) -> Any:
    KITCHEN.recipe(recipe_id)
    del KITCHEN.recipes[recipe_id]
    del KITCHEN.ratings[recipe_id]
    if not bug("c_deleted"):
        KITCHEN.plan = {
            key: entry for key, entry in KITCHEN.plan.items() if entry["recipe_id"] != recipe_id
        }
    return {"deleted": recipe_id}


def find_recipes(
    text: str, max_minutes: int = 100_000, tags: Any = None, match: str = "any"
) -> Any:
    if bug("h_blank") and text and not text.strip():
        time.sleep(600)
    if bug("a_tags") and tags == []:
        raise ToolError("tags: give at least one tag")
    pattern = re.compile(text if bug("c_regex") else re.escape(text), re.IGNORECASE)
    hits = []
    for number, recipe in KITCHEN.recipes.items():
        if bug("s_index") and number not in KITCHEN.indexed:
            continue
        if not pattern.search(recipe["title"]) or recipe["minutes"] > max_minutes:
            continue
        has = [tag in recipe["tags"] for tag in tags or []]
        if not has or (all(has) if match == "all" else any(has)):
            hits.append({"recipe_id": number, "title": recipe["title"]})
    return {"count": len(hits), "hits": hits}


def list_recipes(cursor: str = "", page_size: int = 10, level: Any = None) -> Any:
    after = 0
    if cursor:
        if not re.fullmatch("c[0-9]{1,9}", cursor):
            raise ToolError("the cursor is unknown")
        after = int(cursor[1:])
    if bug("g_filter") and cursor:
        level = None
    found = [
        recipe
        for number, recipe in KITCHEN.recipes.items()
        if number > after and (level is None or recipe["level"] == level)
    ]
    page = found[:page_size]
    result: dict[str, Any] = {"recipes": page, "next_cursor": None}
    if len(found) > page_size:
        last = page[-1]["recipe_id"]
        result["next_cursor"] = f"c{last - 1 if bug('g_cursor') and page_size > 1 else last}"
    elif bug("o_last"):
        del result["next_cursor"]
    return result


def scale_recipe(recipe_id: int, servings: int, round: bool = False, system: Any = "metric") -> Any:
    recipe = KITCHEN.recipe(recipe_id)
    if bug("h_scale") and round and servings == 1:
        time.sleep(600)
    factor = servings / recipe["servings"]
    if bug("n_scale") and system == "imperial":
        recipe["servings"] = servings
    ingredients = []
    for item in recipe["ingredients"]:
        amount, unit = item["amount"] * factor, item["unit"]
        if system == "imperial" and unit != "piece":
            amount /= 28.35
            unit = IMPERIAL[unit]
            if bug("o_unit") and unit == "fl_oz":
                unit = "fl oz"
        ingredients.append(
            {"name": item["name"], "amount": int(amount + 0.5) if round else amount, "unit": unit}
        )
    return {"servings": servings, "ingredients": ingredients}


def nutrition(items: Any) -> Any:
    unknown = [item["name"] for item in items if item["name"] not in KCAL]
    kcal: Any = sum(KCAL.get(item["name"], 0) * item["grams"] / 100 for item in items)
    if bug("o_kcal") and items and len(unknown) == len(items):
        kcal = None
    if bug("n_nutrition"):
        for name in unknown:
            KITCHEN.pantry.setdefault(name, {"name": name, "amount": 0, "unit": "g"})
    return {"kcal": kcal, "unknown": unknown}


def convert_weight(amount: float, source: str, target: str) -> Any:
    if bug("h_same") and source == target:
        time.sleep(600)
    grams = amount * GRAMS[source]
    if bug("c_amount"):
        grams /= amount / amount
    return {"amount": grams / GRAMS[target], "unit": target}


def plan_meal(day: str, meal: str, recipe_id: int, guests: int = 2) -> Any:
    parsed_day(day)
    KITCHEN.recipe(recipe_id)
    if bug("a_guests") and meal == "breakfast" and guests > 8:
        raise ToolError("guests must be 8 or less")
    return KITCHEN.book(day, meal, recipe_id, guests)


def list_plan(first: Any = None, last: Any = None, page: int = 1, per_page: int = 10) -> Any:
    start = parsed_day(first) if first else None
    end = parsed_day(last) if last else None
    if bug("c_range") and start and end and start > end:
        raise AssertionError("first is after last")
    entries = sorted(KITCHEN.plan.values(), key=lambda entry: entry["day"])
    entries = [
        entry
        for entry in entries
        if (start is None or parsed_day(entry["day"]) >= start)
        and (end is None or parsed_day(entry["day"]) <= end)
    ]
    pages = -(-len(entries) // per_page)
    if bug("h_page") and page > pages + 1:
        time.sleep(600)
    shown = entries[(page - 1) * per_page : page * per_page]
    if bug("g_single") and page > 1 and len(shown) == 1:
        shown = []
    return {"total": len(entries), "pages": pages, "entries": shown}


def cancel_meal(entry_id: str) -> Any:
    if not re.fullmatch("[0-9a-f]{32}", entry_id):
        raise ToolError(f"meal {entry_id} not found")
    entry = KITCHEN.plan.get(entry_id)
    if bug("n_cancel"):
        product = KITCHEN.pantry.setdefault("rice", {"name": "rice", "amount": 0, "unit": "g"})
        product["amount"] += 100
    if entry and not bug("s_cancel"):
        del KITCHEN.plan[entry_id]
    return {"entry_id": entry_id, "planned": len(KITCHEN.plan)}


def average(recipe_id: int) -> Any:
    stars = [rating["stars"] for rating in KITCHEN.ratings[recipe_id]]
    return sum(stars) / len(stars) if stars else None


def rate_recipe(recipe_id: int, stars: int, comment: Any = None) -> Any:
    KITCHEN.recipe(recipe_id)
    if bug("a_comment") and comment and "\n" in comment:
        raise ToolError("comment: invalid value")
    ratings = KITCHEN.ratings[recipe_id]
    if bug("n_rate"):
        ratings[:] = [rating for rating in ratings if rating["stars"] != stars]
    ratings.append({"stars": int(stars), **({} if comment is None else {"comment": comment})})
    return {"recipe_id": recipe_id, "average": average(recipe_id)}


def list_ratings(recipe_id: int, offset: int = 0, limit: int = 20) -> Any:
    KITCHEN.recipe(recipe_id)
    if bug("g_memory"):
        KITCHEN.memory.append(os.urandom(300_000))
    ratings = KITCHEN.ratings[recipe_id]
    mean = average(recipe_id)
    if bug("o_average") and mean is None:
        mean = "none"
    shown = ratings[offset : offset + limit]
    return {"total": len(ratings), "average": mean, "ratings": shown}


def stock_product(name: str, amount: float, unit: str) -> Any:
    if bug("l_dsn") and "'" in name:
        raise ToolError(
            "query failed: mysql://kitchen:Pz7vQ2rLk@db.internal:3306/pantry: syntax error"
        )
    if bug("n_stock") and name in KITCHEN.pantry:
        amount += KITCHEN.pantry[name]["amount"]
    KITCHEN.pantry[name] = {"name": name, "amount": amount, "unit": unit}
    return KITCHEN.pantry[name]


def use_product(name: str, amount: float) -> Any:
    if name not in KITCHEN.pantry:
        raise ToolError(f"product {name} not found")
    product = KITCHEN.pantry[name]
    left = product["amount"]
    if amount > left:
        if bug("h_use"):
            time.sleep(600)
        text = f"not enough {name}: {left} left"
        if bug("l_key"):
            text += ". Order more with the key AKIAQ3EGRXH7LZ2VTM5B"
        raise ToolError(text)
    if bug("s_race"):
        KITCHEN.pause(0.02)
    product["amount"] = left - amount
    return product


def show_pantry(unit: Any = None) -> Any:
    if bug("g_slow"):
        KITCHEN.reads += 1
        time.sleep(0.004 * KITCHEN.reads)
    products = [item for item in KITCHEN.pantry.values() if unit is None or item["unit"] == unit]
    return {"products": products}


def shopping_list(day: Any = None) -> Any:
    if day:
        parsed_day(day)
    if bug("p_progress"):
        params = {"progressToken": 0, "progress": 1, "total": 1}
        say({"method": "notifications/progress", "params": params})
    needed: dict[tuple[str, str], float] = {}
    for entry in KITCHEN.plan.values():
        if day and entry["day"] != day:
            continue
        recipe = KITCHEN.recipes[entry["recipe_id"]]
        for item in recipe["ingredients"]:
            key = (item["name"], item["unit"])
            amount = item["amount"] * entry["guests"] / recipe["servings"]
            needed[key] = needed.get(key, 0) + amount
    products = []
    for (name, unit), amount in needed.items():
        stock = KITCHEN.pantry.get(name)
        missing = amount - (stock["amount"] if stock and stock["unit"] == unit else 0)
        if missing > 0:
            products.append({"name": name, "amount": missing, "unit": unit})
    return {"products": products}


def count_menu(menu: Any) -> Any:
    def count(course: Any) -> tuple[int, int]:
        inner = [count(item) for item in course.get("courses", [])]
        dishes = 1 + sum(item[0] for item in inner)
        return dishes, course.get("guests", 0) + sum(item[1] for item in inner)

    dishes, guests = count(menu)
    return {"dishes": dishes, "guests": guests}


def recipe_card(recipe_id: int, format: str = "image") -> Any:
    recipe = KITCHEN.recipe(recipe_id)
    if bug("c_card"):
        recipe["title"].encode("latin-1")
    if format == "text":
        content = {"type": "text", "text": f"{recipe['title']}, {recipe['minutes']} minutes"}
        if bug("l_meta"):
            content["_meta"] = {"printer": {"queue": "cards", "password": SECRET}}
        return [content]
    data = base64.b64encode(PNG).decode()
    mime = "image/jpeg" if bug("p_image") else "image/png"
    return [{"type": "image", "data": data, "mimeType": mime}]


def loosened(name: str, schema: Any) -> Any:
    """Return the schema that the server checks by."""
    schema = copy.deepcopy(schema)
    members = schema["properties"]
    if bug("f_unit") and name == "add_recipe":
        members["ingredients"]["items"]["properties"]["unit"] = {"type": "string"}
    if bug("f_amount") and name == "stock_product":
        members["amount"] = {"type": "number", "minimum": 0, "maximum": 10000}
    if bug("f_stars") and name == "rate_recipe":
        members["stars"]["type"] = "number"
    if bug("f_last") and name == "list_plan":
        del schema["dependentRequired"]
    if bug("f_menu") and name == "count_menu":
        del schema["$defs"]["course"]["properties"]["courses"]["maxItems"]
    return schema


CHECKS = {
    item["name"]: Draft202012Validator(loosened(item["name"], item["inputSchema"]))
    for item in TOOLS
}


def call(name: str, arguments: Any) -> Any:
    if name not in SCHEMAS:
        raise RpcError(-32602, f"unknown tool {name}")
    for error in CHECKS[name].iter_errors(arguments):
        if bug("l_stderr") and name == "convert_weight":
            sys.stderr.write(f"refused call, session {SECRET}: {error.validator}\n")
            sys.stderr.flush()
        path = "/".join(map(str, error.absolute_path))
        raise RpcError(-32602, f"invalid arguments: {path}: {error.validator}")
    with KITCHEN.lock:
        try:
            result = copy.deepcopy(globals()[name](**integral(arguments)))
        except ToolError as error:
            return {"content": [{"type": "text", "text": str(error)}], "isError": True}
    if isinstance(result, list):
        return {"content": result}
    content = [{"type": "text", "text": json.dumps(result)}]
    whole = {"content": content, "structuredContent": result}
    return {**whole, "isError": "false"} if bug("p_flag") and name == "list_recipes" else whole


def answer(method: str, params: Any) -> Any:
    if method == "initialize":
        return initialized("kitchen", params)
    answers = {
        "ping": lambda: {},
        "tools/list": lambda: {"tools": TOOLS},
        "tools/call": lambda: call(params["name"], params.get("arguments") or {}),
        "resources/list": lambda: {
            "resources": [
                {"uri": "kitchen://rules", "name": "rules", "mimeType": "text/plain"},
            ]
        },
        "resources/templates/list": lambda: {
            "resourceTemplates": [
                {"uriTemplate": "kitchen://recipes/{recipe_id}", "name": "recipe"}
            ]
        },
        "resources/read": lambda: {"contents": [read(params["uri"])]},
        "prompts/list": lambda: {"prompts": PROMPTS},
        "prompts/get": lambda: prompt(params["name"], params.get("arguments") or {}),
    }
    if method not in answers:
        raise RpcError(-32601, f"method {method} not found")
    return answers[method]()


def read(uri: str) -> Any:
    if uri == "kitchen://rules":
        return {"uri": uri, "mimeType": "text/plain", "text": "Wash your hands."}
    key = uri.removeprefix("kitchen://recipes/")
    with KITCHEN.lock:
        if key.isascii() and key.isdecimal() and len(key) < 9 and int(key) in KITCHEN.recipes:
            text = json.dumps(KITCHEN.recipes[int(key)])
            contents = {"mimeType": "application/json", "text": text}
            return contents if bug("p_contents") else {"uri": uri, **contents}
    raise RpcError(-32602, f"resource {uri} not found")


def prompt(name: str, arguments: Any) -> Any:
    if name != "suggest" or "products" not in arguments:
        raise RpcError(-32602, "unknown prompt, or its argument products is missing")
    text = f"Suggest a dish of {arguments['products']}."
    if "diet" in arguments:
        text += f" It must be {arguments['diet']}."
    content = text if bug("p_prompt") else {"type": "text", "text": text}
    return {"messages": [{"role": "user", "content": content}]}


def id_of(method: str, given: Any, failed: bool) -> Any:
    """Return the ID of a response."""
    del method, failed
    return given


if __name__ == "__main__":
    serve(answer, id_of)
