"""A server of an internet forum, JSON-RPC over stdio. SEEDED_BUG names its bugs."""

from __future__ import annotations

import base64
import copy
import difflib
import html
import json
import os
import re
import threading
import time
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
    serve,
    tool,
)

SECRET = os.environ.get("FORUM_SECRET", "")
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(90))
BOARDS = ["news", "help", "garage", "chat"]
TAGS = ["urgent", "solved", "photo", "question"]
WHOLE = {"type": "integer", "minimum": 0}
SWITCH = {"type": "boolean"}
THREAD_ID = {"type": "integer", "minimum": 1, "description": "ID of a thread."}
POST_ID = {"type": "string", "minLength": 1, "description": "ID of a post."}
MEMBER_ID = {"type": "string", "minLength": 1, "description": "ID of a member."}
MESSAGE_ID = {"type": "integer", "minimum": 1, "description": "ID of a message."}
BOARD = {"type": "string", "enum": BOARDS}
BODY = {"type": "string", "minLength": 1, "maxLength": 2000}
TAG = {"type": "string", "minLength": 1, "maxLength": 20}
POLL = obj(
    ["question", "options"],
    question={"type": "string", "minLength": 1, "maxLength": 200},
    options=listed({"type": "string", "minLength": 1, "maxLength": 60}, minItems=2, maxItems=6),
    multiple=SWITCH,
)
THREAD_PARTS = {
    "title": {"type": "string", "minLength": 1, "maxLength": 120},
    "tags": listed(TAG, uniqueItems=True, maxItems=6),
    "pinned": SWITCH,
    "color": {"type": ["string", "null"], "pattern": "^#[0-9a-f]{6}$"},
}
THREAD = obj(
    ["thread_id", "board", *THREAD_PARTS, "posts"],
    thread_id=THREAD_ID,
    board=BOARD,
    **THREAD_PARTS,
    poll=POLL,
    posts=WHOLE,
)
POST = obj(
    ["post_id", "thread_id", "parent_id", "body", "votes"],
    post_id=POST_ID,
    thread_id=THREAD_ID,
    parent_id={"anyOf": [POST_ID, {"type": "null"}]},
    body=BODY,
    votes={"type": "integer"},
)
TREE = obj(
    ["post_id", "body", "replies"],
    post_id=POST_ID,
    body=TEXT,
    replies=listed({"$ref": "#/$defs/tree"}),
)
RESULTS = obj(
    ["voters", "options"],
    voters=WHOLE,
    options=listed(
        obj(
            ["text", "votes", "percent"],
            text=TEXT,
            votes=WHOLE,
            percent={"type": "number", "minimum": 0, "maximum": 100},
        )
    ),
)
MEMBER_PARTS = {
    "name": {"type": "string", "minLength": 1, "maxLength": 40},
    "signature": {"type": ["string", "null"], "maxLength": 200},
    "interests": listed({"type": "string", "minLength": 1, "maxLength": 30}, maxItems=10),
}
MEMBER = obj(
    ["member_id", *MEMBER_PARTS, "banned_days"],
    member_id=MEMBER_ID,
    **MEMBER_PARTS,
    banned_days=WHOLE,
)
MESSAGE = obj(
    ["message_id", "member_id", "text", "read"],
    message_id=MESSAGE_ID,
    member_id=MEMBER_ID,
    text=TEXT,
    read=SWITCH,
    files=listed(obj(["name", "bytes"], name=TEXT, bytes=WHOLE)),
)
FILTER = {
    "oneOf": [
        obj(["word"], word={"type": "string", "minLength": 1, "maxLength": 60}),
        obj(["longer_than"], longer_than=WHOLE),
        obj(["not"], **{"not": {"$ref": "#/$defs/filter"}}),
        obj(["any"], any=listed({"$ref": "#/$defs/filter"}, maxItems=8)),
    ]
}

TOOLS = [
    tool(
        "create_thread",
        "Create a thread with its first post.",
        obj(["title", "board", "body"], board=BOARD, body=BODY, poll=POLL, **THREAD_PARTS),
        THREAD,
        **SAFE,
    ),
    tool("get_thread", "Get a thread.", obj(["thread_id"], thread_id=THREAD_ID), THREAD, **READ),
    tool(
        "edit_thread",
        "Edit a thread. What isn't given stays.",
        obj(["thread_id"], thread_id=THREAD_ID, **THREAD_PARTS),
        THREAD,
        **SAFE,
        idempotentHint=True,
    ),
    tool(
        "delete_thread",
        "Delete a thread and its posts.",
        obj(["thread_id"], thread_id=THREAD_ID),
        obj(["deleted", "posts"], deleted=THREAD_ID, posts=WHOLE),
        **DESTROYS,
    ),
    tool(
        "list_threads",
        "List threads, the oldest first or by title.",
        obj(
            [],
            board=BOARD,
            tag=TAG,
            sort={"enum": ["oldest", "title"]},
            offset={"type": "integer", "minimum": 0, "default": 0},
            limit={"type": "integer", "minimum": 1, "maximum": 50, "default": 6},
        ),
        obj(["threads", "total"], threads=listed(THREAD), total=WHOLE),
        **READ,
    ),
    tool(
        "reply",
        "Reply to a thread, or to a post of it.",
        obj(["thread_id", "body"], thread_id=THREAD_ID, body=BODY, parent_id=POST_ID),
        POST,
        **SAFE,
    ),
    tool("get_post", "Get a post.", obj(["post_id"], post_id=POST_ID), POST, **READ),
    tool(
        "get_replies",
        "Get the posts of a thread as a tree, up to a depth.",
        obj(
            ["thread_id"],
            thread_id=THREAD_ID,
            depth={"type": "integer", "minimum": 0, "maximum": 20, "default": 20},
        ),
        {**obj(["tree"], tree=listed({"$ref": "#/$defs/tree"})), "$defs": {"tree": TREE}},
        **READ,
    ),
    tool(
        "vote_post",
        "Vote for or against a post.",
        obj(["post_id", "direction"], post_id=POST_ID, direction={"enum": ["up", "down"]}),
        POST,
        **SAFE,
    ),
    tool(
        "vote_poll",
        "Vote in the poll of a thread. A member's later vote replaces the earlier one.",
        obj(
            ["thread_id", "member_id", "choices"],
            thread_id=THREAD_ID,
            member_id=MEMBER_ID,
            choices=listed({"type": "integer", "minimum": 0, "maximum": 5}, maxItems=6),
        ),
        RESULTS,
        **SAFE,
        idempotentHint=True,
    ),
    tool(
        "search_posts",
        "Search posts for a text.",
        obj(
            ["text"],
            text={"type": "string", "maxLength": 80},
            board=BOARD,
            limit={"type": "integer", "minimum": 1, "maximum": 40, "default": 10},
        ),
        obj(["posts"], posts=listed(POST)),
        **READ,
    ),
    tool("join", "Add a member.", obj(["name"], **MEMBER_PARTS), MEMBER, **SAFE),
    tool(
        "change_member",
        "Change a member. What isn't given stays.",
        obj(["member_id"], member_id=MEMBER_ID, **MEMBER_PARTS),
        MEMBER,
        **SAFE,
        idempotentHint=True,
    ),
    tool(
        "list_members",
        "List members by number.",
        obj(
            [],
            limit={"type": "integer", "minimum": 1, "maximum": 30, "default": 5},
            cursor={"type": "string", "description": "next_cursor of the page before."},
        ),
        obj(["members"], members=listed(MEMBER), next_cursor=TEXT),
        **READ,
    ),
    tool(
        "ban_member",
        "Ban a member for some days.",
        obj(
            ["member_id", "days"],
            member_id=MEMBER_ID,
            days={"type": "integer", "minimum": 1, "maximum": 365},
            reason={"type": "string", "maxLength": 200},
        ),
        MEMBER,
        **DESTROYS,
    ),
    tool(
        "send_message",
        "Send a message to a member.",
        obj(
            ["member_id", "text"],
            member_id=MEMBER_ID,
            text={"type": "string", "minLength": 1, "maxLength": 500},
            files=listed(
                obj(
                    ["name", "bytes"],
                    name={"type": "string", "minLength": 1, "maxLength": 60},
                    bytes={"type": "integer", "minimum": 0, "maximum": 5000000},
                ),
                maxItems=4,
            ),
        ),
        MESSAGE,
        **SAFE,
    ),
    tool(
        "list_messages",
        "List the messages of a member.",
        obj(["member_id"], member_id=MEMBER_ID, unread_only=SWITCH),
        obj(["messages"], messages=listed(MESSAGE)),
        **READ,
    ),
    tool(
        "mark_read",
        "Mark messages as read.",
        obj(["message_ids"], message_ids=listed(MESSAGE_ID, maxItems=20)),
        obj(["marked"], marked=WHOLE),
        **SAFE,
        idempotentHint=True,
    ),
    tool(
        "render",
        "Render a text with **bold** words and links as HTML.",
        obj(
            ["text"],
            text={"type": "string", "maxLength": 2000},
            links={"enum": ["keep", "strip", "count"]},
            width={"type": "integer", "minimum": 1, "maximum": 200},
        ),
        obj(["html", "links"], html=TEXT, links=WHOLE),
        **READ,
    ),
    tool(
        "compare",
        "Compare two texts line by line.",
        obj(
            ["old", "new"],
            old={"type": "string", "maxLength": 2000},
            new={"type": "string", "maxLength": 2000},
            context={"type": "integer", "minimum": 0, "maximum": 10},
        ),
        obj(["added", "removed", "lines"], added=WHOLE, removed=WHOLE, lines=listed(TEXT)),
        **READ,
    ),
    tool(
        "check_filter",
        "Check if a filter matches a text.",
        {
            **obj(
                ["filter", "text"],
                filter={"$ref": "#/$defs/filter"},
                text={"type": "string", "maxLength": 500},
            ),
            "$defs": {"filter": FILTER},
        },
        obj(["matches"], matches=SWITCH),
        **READ,
    ),
    tool(
        "draw_avatar",
        "Draw the avatar of a member.",
        obj(
            ["member_id"],
            member_id=MEMBER_ID,
            size={"type": "integer", "minimum": 8, "maximum": 256},
            shape={"enum": ["square", "round", "hexagon"]},
        ),
        **READ,
    ),
]
SCHEMAS = {item["name"]: item for item in TOOLS}
PROMPTS: list[dict[str, Any]] = [
    {
        "name": "summarize",
        "description": "Summarize a thread.",
        "arguments": [{"name": "thread", "required": True}, {"name": "style"}],
    }
]


class Forum:
    """Threads, posts, members and messages."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.threads: dict[int, Any] = {}
        self.posts: dict[str, Any] = {}
        self.members: dict[str, Any] = {}
        self.messages: dict[int, Any] = {}
        self.votes: dict[int, dict[str, list[int]]] = {}
        self.reads = 0
        self.last = {"thread": 0, "post": 0, "member": 0, "message": 0}
        titles = ["Welcome", "Brakes squeal", "Paint & polish", "Old photos", "Welcome back"]
        for number in range(15):
            tags = TAGS[number % 4 : number % 4 + number % 3]
            poll = {"question": "Which?", "options": ["one", "two", "three"]}
            self.add_thread(
                f"{titles[number % 5]} {number}",
                BOARDS[number % 4],
                f"Opening of thread {number}",
                {"tags": tags, "pinned": not number % 5},
                poll if not number % 3 else None,
            )
        for number in range(26):
            thread_id = number % 7 + 1
            parent = f"post-{thread_id}" if number % 2 else None
            self.add_post(thread_id, f"Reply {number}: I've seen that, too.", parent)
        for number in range(13):
            interests = ["cars", "paint", "music"][: number % 4]
            name = ["Pia", "Rashid", "Sven", "Lucía"][number % 4]
            self.add_member(f"{name} {number}", interests=interests)
        for number in range(9):
            self.add_message(f"m{number % 3 + 1}", f"Hello number {number}", None)

    def add_thread(self, title: str, board: str, body: str, parts: Any, poll: Any) -> Any:
        self.last["thread"] += 1
        number = self.last["thread"]
        added = {"thread_id": number, "board": board, "title": title, "tags": [], "pinned": False}
        added |= {"color": None, **parts}
        self.threads[number] = added if poll is None else {**added, "poll": poll}
        self.votes[number] = {}
        self.add_post(number, body, None)
        return self.shown(number)

    def shown(self, thread_id: int) -> Any:
        if thread_id not in self.threads:
            raise ToolError(f"there is no thread {thread_id}")
        posts = sum(item["thread_id"] == thread_id for item in self.posts.values())
        return {**self.threads[thread_id], "posts": posts}

    def add_post(self, thread_id: int, body: str, parent_id: Any) -> Any:
        self.last["post"] += 1
        added = {"post_id": f"post-{self.last['post']}", "thread_id": thread_id, "body": body}
        added |= {"parent_id": parent_id, "votes": 0}
        self.posts[added["post_id"]] = added
        return added

    def post(self, post_id: str) -> Any:
        if post_id not in self.posts:
            raise ToolError(f"there is no post {post_id}")
        return self.posts[post_id]

    def add_member(self, name: str, signature: Any = None, interests: Any = ()) -> Any:
        number = self.last["member"] + 1
        if bug("s_join") and number > 13:
            self.pause(0.02)
        self.last["member"] = number
        added = {"member_id": f"m{number}", "name": name, "signature": signature}
        added |= {"interests": list(interests), "banned_days": 0}
        self.members[added["member_id"]] = added
        return added

    def member(self, member_id: str) -> Any:
        if member_id not in self.members:
            extra = f" in ldap://forum:{SECRET}@people.internal" if bug("l_member") else ""
            raise ToolError(f"there is no member {member_id}{extra}")
        return self.members[member_id]

    def add_message(self, member_id: str, text: str, files: Any) -> Any:
        self.last["message"] += 1
        added = {"message_id": self.last["message"], "member_id": member_id, "text": text}
        added["read"] = False
        if files is not None:
            added["files"] = files
        self.messages[added["message_id"]] = added
        return added

    def pause(self, seconds: float) -> None:
        """Let other requests run, as while waiting for a database."""
        self.lock.release()
        time.sleep(seconds)
        self.lock.acquire()


FORUM = Forum()


def create_thread(title: str, board: str, body: str, poll: Any = None, **parts: Any) -> Any:
    return FORUM.add_thread(title, board, body, parts, poll)


def get_thread(thread_id: int) -> Any:
    return FORUM.shown(thread_id)


def edit_thread(thread_id: int, **changes: Any) -> Any:
    FORUM.shown(thread_id)
    if bug("s_tags") and changes.get("tags") == []:
        del changes["tags"]
    if bug("s_pinned") and not changes.get("pinned", True):
        del changes["pinned"]
    if bug("n_pinned") and changes.get("pinned"):
        for item in FORUM.threads.values():
            item["pinned"] = False
    FORUM.threads[thread_id] |= changes
    return FORUM.shown(thread_id)


def delete_thread(thread_id: int) -> Any:
    FORUM.shown(thread_id)
    gone = [key for key, item in FORUM.posts.items() if item["thread_id"] == thread_id]
    for key in [] if bug("s_posts") else gone:
        del FORUM.posts[key]
    del FORUM.threads[thread_id]
    return {"deleted": thread_id, "posts": len(gone)}


def list_threads(
    board: Any = None, tag: Any = None, sort: str = "oldest", offset: int = 0, limit: int = 6
) -> Any:
    threads = [FORUM.shown(number) for number in FORUM.threads]
    if bug("c_pattern") and tag is not None:
        threads = [item for item in threads if re.search(tag, " ".join(item["tags"]))]
    matches = [
        item
        for item in threads
        if board in (None, item["board"]) and (tag is None or tag in item["tags"])
    ]
    while bug("h_tag") and tag is not None and not matches:
        time.sleep(0.01)
    if sort == "title":
        matches.sort(key=lambda item: (item["title"], item["thread_id"]))
        if bug("g_title") and offset:
            matches.sort(key=lambda item: (item["pinned"], item["title"], item["thread_id"]))
    return {"threads": matches[offset : offset + limit], "total": len(matches)}


def reply(thread_id: int, body: str, parent_id: Any = None) -> Any:
    FORUM.shown(thread_id)
    if parent_id is not None and bug("c_parent"):
        of_thread = {
            key: item for key, item in FORUM.posts.items() if item["thread_id"] == thread_id
        }
        parent_id = of_thread[parent_id]["post_id"]
    elif parent_id is not None and FORUM.post(parent_id)["thread_id"] != thread_id:
        extra = f" (mongodb://forum:{SECRET}@posts.internal)" if bug("l_parent") else ""
        raise ToolError(f"{parent_id} is a post of another thread{extra}")
    return FORUM.add_post(thread_id, body, parent_id)


def get_post(post_id: str) -> Any:
    if bug("g_slow"):
        FORUM.reads += 1
        time.sleep(0.002 * FORUM.reads)
    return FORUM.post(post_id)


def get_replies(thread_id: int, depth: int = 20) -> Any:
    FORUM.shown(thread_id)
    posts = [item for item in FORUM.posts.values() if item["thread_id"] == thread_id]

    def below(parent_id: Any, left: int) -> Any:
        if left < 0:
            return None if bug("o_depth") else []
        return [
            {
                "post_id": item["post_id"],
                "body": item["body"],
                "replies": below(item["post_id"], left - 1),
            }
            for item in posts
            if item["parent_id"] == parent_id
        ]

    return {"tree": below(None, depth)}


def vote_post(post_id: str, direction: str) -> Any:
    post = FORUM.post(post_id)
    votes = post["votes"] + (1 if direction == "up" else -1)
    if bug("s_votes"):
        FORUM.pause(0.02)
    post["votes"] = votes
    return post


def vote_poll(thread_id: int, member_id: str, choices: list[int]) -> Any:
    thread = FORUM.shown(thread_id)
    FORUM.member(member_id)
    if "poll" not in thread and not bug("c_poll"):
        raise ToolError(f"thread {thread_id} has no poll")
    poll = thread["poll"]
    if any(choice >= len(poll["options"]) for choice in choices):
        extra = f" (ballot service, key={SECRET})" if bug("l_choice") else ""
        raise ToolError(f"choices: there is no such option{extra}")
    if len(choices) > 1 and not poll.get("multiple", False):
        raise ToolError("choices: only one is allowed")
    votes = FORUM.votes[thread_id]
    key = f"{member_id}/{len(votes)}" if bug("n_poll") else member_id
    votes[key] = sorted(set(choices))
    given = [choice for of_one in votes.values() for choice in of_one]
    results = []
    for number, text in enumerate(poll["options"]):
        count = given.count(number)
        percent: Any = 100 * count / len(given) if given else 0
        if bug("o_percent") and not given:
            percent = "NaN"
        results.append({"text": text, "votes": count, "percent": percent})
    return {"voters": len(votes), "options": results}


def search_posts(text: str, board: Any = None, limit: int = 10) -> Any:
    lowered = text.lower()
    while bug("h_board") and not text and board is not None:
        time.sleep(0.05)
    hits = [
        item
        for item in FORUM.posts.values()
        if lowered in item["body"].lower()
        and (board is None or FORUM.threads[item["thread_id"]]["board"] == board)
    ]
    if bug("n_board") and board is not None:
        for item in hits:
            item["votes"] += 1
    if bug("g_board") and board is not None:
        return {"posts": hits}
    return {"posts": hits[: max(2, limit)] if bug("g_one") else hits[:limit]}


def join(name: str, **more: Any) -> Any:
    return FORUM.add_member(name, **more)


def change_member(member_id: str, **changes: Any) -> Any:
    member = FORUM.member(member_id)
    if bug("n_member") and "interests" in changes:
        changes["interests"] = (member["interests"] + changes["interests"])[-10:]
    if bug("c_signature") and "signature" in changes:
        changes["signature"] = changes["signature"].replace("\r", "")
    member |= changes
    return member


def list_members(limit: int = 5, cursor: str = "") -> Any:
    if cursor and not re.fullmatch("after-m[0-9]{1,7}", cursor, re.ASCII):
        raise ToolError("cursor: use the next_cursor of a page")
    after = int(cursor.removeprefix("after-m")) if cursor else 0
    rest = [item for item in FORUM.members.values() if int(item["member_id"][1:]) > after]
    if bug("g_cursor"):
        rest = [item for item in FORUM.members.values() if item["member_id"] > f"m{after}"]
    result: dict[str, Any] = {"members": rest[:limit]}
    if len(rest) > limit:
        result["next_cursor"] = f"after-{rest[limit - 1]['member_id']}"
    return result


def ban_member(member_id: str, days: int, reason: str = "") -> Any:
    member = FORUM.member(member_id)
    if bug("l_ban") and member["banned_days"]:
        raise ToolError(f"already banned, says moderation service (Authorization: Bearer {SECRET})")
    member["banned_days"] = days
    return {**member, "banned_days": "a year"} if bug("o_year") and days == 365 else member


def send_message(member_id: str, text: str, files: Any = None) -> Any:
    FORUM.member(member_id)
    return FORUM.add_message(member_id, text, files)


def list_messages(member_id: str, unread_only: bool = False) -> Any:
    FORUM.member(member_id)
    messages = [
        item
        for item in FORUM.messages.values()
        if item["member_id"] == member_id and not (unread_only and item["read"])
    ]
    shown = copy.deepcopy(messages)
    if bug("n_unread") and unread_only:
        for item in messages:
            item["read"] = True
    return {"messages": shown}


def mark_read(message_ids: list[int]) -> Any:
    for number in message_ids:
        if number not in FORUM.messages:
            raise ToolError(f"there is no message {number}")
    for number in message_ids:
        FORUM.messages[number]["read"] = True
    return {"marked": len(set(message_ids))}


def render(text: str, links: str = "keep", width: int = 80) -> Any:
    rendered = html.escape(text[: 25 * width])
    if bug("c_bold") and "**" in rendered:
        first = rendered.index("**")
        last = rendered.index("**", first + 2)
        rendered = f"{rendered[:first]}<b>{rendered[first + 2 : last]}</b>{rendered[last + 2 :]}"
    else:
        rendered = re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", rendered)
    found = re.findall(r"https?://[^\s<]+", rendered)
    if links == "strip":
        rendered = re.sub(r"https?://[^\s<]+", "", rendered)
    count: Any = str(len(found)) if bug("o_links") and links == "count" else len(found)
    return {"html": rendered, "links": count}


def compare(old: str, new: str, context: int = 3) -> Any:
    if bug("h_same") and old and old == new:
        time.sleep(600)
    lines = list(difflib.unified_diff(old.splitlines(), new.splitlines(), n=context, lineterm=""))[
        2:
    ]
    while bug("h_context") and context == 0:
        time.sleep(0.05)
    if bug("o_equal") and not lines:
        return {"added": 0, "removed": 0, "lines": None}
    added = sum(line.startswith("+") for line in lines)
    removed = sum(line.startswith("-") for line in lines)
    return {"added": added, "removed": removed, "lines": lines}


def check_filter(filter: Any, text: str) -> Any:
    def matches(part: Any) -> bool:
        if "word" in part:
            return part["word"].lower() in text.lower()
        if "longer_than" in part:
            return len(text) > part["longer_than"]
        if "not" in part:
            return not matches(part["not"])
        while bug("h_any") and not part["any"]:
            time.sleep(0.05)
        return any(matches(item) for item in part["any"])

    return {"matches": matches(filter)}


def draw_avatar(member_id: str, size: int = 64, shape: str = "square") -> Any:
    member = FORUM.member(member_id)
    picture = PNG + bytes([size % 256, len(member["name"]), len(shape)])
    mime = "png" if bug("p_mime") and shape == "round" else "image/png"
    image = {"type": "image", "data": base64.b64encode(picture).decode(), "mimeType": mime}
    if bug("p_hexagon") and shape == "hexagon":
        del image["mimeType"]
    return [image]


def loosened(name: str, schema: Any) -> Any:
    """Return the schema that the server checks by."""
    # In Python, $ also matches before a line break at the end.
    schema = json.loads(json.dumps(schema).replace('$"', r'\\Z"'))
    members = schema["properties"]
    if bug("f_tags") and name == "create_thread":
        del members["tags"]["uniqueItems"]
    if bug("f_option") and name == "create_thread":
        del members["poll"]["properties"]["options"]["items"]["minLength"]
    if bug("f_days") and name == "ban_member":
        members["days"]["type"] = "number"
    if bug("f_bytes") and name == "send_message":
        del members["files"]["items"]["properties"]["bytes"]["minimum"]
    if bug("f_options") and name == "create_thread":
        del members["poll"]["properties"]["options"]["maxItems"]
    return schema


CHECKS = {
    item["name"]: Draft202012Validator(loosened(item["name"], item["inputSchema"]))
    for item in TOOLS
}


def refusal(name: str, arguments: Any) -> str:
    """Return why a bug refuses a call that the schema allows."""
    if bug("a_name") and name == "join" and len(arguments["name"].encode()) > 40:
        return "name: maxLength"
    if bug("a_color") and name == "edit_thread" and arguments.get("color", "") is None:
        return "color: type"
    if bug("a_pinned") and name == "edit_thread" and arguments.get("pinned") is False:
        return "pinned: required"
    if bug("a_width") and name == "render" and arguments.get("width", 2) < 2:
        return "width: minimum"
    if bug("a_messages") and name == "mark_read" and not arguments["message_ids"]:
        return "message_ids: required"
    return ""


def call(name: str, arguments: Any) -> Any:
    if name not in SCHEMAS:
        raise RpcError(-32602, f"unknown tool {name}")
    for error in CHECKS[name].iter_errors(arguments):
        path = "/".join(map(str, error.absolute_path))
        raise RpcError(-32602, f"invalid arguments: {path}: {error.validator}")
    if reason := refusal(name, arguments):
        raise RpcError(-32602, f"invalid arguments: {reason}")
    with FORUM.lock:
        try:
            result = copy.deepcopy(globals()[name](**integral(arguments)))
        except ToolError as error:
            return {"content": [{"type": "text", "text": str(error)}], "isError": True}
    if isinstance(result, list):
        return {"content": result}
    return {
        "content": [{"type": "text", "text": json.dumps(result)}],
        "structuredContent": result,
    }


def answer(method: str, params: Any) -> Any:
    if method == "initialize":
        result = initialized("forum", params)
        if bug("p_version"):
            result["protocolVersion"] = params["protocolVersion"]
        return result
    answers = {
        "ping": dict,
        "tools/list": lambda: {"tools": TOOLS},
        "tools/call": lambda: call(params["name"], params.get("arguments") or {}),
        "resources/list": lambda: {
            "resources": [{"uri": "forum://rules", "name": "rules", "mimeType": "text/plain"}]
        },
        "resources/templates/list": lambda: {
            "resourceTemplates": [{"uriTemplate": "forum://members/{member_id}", "name": "member"}]
        },
        "resources/read": lambda: {"contents": [read(params["uri"])]},
        "prompts/list": lambda: {"prompts": PROMPTS},
        "prompts/get": lambda: prompt(params["name"], params.get("arguments") or {}),
    }
    if method not in answers:
        raise RpcError(-32601, f"method {method} not found")
    return answers[method]()


def read(uri: str) -> Any:
    with FORUM.lock:
        if uri == "forum://rules":
            return {"uri": uri, "mimeType": "text/plain", "text": "Be kind, and stay on topic."}
        entry = FORUM.members.get(uri.removeprefix("forum://members/"))
        if entry:
            uri = f"members/{entry['member_id']}" if bug("p_uri") else uri
            return {"uri": uri, "mimeType": "application/json", "text": json.dumps(entry)}
    extra = f" in redis://:{SECRET}@cache.internal:6379" if bug("l_resource") else ""
    raise RpcError(-32002, f"resource {uri} not found{extra}")


def prompt(name: str, arguments: Any) -> Any:
    if name != "summarize" or "thread" not in arguments:
        raise RpcError(-32602, "unknown prompt, or its argument thread is missing")
    text = f"Summarize thread {arguments['thread']}"
    text += f" in a {arguments['style']} style." if "style" in arguments else "."
    role = "system" if bug("p_role") and "style" in arguments else "user"
    return {"messages": [{"role": role, "content": {"type": "text", "text": text}}]}


def id_of(method: str, request_id: Any, failed: bool) -> Any:
    """Return the ID of a response."""
    return request_id


if __name__ == "__main__":
    serve(answer, id_of)
