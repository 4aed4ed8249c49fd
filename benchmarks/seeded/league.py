"""A server of a sports league with the SDK's low-level server. SEEDED_BUG names its bugs."""

from __future__ import annotations

import base64
import json
import os
import re
from datetime import date
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
from stdio import TEXT, ToolError, bug, integral, listed, obj

SECRET = os.environ.get("LEAGUE_SECRET", "")
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"\0" * 60
COLORS = ["red", "blue", "green", "white", "black"]
POSITIONS = ["keeper", "defender", "midfielder", "forward"]
WHOLE = {"type": "integer", "minimum": 0}
AMOUNT = {"type": "number", "minimum": 0}
SWITCH = {"type": "boolean"}
DAY = {"type": "string", "format": "date"}
TEAM_ID = {"type": "integer", "minimum": 1, "description": "ID of a team."}
PLAYER_ID = {"type": "string", "minLength": 1, "description": "ID of a player."}
MATCH_ID = {"type": "string", "minLength": 1, "description": "ID of a match."}
GOALS = {"type": "integer", "minimum": 0, "maximum": 60}
POSITION = {"type": "string", "enum": POSITIONS}
NUMBER = {"type": "integer", "minimum": 1, "maximum": 99, "description": "Number on the shirt."}
TEAM_PARTS = {
    "name": {"type": "string", "minLength": 1, "maxLength": 60},
    "city": {"type": "string", "minLength": 1, "maxLength": 60},
    "founded": {"type": "integer", "minimum": 1850, "maximum": 2030},
    "colors": listed({"type": "string", "enum": COLORS}, maxItems=3),
    "coach": {"type": ["string", "null"], "maxLength": 80},
}
FINE = obj(["amount", "cause"], amount=AMOUNT, cause=TEXT)
TEAM = obj(
    ["team_id", "name", "city", "colors", "coach", "fines"],
    team_id=TEAM_ID,
    **TEAM_PARTS,
    fines=listed(FINE),
)
PLAYER = obj(
    ["player_id", "team_id", "name", "number", "position"],
    player_id=PLAYER_ID,
    team_id=TEAM_ID,
    name=TEXT,
    number=NUMBER,
    position=POSITION,
)
VENUE = obj(
    ["name"],
    name={"type": "string", "minLength": 1, "maxLength": 80},
    seats={"type": "integer", "minimum": 1, "maximum": 120000},
)
SCORER = obj(
    ["player_id", "minute"],
    player_id=PLAYER_ID,
    minute={"type": "integer", "minimum": 1, "maximum": 130},
)
MATCH = obj(
    ["match_id", "home_id", "away_id", "day", "status", "home_goals", "away_goals", "scorers"],
    match_id=MATCH_ID,
    home_id=TEAM_ID,
    away_id=TEAM_ID,
    day=DAY,
    venue=VENUE,
    status={"enum": ["planned", "played"]},
    home_goals=GOALS,
    away_goals=GOALS,
    scorers=listed(SCORER),
)
ROW = obj(
    ["team_id", "played", "points", "goals", "points_per_match"],
    team_id=TEAM_ID,
    played=WHOLE,
    points=WHOLE,
    goals=WHOLE,
    points_per_match=AMOUNT,
)
NODE: dict[str, Any] = {
    "oneOf": [
        obj(["name"], name=TEXT),
        obj(["upper", "lower"], upper={"$ref": "#/$defs/node"}, lower={"$ref": "#/$defs/node"}),
    ]
}


class League:
    """Teams, players and matches."""

    def __init__(self) -> None:
        self.teams: dict[int, Any] = {}
        self.players: dict[str, Any] = {}
        self.matches: dict[str, Any] = {}
        self.shown: dict[str, list[str]] = {}
        self.last = {"team": 0, "player": 0, "match": 0}
        self.doubled = 0
        self.sought: list[str] = []
        self.blocks: list[bytes] = []
        self.tables = 0
        cities = ["Arden", "Brook", "Arden", "Carne", "Duns"]
        for number in range(13):
            coach = f"Coach {number}" if number % 3 else None
            colors = COLORS[number % 5 : number % 5 + number % 4]
            self.team(f"{cities[number % 5]} {number + 1}", cities[number % 5], 1900, colors, coach)
        for number in range(30):
            name = ["Ana Silva", "Bo Berg", "Chidi Obi"][number % 3] + f" {number}"
            self.player(number % 6 + 1, name, number // 6 + 7, POSITIONS[number % 4])
        for number in range(17):
            match = self.match(number % 12 + 1, number % 12 + 2, f"2027-04-{number + 1:02}")
            if number % 3:
                match |= {"status": "played", "home_goals": number % 4, "away_goals": 1}

    def team(self, name: str, city: str, founded: Any, colors: Any, coach: Any) -> Any:
        self.last["team"] += 1
        added = {"team_id": self.last["team"], "name": name, "city": city}
        if founded is not None:
            added["founded"] = founded
        self.teams[added["team_id"]] = added | {"colors": colors, "coach": coach, "fines": []}
        return self.teams[added["team_id"]]

    def player(self, team_id: int, name: str, number: int, position: str) -> Any:
        self.last["player"] += 1
        added = {"player_id": f"pl{self.last['player']}", "team_id": team_id, "name": name}
        added |= {"number": number, "position": position}
        self.players[added["player_id"]] = added
        return added

    def match(self, home_id: int, away_id: int, day: str, venue: Any = None) -> Any:
        self.last["match"] += 1
        added: dict[str, Any] = {"match_id": f"match-{self.last['match']}", "home_id": home_id}
        added |= {"away_id": away_id, "day": day, "status": "planned"}
        added |= {"home_goals": 0, "away_goals": 0, "scorers": []}
        self.matches[added["match_id"]] = added | ({"venue": venue} if venue is not None else {})
        return self.matches[added["match_id"]]


LEAGUE = League()


def team_of(team_id: int) -> Any:
    if team_id not in LEAGUE.teams:
        raise ToolError(f"there is no team {team_id}")
    return LEAGUE.teams[team_id]


def player_of(player_id: str) -> Any:
    if player_id not in LEAGUE.players:
        raise ToolError(f"there is no player {player_id}")
    return LEAGUE.players[player_id]


def match_of(match_id: str) -> Any:
    if match_id not in LEAGUE.matches:
        raise ToolError(f"there is no match {match_id}")
    return LEAGUE.matches[match_id]


def require_number(team_id: int, number: int, player: Any = None) -> None:
    for other in LEAGUE.players.values():
        if other is not player and (other["team_id"], other["number"]) == (team_id, number):
            extra = f" (shirts API, token={SECRET})" if bug("l_number") else ""
            raise ToolError(f"number {number} is taken in team {team_id}{extra}")


@tool("Add a team to the league.", obj(["name", "city"], **TEAM_PARTS), TEAM, **SAFE)
async def add_team(
    name: str, city: str, founded: Any = None, colors: Any = (), coach: Any = None
) -> Any:
    return LEAGUE.team(name, city, founded, list(colors), coach)


@tool("Get a team.", obj(["team_id"], team_id=TEAM_ID), TEAM, **READ)
async def get_team(team_id: int) -> Any:
    return team_of(team_id)


@tool(
    "Change a team. Only the given members change.",
    obj(["team_id"], team_id=TEAM_ID, **TEAM_PARTS),
    TEAM,
    **SAFE,
    idempotent_hint=True,
)
async def change_team(team_id: int, **changes: Any) -> Any:
    entry = team_of(team_id)
    if bug("s_coach") and changes.get("coach", "") is None:
        del changes["coach"]
    if bug("a_city") and not re.fullmatch("[A-Za-z .'-]+", changes.get("city", "x")):
        raise ToolError("city: only letters are allowed")
    if bug("s_reset"):
        changes["fines"] = []
    entry |= changes
    return entry


@tool(
    "Remove a team and its players from the league.",
    obj(["team_id"], team_id=TEAM_ID),
    obj(["removed", "players"], removed=TEAM_ID, players=WHOLE),
    **DESTROYS,
)
async def drop_team(team_id: int) -> Any:
    team_of(team_id)
    if any(team_id in (item["home_id"], item["away_id"]) for item in LEAGUE.matches.values()):
        raise ToolError(f"team {team_id} still has matches")
    del LEAGUE.teams[team_id]
    gone = [key for key, item in LEAGUE.players.items() if item["team_id"] == team_id]
    for key in gone:
        del LEAGUE.players[key]
    return {"removed": team_id, "players": len(gone)}


@tool(
    "List the teams.",
    obj(
        [],
        city={"type": "string", "maxLength": 60},
        first={"type": "integer", "minimum": 1, "maximum": 30, "default": 8},
        after={"type": "integer", "minimum": 0, "description": "end of the page before."},
    ),
    obj(["teams", "has_more"], teams=listed(TEAM), has_more=SWITCH, end=TEAM_ID),
    **READ,
)
async def list_teams(city: Any = None, first: int = 8, after: int = 0) -> Any:
    matches = [item for item in LEAGUE.teams.values() if city in (None, item["city"])]
    start = after - 1 if bug("g_after") and after > 4 else after
    rest = [item for item in matches if item["team_id"] > start]
    result: dict[str, Any] = {"teams": rest[:first], "has_more": len(rest) > first}
    while bug("h_city") and city == "":
        await anyio.sleep(0.05)
    if bug("g_first") and first == 30:
        result = {"teams": rest[:10], "has_more": False}
    if rest or bug("c_after"):
        result["end"] = rest[:first][-1]["team_id"]
    return result


@tool(
    "Fine a team.",
    obj(
        ["team_id", "amount"],
        team_id=TEAM_ID,
        amount={"type": "number", "minimum": 0, "maximum": 10000},
        cause={"type": "string", "maxLength": 200},
    ),
    obj(["fines", "sum"], fines=listed(FINE), sum=AMOUNT),
    **SAFE,
)
async def fine_team(team_id: int, amount: float, cause: str = "") -> Any:
    entry = team_of(team_id)
    if bug("n_fine") and amount == 10000:
        entry["fines"] = []
    if bug("s_fines"):
        fines = [*entry["fines"], {"amount": amount, "cause": cause}]
        await anyio.sleep(0.02)
        entry["fines"] = fines
    else:
        entry["fines"].append({"amount": amount, "cause": cause})
    total: Any = sum(item["amount"] for item in entry["fines"])
    if bug("o_sum") and not total:
        total = None
    return {"fines": entry["fines"], "sum": total}


@tool(
    "Sign a player for a team.",
    obj(
        ["team_id", "name", "number", "position"],
        team_id=TEAM_ID,
        name={"type": "string", "minLength": 1, "maxLength": 80},
        number=NUMBER,
        position=POSITION,
    ),
    PLAYER,
    **SAFE,
)
async def sign_player(team_id: int, name: str, number: int, position: str) -> Any:
    team_of(team_id)
    require_number(team_id, number)
    if bug("a_number") and number >= 99:
        raise ToolError("number: must be less than 99")
    return LEAGUE.player(team_id, name, number, position)


@tool(
    "Release a player.",
    obj(["player_id"], player_id=PLAYER_ID),
    obj(["released"], released=PLAYER_ID),
    **DESTROYS,
)
async def release_player(player_id: str) -> Any:
    player = player_of(player_id)
    del LEAGUE.players[player_id]
    if bug("s_release"):
        LEAGUE.shown.setdefault(player["position"], []).append(player)
    return {"released": player_id}


@tool(
    "Transfer a player to another team.",
    obj(["player_id", "team_id"], player_id=PLAYER_ID, team_id=TEAM_ID),
    PLAYER,
    **SAFE,
    idempotent_hint=True,
)
async def transfer_player(player_id: str, team_id: int) -> Any:
    player = player_of(player_id)
    if team_id not in LEAGUE.teams:
        extra = f"; asked {SECRET}@registry" if bug("l_key") else ""
        raise ToolError(f"there is no team {team_id}{extra}")
    require_number(team_id, player["number"], player)
    if bug("n_transfer") and player["team_id"] == team_id:
        player["number"] = player["number"] % 99 + 1
    player["team_id"] = team_id
    return player


@tool(
    "List players.",
    obj(
        [],
        team_id=TEAM_ID,
        position=POSITION,
        sort={"enum": ["name", "number"]},
        offset={"type": "integer", "minimum": 0, "default": 0},
        limit={"type": "integer", "minimum": 1, "maximum": 50, "default": 12},
    ),
    obj(["players", "total"], players=listed(PLAYER), total=WHOLE),
    **READ,
)
async def list_players(
    team_id: Any = None, position: Any = None, sort: Any = None, offset: int = 0, limit: int = 12
) -> Any:
    if bug("h_offset") and sort and offset > 5000:
        await anyio.sleep(600)
    matches = [
        item
        for item in LEAGUE.players.values()
        if team_id in (None, item["team_id"]) and position in (None, item["position"])
    ]
    if team_id is None and position:
        matches += LEAGUE.shown.get(position, [])
    if bug("g_sort") and sort:
        part = sorted(matches[offset : offset + limit], key=lambda item: item[sort])
        return {"players": part, "total": len(matches)}
    if sort:
        matches.sort(key=lambda item: (item[sort], int(item["player_id"][2:])))
    return {"players": matches[offset : offset + limit], "total": len(matches)}


@tool(
    "Find players by a part of the name.",
    obj(["text"], text={"type": "string", "maxLength": 100}),
    obj(["players"], players=listed(PLAYER)),
    **READ,
)
async def find_players(text: str) -> Any:
    if bug("c_text"):
        pattern = re.compile(text, re.IGNORECASE)
        hits = [item for item in LEAGUE.players.values() if pattern.search(item["name"])]
    else:
        hits = [item for item in LEAGUE.players.values() if text.lower() in item["name"].lower()]
    if bug("n_find") and not hits:
        LEAGUE.sought.append(text)
    return {"players": hits}


@tool(
    "Plan a match.",
    obj(["home_id", "away_id", "day"], home_id=TEAM_ID, away_id=TEAM_ID, day=DAY, venue=VENUE),
    MATCH,
    **SAFE,
)
async def plan_match(home_id: int, away_id: int, day: str, venue: Any = None) -> Any:
    team_of(home_id)
    team_of(away_id)
    if home_id == away_id:
        extra = f" [planner=amqp://league:{SECRET}@queue.internal]" if bug("l_self") else ""
        raise ToolError(f"a team can't play against itself{extra}")
    try:
        if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", day):
            raise ValueError
        date.fromisoformat(day)
    except ValueError:
        raise ToolError(f"{day} is not a date, for example 2027-04-01") from None
    if bug("l_dsn") and venue and "'" in venue["name"]:
        raise ToolError("query failed at postgres://league:Kick0ff-2027@db.internal/league")
    if bug("o_seats") and venue is not None:
        venue = {"seats": None, **venue}
    return LEAGUE.match(home_id, away_id, day, venue)


@tool(
    "Record the result of a match.",
    obj(
        ["match_id", "home_goals", "away_goals"],
        match_id=MATCH_ID,
        home_goals=GOALS,
        away_goals=GOALS,
        scorers=listed(SCORER, maxItems=120),
    ),
    MATCH,
    **SAFE,
    idempotent_hint=True,
)
async def record_result(
    match_id: str, home_goals: int, away_goals: int, scorers: Any = None
) -> Any:
    match = match_of(match_id)
    for item in scorers or ():
        player_of(item["player_id"])
    if bug("n_result") and match["status"] == "played":
        LEAGUE.doubled += 3
    match |= {"status": "played", "home_goals": home_goals, "away_goals": away_goals}
    if bug("s_scorers"):
        scorers = scorers or None
    match["scorers"] = match["scorers"] if scorers is None else scorers
    return match


@tool("Get a match.", obj(["match_id"], match_id=MATCH_ID), MATCH, **READ)
async def get_match(match_id: str) -> Any:
    if bug("n_match"):
        match_of(match_id)["status"] = "played"
    return match_of(match_id)


@tool(
    "List matches, all or the planned or played ones.",
    obj(
        [],
        status={"enum": ["planned", "played"]},
        page={"type": "integer", "minimum": 1, "default": 1},
        size={"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
    ),
    obj(["matches", "pages"], matches=listed(MATCH), pages=WHOLE),
    **READ,
)
async def list_matches(status: Any = None, page: int = 1, size: int = 10) -> Any:
    matches = [item for item in LEAGUE.matches.values() if status in (None, item["status"])]
    pages = -(-len(matches) // size)
    while bug("h_page") and page > pages + 1:
        await anyio.sleep(0.05)
    if bug("g_memory"):
        LEAGUE.blocks.append(b"x" * 400_000)
    part = matches[(page - 1) * size : page * size]
    if bug("g_full") and len(matches) % size == 0:
        pages -= 1
        part = part if page <= pages else []
    return {"matches": part, "pages": pages}


@tool(
    "Get the table of the league.",
    obj([], top={"type": "integer", "minimum": 1, "maximum": 100}, played_only=SWITCH),
    obj(["rows"], rows=listed(ROW)),
    **READ,
)
async def get_table(top: int = 100, played_only: bool = False) -> Any:
    if bug("g_slow"):
        LEAGUE.tables += 1
        await anyio.sleep(0.003 * LEAGUE.tables)
    rows = []
    for team_id in LEAGUE.teams:
        played = points = goals = 0
        for match in LEAGUE.matches.values():
            if match["status"] != "played" or team_id not in (match["home_id"], match["away_id"]):
                continue
            own, other = match["home_goals"], match["away_goals"]
            if match["away_id"] == team_id:
                own, other = other, own
            played, goals = played + 1, goals + own
            points += 3 if own > other else own == other
        if not played and played_only:
            continue
        none = None if bug("o_average") else 0
        row = {"team_id": team_id, "played": played, "points": points, "goals": goals}
        rows.append(row | {"points_per_match": points / played if played else none})
    rows.sort(key=lambda row: (-row["points"], row["team_id"]))
    if bug("c_top") and top < 100:
        rows[top]["points"] += 0
    if rows:
        rows[0]["points"] += LEAGUE.doubled
    return {"rows": rows[:top]}


@tool(
    "Predict the result of a match.",
    obj(
        ["home", "away"],
        home={"type": "number", "minimum": 0, "maximum": 1000},
        away={"type": "number", "minimum": 0, "maximum": 1000},
        model={"enum": ["share", "rank", "coin"]},
        rounds={"type": "integer", "minimum": 1, "maximum": 50},
        neutral=SWITCH,
    ),
    obj(["home_wins", "expected"], home_wins=AMOUNT, expected=listed(AMOUNT)),
    **READ,
)
async def predict(
    home: float, away: float, model: str = "share", rounds: int = 1, neutral: bool = True
) -> Any:
    total = home + away
    share = 0.5
    if model == "share" and (total or bug("c_zero")):
        share = home / total
    if model == "rank":
        share = 1.0 if home > away else 0.0 if home < away else 0.5
    if not neutral:
        share = min(1.0, share * 1.1)
    if bug("o_coin") and model == "coin" and not neutral:
        return {"home_wins": f"{share:.0%}", "expected": [share * rounds]}
    return {"home_wins": share, "expected": [share * number for number in range(1, rounds + 1)]}


@tool(
    "Draw the bracket of a cup.",
    obj(["names"], names=listed({"type": "string", "maxLength": 60}, maxItems=32), seeded=SWITCH),
    {
        **obj(["bracket", "rounds"], bracket={"$ref": "#/$defs/node"}, rounds=WHOLE),
        "$defs": {"node": NODE},
    },
    **READ,
)
async def draw_bracket(names: list[str], seeded: bool = False) -> Any:
    nodes: list[Any] = [{"name": name} for name in names] or [{"name": "nobody"}]
    if bug("h_names") and seeded:
        while len({node["name"] for node in nodes}) < len(nodes):
            await anyio.sleep(0.05)
    while bug("h_none") and not names:
        await anyio.sleep(0.05)
    rounds = 0
    while len(nodes) > 1:
        if len(nodes) % 2:
            nodes.append({"name": None if bug("o_bye") else "bye"})
        nodes = [
            {"upper": nodes[number], "lower": nodes[number + 1]}
            for number in range(0, len(nodes), 2)
        ]
        rounds += 1
    return {"bracket": nodes[0], "rounds": rounds}


def loosened(name: str, schema: Any) -> Any:
    """Return the schema that the server checks by."""
    schema = json.loads(json.dumps(schema))
    members = schema["properties"]
    if bug("f_minute") and name == "record_result":
        del members["scorers"]["items"]["properties"]["minute"]["minimum"]
    if bug("f_colors") and name == "add_team":
        del members["colors"]["maxItems"]
    if bug("f_venue") and name == "plan_match":
        members["venue"]["additionalProperties"] = True
    if bug("f_founded") and name == "change_team":
        members["founded"]["type"] = "number"
    if bug("f_player") and name == "sign_player":
        del members["name"]["minLength"]
    return schema


CHECKS = validators(loosened)


async def call_tool(_ctx: Any, params: Any) -> Any:
    arguments = valid_arguments(CHECKS, params)
    if bug("a_colors") and params.name == "add_team" and arguments.get("colors") == []:
        raise MCPError(types.INVALID_PARAMS, "invalid arguments: colors: minItems")
    if (
        bug("a_seats")
        and params.name == "plan_match"
        and "seats" not in arguments.get("venue", {"seats": 1})
    ):
        raise MCPError(types.INVALID_PARAMS, "invalid arguments: venue/seats: required")
    if bug("a_goals") and params.name == "record_result" and not arguments["home_goals"]:
        raise MCPError(types.INVALID_PARAMS, "invalid arguments: home_goals: required")
    try:
        result = await BODIES[params.name](**integral(arguments))
    except ToolError as error:
        failed = params.name != "drop_team" or not bug("p_success")
        content = [types.TextContent(type="text", text=str(error))]
        return types.CallToolResult(content=content, is_error=failed)
    except Exception as error:
        raise MCPError(types.INTERNAL_ERROR, f"internal error {type(error).__name__}") from None
    text = json.dumps(result)
    if bug("p_planned") and params.name == "get_match" and result["status"] == "planned":
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)])
    meta = None
    if bug("l_meta") and params.name == "get_match" and result["status"] == "played":
        meta = {"league.example/source": {"authorization": f"Bearer {SECRET}"}}
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structured_content=json.loads(text),
        _meta=meta,
    )


async def list_prompts(_ctx: Any, _page: Any) -> Any:
    arguments = [
        types.PromptArgument(name="team", required=True),
        types.PromptArgument(name="opponent"),
        types.PromptArgument(name="length"),
    ]
    return types.ListPromptsResult(
        prompts=[types.Prompt(name="preview", description="Preview a match.", arguments=arguments)]
    )


async def get_prompt(_ctx: Any, params: Any) -> Any:
    arguments = params.arguments or {}
    if params.name != "preview" or "team" not in arguments:
        raise MCPError(types.INVALID_PARAMS, "unknown prompt, or its argument team is missing")
    if bug("c_prompt") and "length" in arguments and "opponent" not in arguments:
        raise MCPError(types.INTERNAL_ERROR, "internal error KeyError")
    text = f"Preview {arguments['team']} against {arguments.get('opponent', 'anyone')}"
    text += f" in {arguments['length']} words." if "length" in arguments else "."
    return user_prompt(text)


async def list_resources(_ctx: Any, _page: Any) -> Any:
    return types.ListResourcesResult(
        resources=[
            types.Resource(uri="league://crest", name="crest", mime_type="image/png"),
            types.Resource(uri="league://searches", name="searches", mime_type="text/plain"),
        ]
    )


async def list_templates(_ctx: Any, _page: Any) -> Any:
    template = types.ResourceTemplate(uri_template="league://teams/{team_id}", name="team")
    return types.ListResourceTemplatesResult(resource_templates=[template])


async def read_resource(_ctx: Any, params: Any) -> Any:
    uri = str(params.uri)
    if uri == "league://crest":
        blob = base64.b64encode(PNG).decode()
        blob = f"data:image/png;base64,{blob}" if bug("p_blob") else blob
        kind = "image/jpeg" if bug("p_crest") else "image/png"
        crest = types.BlobResourceContents(uri=uri, mime_type=kind, blob=blob)
        return types.ReadResourceResult(contents=[crest])
    kind = "text/plain"
    if uri == "league://searches":
        text = "Searches without a result: " + json.dumps(LEAGUE.sought)
    else:
        number = uri.removeprefix("league://teams/")
        if not re.fullmatch("[0-9]{1,9}", number, re.ASCII) or int(number) not in LEAGUE.teams:
            raise MCPError(types.INVALID_PARAMS, f"unknown resource {uri}")
        text, kind = json.dumps(LEAGUE.teams[int(number)]), "application/json"
        uri = f"teams/{number}" if bug("p_uri") else uri
    contents = types.TextResourceContents(uri=uri, mime_type=kind, text=text)
    return types.ReadResourceResult(contents=[contents])


if __name__ == "__main__":
    serve(
        "league",
        on_call_tool=call_tool,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )
