"""A server of a small bank with the SDK's low-level server. SEEDED_BUG names its bugs."""

from __future__ import annotations

import json
import os
import re
from datetime import date, timedelta
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

SECRET = os.environ.get("BANK_SECRET", "")
CURRENCIES = {"EUR": 1.0, "USD": 1.1, "JPY": 160.0, "CHF": 0.95}
KINDS = ["checking", "savings", "shared"]
CATEGORIES = ["rent", "food", "travel", "other"]
INTERVALS = {"week": 0, "month": 1, "quarter": 3}
WHOLE = {"type": "integer", "minimum": 0}
CENTS = {"type": "integer"}
SOME_CENTS = {"type": "integer", "minimum": 1, "maximum": 10_000_000}
DAY = {"type": "string", "format": "date"}
MEMO = {"type": "string", "maxLength": 140}
ACCOUNT_ID = {"type": "string", "minLength": 1, "description": "ID of an account."}
ORDER_ID = {"type": "integer", "minimum": 1, "description": "ID of a standing order."}
CURRENCY = {"type": "string", "enum": list(CURRENCIES)}
KIND = {"type": "string", "enum": KINDS}
CATEGORY = {"type": "string", "enum": CATEGORIES}
INTERVAL = {"type": "string", "enum": list(INTERVALS)}
REFERENCE = {"type": "string", "pattern": "^[A-Z]{2}[0-9]{6}$"}
OVERDRAFT = {"type": "integer", "minimum": 0, "maximum": 500_000}
HOLDER = {"type": "string", "minLength": 1, "maxLength": 80}
ALERTS = {
    "type": "object",
    "properties": {"low_cents": WHOLE, "large_cents": WHOLE, "weekly": {"type": "boolean"}},
    "additionalProperties": False,
    "minProperties": 1,
}
ACCOUNT = obj(
    ["account_id", "holder", "kind", "currency", "balance_cents", "overdraft_cents", "nickname"],
    account_id=ACCOUNT_ID,
    holder=HOLDER,
    kind=KIND,
    currency=CURRENCY,
    balance_cents=CENTS,
    overdraft_cents=OVERDRAFT,
    nickname={"type": ["string", "null"]},
    alerts=ALERTS,
)
ENTRY = obj(
    ["number", "account_id", "cents", "memo", "balance_cents"],
    number={"type": "integer", "minimum": 1},
    account_id=ACCOUNT_ID,
    cents=CENTS,
    memo=TEXT,
    reference=REFERENCE,
    balance_cents=CENTS,
)
ORDER_PARTS = {
    "account_id": ACCOUNT_ID,
    "to_id": ACCOUNT_ID,
    "cents": SOME_CENTS,
    "every": INTERVAL,
    "first_day": DAY,
    "end_day": DAY,
}
ORDER = obj(
    ["order_id", "account_id", "to_id", "cents", "every", "first_day", "second_day"],
    order_id=ORDER_ID,
    **ORDER_PARTS,
    second_day=DAY,
)
BUDGET = obj(
    ["category", "limit_cents", "note"],
    category=CATEGORY,
    limit_cents=WHOLE,
    note=TEXT,
)
SHARE = obj(
    ["name", "weight"],
    name={"type": "string", "minLength": 1, "maxLength": 60},
    weight={"type": "integer", "minimum": 0, "maximum": 100},
)


class Bank:
    """Accounts, their entries, standing orders and budgets."""

    def __init__(self) -> None:
        self.accounts: dict[str, Any] = {}
        self.entries: list[Any] = []
        self.orders: dict[int, Any] = {}
        self.budgets: dict[str, list[Any]] = {}
        self.left: list[Any] = []
        self.last = {"account": 0, "order": 0}
        self.reads = 0
        holders = ["Ida Falk", "Omar Haddad", "Mei Lin", "Ida Falk-Berg"]
        for number in range(14):
            kind, currency = KINDS[number % 3], list(CURRENCIES)[number % 4]
            opened = self.open(holders[number % 4], kind, currency)
            if number % 3:
                opened["nickname"] = f"Pot {number}"
        for number in range(40):
            memo = ["salary", "rent april", "groceries", "Ticket 50% off"][number % 4]
            self.book(f"ac-{number % 5 + 1}", 40_000 + number, memo)
        for number in range(5):
            self.order(f"ac-{number + 1}", f"ac-{number + 2}", 500, "month", "2027-03-01")

    def open(self, holder: str, kind: str, currency: str) -> Any:
        self.last["account"] += 1
        account_id = f"ac-{self.last['account']}"
        opened = {"account_id": account_id, "holder": holder, "kind": kind, "currency": currency}
        opened |= {"balance_cents": 0, "overdraft_cents": 0, "nickname": None}
        self.accounts[account_id] = opened
        return opened

    def book(self, account_id: str, cents: int, memo: str, reference: str | None = None) -> Any:
        account = self.accounts[account_id]
        account["balance_cents"] += cents
        entry = {"number": len(self.entries) + 1, "account_id": account_id, "cents": cents}
        entry |= {"memo": memo, "balance_cents": account["balance_cents"]}
        if reference is not None:
            entry["reference"] = reference
        self.entries.append(entry)
        return entry

    def order(self, account_id: str, to_id: str, cents: int, every: str, first_day: str) -> Any:
        self.last["order"] += 1
        added = {"order_id": self.last["order"], "account_id": account_id, "to_id": to_id}
        added |= {"cents": cents, "every": every, "first_day": first_day}
        added["second_day"] = day_after(day_of(first_day), every).isoformat()
        self.orders[added["order_id"]] = added
        return added


def day_of(text: str) -> date:
    try:
        if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
            raise ValueError
        return date.fromisoformat(text)
    except ValueError:
        raise ToolError(f"{text} is not a date, for example 2027-03-01") from None


def day_after(day: date, every: str) -> date:
    """Return the day of the next payment, at most the last day of its month."""
    try:
        if not INTERVALS[every]:
            return day + timedelta(days=7)
        months = day.year * 12 + day.month - 1 + INTERVALS[every]
        first = date(months // 12, months % 12 + 1, 1)
        if bug("c_month"):
            return first.replace(day=day.day)
        following = date((months + 1) // 12, (months + 1) % 12 + 1, 1)
    except (ValueError, OverflowError):
        if bug("c_month"):
            raise
        raise ToolError(f"{day.isoformat()} is too late") from None
    return first.replace(day=min(day.day, (following - first).days))


BANK = Bank()


def account_of(account_id: str) -> Any:
    if account_id not in BANK.accounts:
        extra = ""
        if bug("l_closed") and any(item["account_id"] == account_id for item in BANK.left):
            extra = f"; archive at https://archive:{SECRET}@archive.internal/"
        raise ToolError(f"there is no account {account_id}{extra}")
    return BANK.accounts[account_id]


async def require_money(account: Any, cents: int) -> None:
    if account["balance_cents"] + account["overdraft_cents"] < cents:
        raise ToolError(f"the account has only {account['balance_cents']} cents")


@tool(
    "Open an account.",
    obj(
        ["holder", "kind", "currency"],
        holder=HOLDER,
        kind=KIND,
        currency=CURRENCY,
        overdraft_cents=OVERDRAFT,
        nickname={"type": ["string", "null"], "maxLength": 40},
        alerts=ALERTS,
    ),
    ACCOUNT,
    **SAFE,
)
async def open_account(holder: str, kind: str, currency: str, **more: Any) -> Any:
    opened = BANK.open(holder, kind, currency)
    opened |= more
    return opened


@tool("Get an account.", obj(["account_id"], account_id=ACCOUNT_ID), ACCOUNT, **READ)
async def get_account(account_id: str) -> Any:
    return account_of(account_id)


@tool(
    "Update an account. Only the given members change.",
    obj(
        ["account_id"],
        account_id=ACCOUNT_ID,
        holder=HOLDER,
        overdraft_cents=OVERDRAFT,
        nickname={"type": ["string", "null"], "maxLength": 40},
        alerts=ALERTS,
    ),
    ACCOUNT,
    **SAFE,
    idempotent_hint=True,
)
async def update_account(account_id: str, **changes: Any) -> Any:
    account = account_of(account_id)
    if bug("a_overdraft") and "overdraft_cents" in changes and not changes["overdraft_cents"]:
        raise ToolError("overdraft_cents must be a positive number")
    if bug("s_nickname") and changes.get("nickname", "") is None:
        del changes["nickname"]
    if bug("n_alerts") and changes.get("alerts", {}).get("weekly"):
        weekly = account.get("alerts", {}).get("weekly", False)
        changes["alerts"] = {**changes["alerts"], "weekly": not weekly}
    account |= changes
    if bug("s_holder") and "overdraft_cents" in changes:
        for other in BANK.accounts.values():
            if other["kind"] == account["kind"]:
                other["overdraft_cents"] = changes["overdraft_cents"]
    return account


@tool(
    "Close an account that has no money and no standing orders.",
    obj(["account_id"], account_id=ACCOUNT_ID),
    obj(["closed"], closed=ACCOUNT_ID),
    **DESTROYS,
)
async def close_account(account_id: str) -> Any:
    account = account_of(account_id)
    if account["balance_cents"]:
        extra = f"; ledger login teller, password={SECRET}" if bug("l_balance") else ""
        raise ToolError(f"the account still has {account['balance_cents']} cents{extra}")
    if any(account_id in (item["account_id"], item["to_id"]) for item in BANK.orders.values()):
        raise ToolError("the account still has standing orders")
    BANK.left.append(BANK.accounts.pop(account_id))
    return {"closed": account_id}


@tool(
    "List accounts, all or those of a kind or currency.",
    obj(
        [],
        kind=KIND,
        currency=CURRENCY,
        page={"type": "integer", "minimum": 1, "default": 1},
        page_size={"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
    ),
    obj(["accounts", "total"], accounts=listed(ACCOUNT), total=WHOLE),
    **READ,
)
async def list_accounts(
    kind: Any = None, currency: Any = None, page: int = 1, page_size: int = 10
) -> Any:
    kept = list(BANK.accounts.values())
    if bug("s_close"):
        kept += BANK.left
    of_kind = [item for item in kept if kind in (None, item["kind"])]
    matches = [item for item in of_kind if currency in (None, item["currency"])]
    counted = of_kind if bug("g_total") else matches
    if bug("g_fifty") and page_size == 50:
        page_size = 10
    part = matches[(page - 1) * page_size : page * page_size]
    if bug("o_shared") and kind == "shared":
        part = [{**item, "overdraft_cents": None} for item in part]
    return {"accounts": part, "total": len(counted)}


@tool(
    "Pay money into an account.",
    obj(["account_id", "cents"], account_id=ACCOUNT_ID, cents=SOME_CENTS, memo=MEMO),
    ENTRY,
    **SAFE,
)
async def deposit(account_id: str, cents: int, memo: str = "") -> Any:
    account_of(account_id)
    if bug("c_memo") and memo:
        BANK.reads += memo.split(maxsplit=1)[0] == "refund"
    return BANK.book(account_id, cents, memo)


@tool(
    "Take money from an account.",
    obj(["account_id", "cents"], account_id=ACCOUNT_ID, cents=SOME_CENTS, memo=MEMO),
    ENTRY,
    **SAFE,
)
async def withdraw(account_id: str, cents: int, memo: str = "") -> Any:
    account = account_of(account_id)
    try:
        await require_money(account, cents)
    except ToolError:
        if bug("l_log"):
            await log(f"refused at ledger.internal, password={SECRET}")
        raise
    if bug("s_race"):
        before = account["balance_cents"]
        await anyio.sleep(0.02)
        account["balance_cents"] = before
    return BANK.book(account_id, -cents, memo)


@tool(
    "Transfer money to another account of the same currency.",
    obj(
        ["from_id", "to_id", "cents"],
        from_id=ACCOUNT_ID,
        to_id=ACCOUNT_ID,
        cents=SOME_CENTS,
        memo=MEMO,
        reference=REFERENCE,
    ),
    obj(["sent", "received"], sent=ENTRY, received=ENTRY),
    **SAFE,
)
async def transfer(
    from_id: str, to_id: str, cents: int, memo: str = "", reference: Any = None
) -> Any:
    source, target = account_of(from_id), account_of(to_id)
    while bug("h_self") and source is target:
        await anyio.sleep(0.05)
    if source is target:
        raise ToolError("the accounts are the same")
    if source["currency"] != target["currency"]:
        extra = f" (rates: https://fx:{SECRET}@rates.internal/v2)" if bug("l_currency") else ""
        raise ToolError(f"{from_id} and {to_id} have different currencies{extra}")
    await require_money(source, cents)
    sent = BANK.book(from_id, -cents, memo, reference)
    return {"sent": sent, "received": BANK.book(to_id, cents, memo, reference)}


@tool(
    "List the entries of an account, oldest first.",
    obj(
        ["account_id"],
        account_id=ACCOUNT_ID,
        limit={"type": "integer", "minimum": 1, "maximum": 40, "default": 5},
        cursor={"type": "string", "description": "next_cursor of the page before."},
    ),
    obj(["entries"], entries=listed(ENTRY), next_cursor=TEXT),
    **READ,
)
async def list_entries(account_id: str, limit: int = 5, cursor: str = "") -> Any:
    account_of(account_id)
    if cursor and not re.fullmatch("e[0-9]{1,7}", cursor, re.ASCII):
        raise ToolError("cursor: use the next_cursor of a page")
    after = int(cursor[1:]) if cursor else 0
    rest = [
        item for item in BANK.entries if item["account_id"] == account_id and item["number"] > after
    ]
    result: dict[str, Any] = {"entries": rest[:limit]}
    more = len(rest) > limit + 1 if bug("g_last") else len(rest) > limit
    if more:
        result["next_cursor"] = f"e{rest[limit - 1]['number']}"
    return result


@tool(
    "Search entries by a part of the memo.",
    obj(
        ["text"],
        text={"type": "string", "maxLength": 100},
        min_cents=CENTS,
        max_cents=CENTS,
    ),
    obj(["entries"], entries=listed(ENTRY)),
    **READ,
)
async def search_entries(text: str, min_cents: Any = None, max_cents: Any = None) -> Any:
    if bug("l_search") and "%" in text:
        raise ToolError("bad pattern, at postgresql://teller:Vault-2027@db.internal/ledger")
    if bug("h_range") and None not in (min_cents, max_cents):
        while min_cents > max_cents:
            await anyio.sleep(0.05)
    if bug("g_memory"):
        BANK.left.append({"account_id": "", "text": b"x" * 400_000})
    lowered = text.lower()
    hits = [
        item
        for item in BANK.entries
        if lowered in item["memo"].lower()
        and (min_cents is None or item["cents"] >= min_cents)
        and (max_cents is None or item["cents"] <= max_cents)
    ]
    return {"entries": hits}


@tool(
    "Create a standing order.",
    obj(["account_id", "to_id", "cents", "every", "first_day"], **ORDER_PARTS),
    ORDER,
    **SAFE,
)
async def create_standing_order(
    account_id: str, to_id: str, end_day: Any = None, **parts: Any
) -> Any:
    account_of(account_id)
    account_of(to_id)
    if account_id == to_id:
        raise ToolError("the accounts are the same")
    first = day_of(parts["first_day"])
    if end_day is not None and day_of(end_day) < first:
        while bug("h_end"):
            await anyio.sleep(0.05)
        raise ToolError("the last day is before the first")
    if (
        bug("c_daily")
        and end_day is not None
        and parts["cents"] / (day_of(end_day) - first).days < 0
    ):
        raise ToolError("the amount is too small")
    if bug("n_order"):
        for number, item in list(BANK.orders.items()):
            if (item["account_id"], item["to_id"]) == (account_id, to_id):
                del BANK.orders[number]
    added = BANK.order(account_id, to_id, **parts)
    if end_day is not None:
        added["end_day"] = end_day
    return added


@tool(
    "List standing orders, all or those of an account.",
    obj([], account_id=ACCOUNT_ID),
    obj(["orders"], orders=listed(ORDER)),
    **READ,
)
async def list_standing_orders(account_id: Any = None) -> Any:
    orders = [item for item in BANK.orders.values() if account_id in (None, item["account_id"])]
    if bug("n_orders") and account_id is not None:
        for item in orders:
            BANK.book(account_id, -item["cents"], "standing order")
    return {"orders": orders}


@tool(
    "Cancel a standing order.",
    obj(["order_id"], order_id=ORDER_ID),
    obj(["canceled"], canceled=ORDER_ID),
    **DESTROYS,
)
async def cancel_standing_order(order_id: int) -> Any:
    if order_id not in BANK.orders:
        raise ToolError(f"there is no standing order {order_id}")
    canceled = BANK.orders.pop(order_id)
    if bug("s_orders"):
        for number, item in list(BANK.orders.items()):
            if item["account_id"] == canceled["account_id"]:
                del BANK.orders[number]
    return {"canceled": order_id}


@tool(
    "Set the budget of a category.",
    obj(["category", "limit_cents"], category=CATEGORY, limit_cents=WHOLE, note=MEMO),
    BUDGET,
    **SAFE,
    idempotent_hint=True,
)
async def set_budget(category: str, limit_cents: int, note: str = "") -> Any:
    budget = {"category": category, "limit_cents": limit_cents, "note": note}
    if bug("n_budget") and category in BANK.budgets:
        BANK.budgets[category].append(budget)
    else:
        BANK.budgets[category] = [budget]
    return budget


@tool("Get the budgets.", obj([]), obj(["budgets"], budgets=listed(BUDGET)), **READ)
async def get_budgets() -> Any:
    if bug("g_slow"):
        BANK.reads += 1
        await anyio.sleep(0.002 * BANK.reads)
    return {"budgets": [item for of_one in BANK.budgets.values() for item in of_one]}


@tool(
    "Convert an amount to another currency.",
    obj(
        ["cents", "source", "target"],
        cents={"type": "integer", "minimum": 0, "maximum": 1_000_000_000},
        source=CURRENCY,
        target=CURRENCY,
        fee_percent={"type": "number", "minimum": 0, "maximum": 20},
    ),
    obj(["cents", "rate"], cents=WHOLE, rate={"type": "number", "exclusiveMinimum": 0}),
    **READ,
)
async def convert(cents: int, source: str, target: str, fee_percent: float = 0) -> Any:
    if bug("o_same") and source == target:
        return {"cents": cents}
    rate = CURRENCIES[target] / CURRENCIES[source]
    if bug("o_fee"):
        fee_percent *= 10
    return {"cents": round(cents * rate * (1 - fee_percent / 100)), "rate": rate}


@tool(
    "Plan the payments of a loan.",
    obj(
        ["cents", "percent", "months"],
        cents=SOME_CENTS,
        percent={"type": "number", "minimum": 0, "maximum": 30, "description": "Interest a year."},
        months={"type": "integer", "minimum": 1, "maximum": 120},
        first_free={"type": "boolean", "description": "Nothing is paid in the first month."},
    ),
    obj(
        ["payment_cents", "interest_cents", "left_cents"],
        payment_cents=WHOLE,
        interest_cents=WHOLE,
        left_cents=listed(WHOLE),
    ),
    **READ,
)
async def plan_loan(cents: int, percent: float, months: int, first_free: bool = False) -> Any:
    rate = percent / 1200
    if rate or bug("c_interest"):
        payment = round(cents * rate / (1 - (1 + rate) ** -months))
    else:
        payment = round(cents / months)
    left, interest = cents, 0
    rows: list[Any] = [cents] if first_free else []
    if bug("o_free") and first_free:
        rows = [cents * (1 + rate)]
    while bug("h_month") and first_free and months == 1:
        await anyio.sleep(0.05)
    while left > 0 and len(rows) < 400:
        added = round(left * rate)
        interest += added
        left = max(0, left + added - max(payment, 1)) if len(rows) < months else 0
        rows.append(left)
    return {"payment_cents": payment, "interest_cents": interest, "left_cents": rows}


@tool(
    "Split a bill by weights. All cents are given out.",
    obj(
        ["total_cents", "shares"],
        total_cents={"type": "integer", "minimum": 0, "maximum": 10_000_000},
        shares=listed(SHARE, minItems=1, maxItems=20),
    ),
    obj(["parts"], parts=listed(obj(["name", "cents"], name=TEXT, cents=WHOLE))),
    **READ,
)
async def split_bill(total_cents: int, shares: list[Any]) -> Any:
    if bug("a_shares") and len(shares) >= 20:
        raise ToolError("shares: too many")
    weights = [item["weight"] for item in shares]
    while bug("h_weights") and not sum(weights):
        await anyio.sleep(0.05)
    weights = weights if sum(weights) else [1] * len(shares)
    if bug("o_cents"):
        parts: list[Any] = [total_cents * weight / sum(weights) for weight in weights]
    else:
        parts = [total_cents * weight // sum(weights) for weight in weights]
        for number in range(total_cents - sum(parts)):
            parts[number % len(parts)] += 1
    pairs = zip(shares, parts, strict=True)
    return {"parts": [{"name": item["name"], "cents": part} for item, part in pairs]}


def rows_of(account_id: str) -> list[str]:
    of_account = [item for item in BANK.entries if item["account_id"] == account_id]
    return [f"{item['number']};{item['cents']}" for item in of_account]


@tool(
    "Export the entries of an account as CSV.",
    obj(["account_id"], account_id=ACCOUNT_ID, header={"type": "boolean"}),
    **READ,
)
async def export_entries(account_id: str, header: bool = False) -> Any:
    account_of(account_id)
    rows = ["number;cents"] if header else []
    rows += rows_of(account_id)
    if bug("c_export"):
        rows[-1] = rows_of(account_id)[-1]
    if bug("n_export") and header:
        for item in BANK.entries:
            if item["account_id"] == account_id:
                item["memo"] = item["memo"].removesuffix(" (exported)") + " (exported)"
    uri = f"{'' if bug('p_uri') else 'bank://'}accounts/{account_id}/entries"
    kind = "csv" if bug("p_header") and header else "text/csv"
    contents = types.TextResourceContents(uri=uri, mime_type=kind, text="\n".join(rows))
    return [types.EmbeddedResource(type="resource", resource=contents)]


def loosened(name: str, schema: Any) -> Any:
    """Return the schema that the server checks by."""
    # In Python, $ also matches before a line break at the end.
    schema = json.loads(json.dumps(schema).replace('$"', r'\\Z"'))
    members = schema["properties"]
    if bug("f_reference") and name == "transfer":
        members["reference"]["pattern"] = "[A-Z]{2}[0-9]{6}"
    if bug("f_alerts") and name == "update_account":
        del members["alerts"]["minProperties"]
    if bug("f_weight") and name == "split_bill":
        del members["shares"]["items"]["properties"]["weight"]["minimum"]
    if bug("f_limit") and name == "list_entries":
        del members["limit"]["maximum"]
    if bug("f_unknown") and name == "open_account":
        del members["alerts"]["additionalProperties"]
    return schema


CHECKS = validators(loosened)
SESSIONS: list[Any] = []


async def log(text: str) -> None:
    await SESSIONS[-1].send_log_message(level="info", data=text)


async def set_level(_ctx: Any, _params: Any) -> Any:
    return types.EmptyResult()


def refuse_floats(arguments: Any) -> None:
    cents = arguments.get("cents")
    if isinstance(cents, float):
        raise MCPError(types.INVALID_PARAMS, "invalid arguments: cents: type")


async def call_tool(ctx: Any, params: Any) -> Any:
    SESSIONS[:] = [ctx.session]
    arguments = valid_arguments(CHECKS, params)
    if bug("a_float") and params.name == "deposit":
        refuse_floats(arguments)
    if bug("a_memo") and params.name == "deposit" and arguments.get("memo") == "":
        raise MCPError(types.INVALID_PARAMS, "invalid arguments: memo: minLength")
    if bug("a_percent") and params.name == "plan_loan" and arguments["percent"] % 1:
        raise MCPError(types.INVALID_PARAMS, "invalid arguments: percent: type")
    try:
        result = await BODIES[params.name](**integral(arguments))
    except ToolError as error:
        content = [types.TextContent(type="text", text=str(error))]
        if bug("p_refused") and params.name == "transfer":
            failed: dict[str, Any] = {"sent": None, "received": None}
            return types.CallToolResult(content=content, structured_content=failed)
        return types.CallToolResult(content=content, is_error=True)
    except Exception as error:
        raise MCPError(types.INTERNAL_ERROR, f"internal error {type(error).__name__}") from None
    if isinstance(result, list):
        return types.CallToolResult(content=result)
    if bug("p_none") and params.name == "list_standing_orders" and not result["orders"]:
        nothing = types.TextContent(type="text", text="no standing orders")
        return types.CallToolResult(content=[nothing])
    text = json.dumps(result)
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structured_content=json.loads(text),
    )


async def list_prompts(_ctx: Any, _page: Any) -> Any:
    arguments = [
        types.PromptArgument(name="account", required=True),
        types.PromptArgument(name="tone"),
    ]
    prompt = types.Prompt(name="advise", description="Give advice on savings.", arguments=arguments)
    return types.ListPromptsResult(prompts=[prompt])


async def get_prompt(_ctx: Any, params: Any) -> Any:
    arguments = params.arguments or {}
    unknown = params.name != "advise" and not bug("p_unknown")
    if unknown or "account" not in arguments:
        raise MCPError(types.INVALID_PARAMS, "unknown prompt, or its argument account is missing")
    text = f"Give advice on how to save with account {arguments['account']}"
    return user_prompt(text + (f" in a {arguments['tone']} tone." if "tone" in arguments else "."))


async def list_resources(_ctx: Any, _page: Any) -> Any:
    rates = types.Resource(uri="bank://rates", name="rates", mime_type="application/json")
    return types.ListResourcesResult(resources=[rates])


async def list_templates(_ctx: Any, _page: Any) -> Any:
    template = types.ResourceTemplate(uri_template="bank://accounts/{account_id}", name="account")
    return types.ListResourceTemplatesResult(resource_templates=[template])


async def read_resource(_ctx: Any, params: Any) -> Any:
    uri = str(params.uri)
    kind = "application/json"
    account_id, _, part = uri.removeprefix("bank://accounts/").partition("/")
    if uri == "bank://rates":
        text = json.dumps(CURRENCIES)
    elif account_id in BANK.accounts and part == "entries":
        text, kind = "\n".join(rows_of(account_id)), "text/csv"
    elif account_id in BANK.accounts and not part:
        text = json.dumps(BANK.accounts[account_id])
    else:
        raise MCPError(types.INVALID_PARAMS, f"unknown resource {uri}")
    contents = types.TextResourceContents(uri=uri, mime_type=kind, text=text)
    return types.ReadResourceResult(contents=[contents])


if __name__ == "__main__":
    logging = {"on_set_logging_level": set_level} if bug("l_log") else {}
    serve(
        "bank",
        on_call_tool=call_tool,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        **logging,
    )
