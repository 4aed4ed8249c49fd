"""A server of a newsroom over stdio, JSON-RPC without the SDK. SEEDED_BUG names its bugs."""

# ruff: noqa: N802, N803 (functions and arguments have the names of the tools and their arguments)
from __future__ import annotations

import base64
import copy
import json
import os
import sys
import threading
import time
import traceback
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

SECRET = os.environ.get("NEWSROOM_SECRET", "")
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(200, 256)) * 3
SECTIONS = {
    "front": None,
    "news": "front",
    "city": "news",
    "traffic": "city",
    "sport": "front",
    "tennis": "sport",
    "culture": "front",
}
STATUSES = ["draft", "review", "published", "archived"]
ROLES = ["reporter", "editor", "guest"]
WHOLE = {"type": "integer", "minimum": 0}
AUTHOR_ID = {"type": "string", "pattern": "^au-[0-9]+$", "description": "ID of an author"}
ARTICLE_ID = {"type": "string", "minLength": 1, "maxLength": 64, "description": "ID of an article"}
SECTION_ID = {"type": "string", "enum": list(SECTIONS), "description": "ID of a section"}
DATE = {"type": ["string", "null"], "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}
TAGS = listed({"type": "string", "minLength": 2, "maxLength": 30}, maxItems=6, uniqueItems=True)
PRIORITY = {"type": "integer", "minimum": 1, "maximum": 5}
MEDIUM = {
    "oneOf": [
        obj(
            ["kind", "url"],
            kind={"const": "image"},
            url={"type": "string", "minLength": 8, "maxLength": 200},
            alt={"type": "string", "maxLength": 100},
        ),
        obj(
            ["kind", "url", "seconds"],
            kind={"const": "video"},
            url={"type": "string", "minLength": 8, "maxLength": 200},
            seconds={"type": "integer", "minimum": 1, "maximum": 36000},
        ),
    ]
}
NEW_AUTHOR = {
    "name": {"type": "string", "minLength": 1, "maxLength": 60},
    "email": {"type": "string", "maxLength": 100},
    "role": {"enum": ROLES},
    "bio": {"type": "string", "maxLength": 400},
}
AUTHOR = obj(
    ["authorId", "name", "role", "bio", "active"],
    authorId=AUTHOR_ID,
    name=TEXT,
    email=TEXT,
    role={"enum": ROLES},
    bio=TEXT,
    active={"type": "boolean"},
)
NEW_ARTICLE = {
    "title": {"type": "string", "minLength": 1, "maxLength": 120},
    "body": {"type": "string", "maxLength": 20000},
    "tags": TAGS,
    "priority": PRIORITY,
    "publishOn": DATE,
}
ARTICLE = obj(
    ["articleId", "title", "authorId", "sectionId", "tags", "priority", "status", "revision"],
    articleId=ARTICLE_ID,
    title=TEXT,
    authorId=AUTHOR_ID,
    sectionId=SECTION_ID,
    body=TEXT,
    tags=listed(TEXT),
    priority=PRIORITY,
    publishOn={"type": ["string", "null"]},
    media=listed({"type": "object"}),
    status={"enum": STATUSES},
    revision={"type": "integer", "minimum": 1},
    views=WHOLE,
)
COMMENT = obj(
    ["commentId", "text", "parentId"],
    commentId={"type": "integer"},
    text=TEXT,
    parentId={"type": ["integer", "null"]},
)
SECTION = obj(
    ["sectionId", "children"],
    sectionId=SECTION_ID,
    children=listed({"$ref": "#/$defs/section"}),
)
FILTER = {
    "oneOf": [
        obj(["all"], all=listed({"$ref": "#/$defs/filter"}, maxItems=4)),
        obj(["any"], any=listed({"$ref": "#/$defs/filter"}, maxItems=4)),
        obj(
            ["field", "equals"],
            field={"enum": ["title", "status", "sectionId", "authorId"]},
            equals={"type": "string", "maxLength": 120},
        ),
    ]
}

TOOLS = [
    tool(
        "createAuthor",
        "Add an author to the newsroom.",
        obj(["name"], **NEW_AUTHOR),
        obj(["author"], author=AUTHOR),
        **SAFE,
    ),
    tool(
        "getAuthor",
        "Return one author.",
        obj(["authorId"], authorId=AUTHOR_ID),
        obj(["author"], author=AUTHOR),
        **READ,
    ),
    tool(
        "updateAuthor",
        "Change the given members of an author. What is left out stays.",
        obj(["authorId"], authorId=AUTHOR_ID, **NEW_AUTHOR, active={"type": "boolean"}),
        obj(["author"], author=AUTHOR),
        **SAFE,
        idempotentHint=True,
    ),
    tool(
        "removeAuthor",
        "Remove an author. The articles stay.",
        obj(["authorId"], authorId=AUTHOR_ID),
        **DESTROYS,
    ),
    tool(
        "listAuthors",
        "List the authors, page by page. The first page is 1.",
        obj(
            [],
            page={"type": "integer", "minimum": 1},
            perPage={"type": "integer", "minimum": 1, "maximum": 40},
            role={"enum": ROLES},
            activeOnly={"type": "boolean"},
        ),
        obj(
            ["items", "page", "pages", "total"],
            items=listed(AUTHOR),
            page={"type": "integer"},
            pages=WHOLE,
            total=WHOLE,
        ),
        **READ,
    ),
    tool(
        "createArticle",
        "Create a draft of an article.",
        obj(
            ["title", "authorId", "sectionId", "body"],
            **NEW_ARTICLE,
            authorId=AUTHOR_ID,
            sectionId=SECTION_ID,
            media=listed(MEDIUM, maxItems=3),
        ),
        obj(["article"], article=ARTICLE),
        **SAFE,
    ),
    tool(
        "getArticle",
        "Return one article, with its body if asked for.",
        obj(["articleId"], articleId=ARTICLE_ID, includeBody={"type": "boolean"}),
        obj(["article"], article=ARTICLE),
        **READ,
    ),
    tool(
        "editArticle",
        "Change the given members of an article. What is left out stays.",
        obj(["articleId"], articleId=ARTICLE_ID, **NEW_ARTICLE),
        obj(["article"], article=ARTICLE),
        **SAFE,
    ),
    tool(
        "setStatus",
        "Move an article to a status.",
        obj(["articleId", "status"], articleId=ARTICLE_ID, status={"enum": STATUSES}),
        obj(["article"], article=ARTICLE),
        **SAFE,
        idempotentHint=True,
    ),
    tool(
        "deleteArticle",
        "Delete an article and its comments.",
        obj(["articleId"], articleId=ARTICLE_ID),
        obj(["deleted"], deleted=TEXT),
        **DESTROYS,
    ),
    tool(
        "listArticles",
        "List the articles. Pass nextCursor as cursor for the next page.",
        obj(
            [],
            cursor={"type": "string", "maxLength": 100},
            limit={"type": "integer", "minimum": 1, "maximum": 50},
            status={"enum": STATUSES},
            authorId=AUTHOR_ID,
        ),
        obj(["articles"], articles=listed(ARTICLE), nextCursor=TEXT),
        **READ,
    ),
    tool(
        "searchArticles",
        "Find articles by words in the title, the body or the tags.",
        obj(
            ["query"],
            query={"type": "string", "minLength": 1, "maxLength": 200},
            within={"enum": ["title", "body", "tags"]},
            limit={"type": "integer", "minimum": 1, "maximum": 50},
        ),
        obj(
            ["hits"],
            hits=listed(
                obj(
                    ["articleId", "title", "score"],
                    articleId=ARTICLE_ID,
                    title=TEXT,
                    score={"type": "number", "minimum": 0, "maximum": 1},
                )
            ),
        ),
        **READ,
    ),
    tool(
        "addComment",
        "Comment on an article, or reply to one of its comments.",
        obj(
            ["articleId", "text"],
            articleId=ARTICLE_ID,
            text={"type": "string", "minLength": 1, "maxLength": 1000},
            parentId={"type": "integer", "description": "ID of the comment to reply to"},
        ),
        obj(["comment"], comment=COMMENT),
        **SAFE,
    ),
    tool(
        "listComments",
        "List the comments of an article, the oldest first.",
        obj(
            ["articleId"],
            articleId=ARTICLE_ID,
            offset=WHOLE,
            limit={"type": "integer", "minimum": 1, "maximum": 100},
        ),
        obj(["comments", "total"], comments=listed(COMMENT), total=WHOLE),
        **READ,
    ),
    tool(
        "sectionTree",
        "Return a section and the sections below it.",
        obj([], root=SECTION_ID, depth={"type": "integer", "minimum": 0, "maximum": 10}),
        {**obj(["tree"], tree={"$ref": "#/$defs/section"}), "$defs": {"section": SECTION}},
        **READ,
    ),
    tool(
        "countText",
        "Measure a text.",
        obj(
            ["text"],
            text={"type": "string", "maxLength": 200000},
            unit={"enum": ["words", "characters", "minutes"]},
            perMinute={"type": "integer", "minimum": 50, "maximum": 1000},
        ),
        obj(["unit", "count", "average"], unit=TEXT, count=WHOLE, average={"type": "number"}),
        **READ,
    ),
    tool(
        "formatHeadline",
        "Write a text as a headline.",
        obj(
            ["text"],
            text={"type": "string", "maxLength": 300},
            style={"enum": ["title", "upper", "sentence"]},
            maxLength={"type": "integer", "minimum": 10, "maximum": 300},
        ),
        obj(["headline"], headline=TEXT),
        **READ,
    ),
    tool(
        "countMatches",
        "Count the articles that a filter matches.",
        {**obj(["filter"], filter={"$ref": "#/$defs/filter"}), "$defs": {"filter": FILTER}},
        obj(["count"], count=WHOLE),
        **READ,
    ),
    tool(
        "exportArticle",
        "Export an article as a file.",
        obj(["articleId"], articleId=ARTICLE_ID, format={"enum": ["markdown", "html"]}),
        **READ,
    ),
    tool(
        "newsroomReport",
        "Count the articles, comments and authors.",
        obj([]),
        obj(
            ["articles", "comments", "authors", "recent"],
            articles=WHOLE,
            comments=WHOLE,
            authors=WHOLE,
            recent=listed(TEXT),
        ),
        **READ,
    ),
]
SCHEMAS = {item["name"]: item for item in TOOLS}
PROMPTS = [
    {
        "name": "review",
        "description": "Ask for a review of an article.",
        "arguments": [
            {"name": "articleId", "description": "ID of an article", "required": True},
            {"name": "focus"},
            {"name": "length"},
        ],
    },
    {"name": "pitch", "description": "Pitch a story.", "arguments": [{"name": "topic"}]},
]


class Newsroom:
    """Authors, articles and comments."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.authors: dict[str, dict[str, Any]] = {}
        self.articles: dict[str, dict[str, Any]] = {}
        self.comments: dict[str, list[dict[str, Any]]] = {}
        self.titles: dict[str, str] = {}
        self.numbers = {"author": 0, "article": 0, "comment": 0}
        self.recent: list[str] = []
        self.calls = 0
        self.text = ""
        names = [
            "Ada Berg",
            "Bo Lind",
            "Cleo Marsh",
            "Dina Wolf",
            "Eli Stone",
            "Finn Ray",
            "Gus Hall",
        ]
        for number, name in enumerate(names):
            author = self.author(name, role=ROLES[number % 3], bio=f"Writes about {name[0]}.")
            author["active"] = number != 4
        self.authors["au-2"]["email"] = "bo@news.example"
        sections = list(SECTIONS)
        for number in range(23):
            article = self.article(
                f"Story {number + 1}",
                f"au-{number % 7 + 1}",
                sections[number % 7],
                f"Body {number}.",
            )
            article["status"] = STATUSES[number % 4]
            article["priority"] = number % 5 + 1
            article["tags"] = ["local", "long read"][: number % 3]
        for number in range(9):
            parent = 1 if number == 5 else None
            self.comment("story-3", f"Comment {number + 1}", parent)

    def next(self, kind: str) -> int:
        self.numbers[kind] += 1
        return self.numbers[kind]

    def author(self, name: str, **more: Any) -> dict[str, Any]:
        author = {"authorId": f"au-{self.next('author')}", "name": name, "role": "reporter"}
        author |= {"bio": "", "active": True, **more}
        self.authors[author["authorId"]] = author
        return author

    def article(self, title: str, author: str, section: str, body: str, **more: Any) -> Any:
        article = {"articleId": f"story-{self.next('article')}", "title": title, "authorId": author}
        article |= {"sectionId": section, "body": body, "tags": [], "priority": 3}
        article |= {"publishOn": None, "status": "draft", "revision": 1, "views": 0, **more}
        self.articles[article["articleId"]] = article
        self.titles[article["articleId"]] = title
        self.comments[article["articleId"]] = []
        return article

    def comment(self, article: str, text: str, parent: int | None) -> dict[str, Any]:
        comment = {"commentId": self.next("comment"), "text": text, "parentId": parent}
        self.comments[article].append(comment)
        return comment

    def pause(self, seconds: float) -> None:
        """Release the lock for a moment."""
        self.lock.release()
        time.sleep(seconds)
        self.lock.acquire()


ROOM = Newsroom()


def found_author(authorId: str) -> dict[str, Any]:
    if authorId not in ROOM.authors:
        raise ToolError(f"there is no author {authorId}")
    return ROOM.authors[authorId]


def found_article(articleId: str) -> dict[str, Any]:
    if articleId not in ROOM.articles:
        raise ToolError(f"there is no article {articleId}")
    return ROOM.articles[articleId]


def shown(article: dict[str, Any], body: bool = False) -> dict[str, Any]:
    return {key: value for key, value in article.items() if body or key != "body"}


def createAuthor(name: str, **more: Any) -> Any:
    return {"author": ROOM.author(name, **more)}


def getAuthor(authorId: str) -> Any:
    return {"author": found_author(authorId)}


def updateAuthor(authorId: str, **changes: Any) -> Any:
    author = found_author(authorId)
    if bug("a_bio") and changes.get("bio") == "":
        raise ToolError("invalid arguments: bio is required")
    if bug("s_falsy"):
        changes = {key: value for key, value in changes.items() if value}
    if bug("n_author") and changes.get("active") is False:
        for article in ROOM.articles.values():
            if article["authorId"] == authorId:
                article["status"] = "draft"
    author.update(changes)
    return {"author": author}


def removeAuthor(authorId: str) -> Any:
    if authorId not in ROOM.authors and bug("l_env"):
        raise ToolError(f"directory refused {SECRET}: no author {authorId}")
    del ROOM.authors[found_author(authorId)["authorId"]]
    return [] if bug("p_content") else [{"type": "text", "text": f"author {authorId} was removed"}]


def listAuthors(
    page: int = 1, perPage: int = 3, role: str | None = None, activeOnly: bool = False
) -> Any:
    found = [item for item in ROOM.authors.values() if role in (None, item["role"])]
    found = [item for item in found if item["active"] or not activeOnly]
    pages: Any = -(-len(found) // perPage)
    if bug("h_page") and activeOnly and page > pages:
        time.sleep(600)
    if bug("g_last"):
        pages = len(found) // perPage
    items = found[(page - 1) * perPage : page * perPage] if page <= pages else []
    if bug("o_pages"):
        pages = len(found) / perPage
    return {"items": items, "page": page, "pages": pages, "total": len(found)}


def createArticle(title: str, authorId: str, sectionId: str, body: str, **more: Any) -> Any:
    found_author(authorId)
    if bug("a_title") and len(title) == 120:
        raise ToolError("title is too long: it must have less than 120 characters")
    if bug("a_priority") and more.get("priority") == 5 and sectionId == "culture":
        raise ToolError("invalid value for priority: 5 isn't allowed in culture")
    return {"article": shown(ROOM.article(title, authorId, sectionId, body, **more))}


def getArticle(articleId: str, includeBody: bool = False) -> Any:
    if articleId not in ROOM.articles and bug("l_token"):
        text = "request with ghp_x7Kq2LmZ0aB9cD4eF6gH8iJ1kN3oP5rS7tUv failed"
        raise ToolError(f"no article {articleId}: {text}")
    article = found_article(articleId)
    if bug("n_view") and includeBody:
        article["views"] += 1
    return {"article": shown(article, includeBody)}


def editArticle(articleId: str, **changes: Any) -> Any:
    article = found_article(articleId)
    if any(article[key] != value for key, value in changes.items()):
        article["revision"] += 1
    if bug("s_partial") and "title" in changes and "priority" not in changes:
        changes["priority"] = 3
    if bug("n_edit") and "tags" in changes:
        ROOM.comments[articleId].clear()
    if bug("o_date") and changes.get("publishOn"):
        year, month, day = (int(part) for part in changes["publishOn"].split("-"))
        result = shown({**article, **changes}) | {"publishOn": {"year": year, "day": [month, day]}}
        article.update(changes)
        return {"article": result}
    article.update(changes)
    return {"article": shown(article)}


def setStatus(articleId: str, status: str) -> Any:
    article = found_article(articleId)
    if bug("h_status") and article["status"] == status:
        time.sleep(600)
    if article["status"] != status or bug("n_status"):
        article["revision"] += 1
    article["status"] = status
    if bug("l_log") and status == "published":
        text = "posted to https://newsbot:T7h-wqLx22@hooks.news.example/published"
        say({"method": "notifications/message", "params": {"level": "info", "data": text}})
    return {"article": shown(article)}


def deleteArticle(articleId: str) -> Any:
    found_article(articleId)
    del ROOM.articles[articleId]
    del ROOM.comments[articleId]
    if not bug("s_search"):
        del ROOM.titles[articleId]
    return {"deleted": articleId}


def listArticles(
    cursor: str | None = None,
    limit: int = 10,
    status: str | None = None,
    authorId: str | None = None,
) -> Any:
    start = 0
    if cursor is not None:
        if bug("h_cursor") and not cursor.startswith("from:"):
            time.sleep(600)
        text = cursor.removeprefix("from:")
        if text == cursor or not (text.isascii() and text.isdecimal()) or len(text) > 6:
            raise ToolError("cursor is none that listArticles returned")
        start = int(text)
    articles = list(ROOM.articles.values())
    if status is not None and not (bug("g_filter") and start):
        articles = [item for item in articles if item["status"] == status]
    if authorId is not None:
        articles = [item for item in articles if item["authorId"] == authorId]
    result: Any = {"articles": [shown(item) for item in articles[start : start + limit]]}
    if start + limit < len(articles):
        result["nextCursor"] = f"from:{start + limit}"
    return result


def searchArticles(query: str, within: str = "title", limit: int = 10) -> Any:
    if bug("c_query") and query.startswith("*"):
        raise ValueError("nothing to repeat at position 0")
    if bug("h_query") and query.endswith("\\"):
        time.sleep(600)
    hits = []
    for key, title in ROOM.titles.items():
        article = ROOM.articles.get(key, {"title": title, "body": "", "tags": []})
        if bug("s_search") and within == "title":
            text = title
        else:
            text = " ".join(article["tags"]) if within == "tags" else article[within]
        if query.lower() in text.lower():
            score: Any = round(min(1.0, len(query) / max(1, len(text))), 3)
            if bug("o_score") and within == "tags":
                score = None
            hits.append({"articleId": key, "title": article["title"], "score": score})
    return {"hits": hits[:limit]}


def addComment(articleId: str, text: str, parentId: int | None = None) -> Any:
    try:
        found_article(articleId)
    except ToolError:
        if bug("l_trace"):
            raise ToolError(traceback.format_exc()) from None
        raise
    comments = ROOM.comments[articleId]
    known = [item["commentId"] for item in comments]
    if parentId is not None and parentId not in known:
        if bug("c_parent"):
            raise KeyError(parentId)
        raise ToolError(f"article {articleId} has no comment {parentId}")
    if bug("s_race"):
        before = list(comments)
        ROOM.pause(0.02)
        comments[:] = before
    comment = dict(ROOM.comment(articleId, text, parentId))
    if bug("o_parent") and parentId is not None:
        comment["parentId"] = str(parentId)
    return {"comment": comment}


def listComments(articleId: str, offset: int = 0, limit: int = 4) -> Any:
    found_article(articleId)
    comments = ROOM.comments[articleId]
    start = offset - 1 if bug("g_repeat") and offset and limit > 1 else offset
    return {"comments": comments[start : start + limit], "total": len(comments)}


def sectionTree(root: str = "front", depth: int = 3) -> Any:
    if bug("a_depth") and not depth:
        raise ToolError("depth must be greater than 0")
    if bug("g_slow"):
        ROOM.calls += 1
        time.sleep(ROOM.calls * 0.003)

    def below(section: str, left: int) -> dict[str, Any]:
        names = [name for name, parent in SECTIONS.items() if parent == section]
        children: Any = [below(name, left - 1) for name in names] if left else []
        if bug("o_tree") and names and not left:
            children = None
        return {"sectionId": section, "children": children}

    return {"tree": below(root, depth)}


def countText(text: str, unit: str = "words", perMinute: int = 200) -> Any:
    words = text.split()
    if bug("h_words") and any(len(word) > 20000 for word in words):
        time.sleep(600)
    number = len(text) if unit == "characters" else len(words)
    count = -(-len(words) // perMinute) if unit == "minutes" else number
    letters = sum(len(word) for word in words)
    average = letters / len(words) if words or bug("c_empty") else 0
    return {"unit": unit, "count": count, "average": average}


def formatHeadline(text: str, style: str = "title", maxLength: int = 100) -> Any:
    if bug("a_style") and style == "upper" and not text.isascii():
        raise ToolError("text is invalid: only ASCII characters are supported")
    if bug("c_format"):
        text = text % ()
    if bug("s_mix"):
        ROOM.text = text
        ROOM.pause(0.01)
        text = ROOM.text
    written = {"title": text.title(), "upper": text.upper(), "sentence": text.capitalize()}
    return {"headline": written[style][:maxLength]}


def countMatches(filter: dict[str, Any]) -> Any:
    def matches(node: Any, article: Any, depth: int) -> bool:
        if bug("c_deep") and depth > 40:
            os._exit(3)
        if "all" in node:
            return all(matches(item, article, depth + 1) for item in node["all"])
        if "any" in node:
            return any(matches(item, article, depth + 1) for item in node["any"])
        return "field" in node and article.get(node["field"]) == node.get("equals")

    return {"count": sum(matches(filter, article, 1) for article in ROOM.articles.values())}


def exportArticle(articleId: str, format: str = "markdown") -> Any:
    article = found_article(articleId)
    if bug("n_export") and format == "html" and article["status"] == "published":
        article["status"] = "archived"
    if bug("l_stderr") and format == "html":
        token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJuZXdzcm9vbSJ9.c2lnbmF0dXJlLW9mLW5ld3M"
        print(f"render: Authorization: Bearer {token}", file=sys.stderr, flush=True)
    uri = f"newsroom://articles/{articleId}"
    if format == "html":
        data = base64.b64encode(f"<h1>{article['title']}</h1>".encode()).decode()
        resource = {"uri": uri, "mimeType": "text/html", "blob": data}
    else:
        resource = {"uri": uri, "mimeType": "text/markdown", "text": f"# {article['title']}\n"}
    return [{"type": "resource", "resource": resource}]


def newsroomReport() -> Any:
    if bug("g_grow"):
        ROOM.recent.append(f"report {len(ROOM.recent) + 1} was written for the morning conference")
    return {
        "articles": len(ROOM.articles),
        "comments": sum(len(items) for items in ROOM.comments.values()),
        "authors": len(ROOM.authors),
        "recent": ROOM.recent,
    }


def loosened(name: str, schema: Any) -> Any:
    """Return the schema that the server checks by."""
    schema = copy.deepcopy(schema)
    members = schema["properties"]
    if bug("f_tags") and name == "createArticle":
        members["tags"]["uniqueItems"] = False
    if bug("f_media") and name == "createArticle":
        members["media"]["items"]["oneOf"][0]["additionalProperties"] = True
    if bug("f_priority") and name == "editArticle":
        del members["priority"]["maximum"]
    if bug("f_date") and name == "createArticle":
        members["publishOn"]["pattern"] = "^[0-9]{4}-[0-9]{2}-[0-9]{2}"
    if bug("f_filter") and name == "countMatches":
        schema["$defs"]["filter"]["oneOf"][1]["properties"]["any"]["items"] = {"type": "object"}
    return schema


CHECKS = {
    item["name"]: Draft202012Validator(loosened(item["name"], item["inputSchema"]))
    for item in TOOLS
}


def call(name: str, arguments: Any) -> Any:
    if name not in SCHEMAS:
        raise RpcError(-32602, f"unknown tool {name}")
    for error in CHECKS[name].iter_errors(arguments):
        path = "/".join(map(str, error.absolute_path))
        raise RpcError(-32602, f"invalid arguments: {path}: {error.validator}")
    with ROOM.lock:
        try:
            result = copy.deepcopy(globals()[name](**integral(arguments)))
        except ToolError as error:
            failed = {"content": [{"type": "text", "text": str(error)}], "isError": True}
            if bug("p_failed") and name == "deleteArticle":
                del failed["isError"]
            return failed
    if isinstance(result, list):
        return {"content": result} if result else {}
    text = json.dumps(result)
    if bug("p_text") and name == "listComments" and not result["comments"]:
        return {"content": [{"type": "text"}], "structuredContent": result}
    return {"content": [{"type": "text", "text": text}], "structuredContent": result}


def answer(method: str, params: Any) -> Any:
    if method == "initialize":
        return initialized("newsroom", params, logging={})
    answers = {
        "ping": lambda: {},
        "logging/setLevel": lambda: {},
        "tools/list": lambda: {"tools": TOOLS},
        "tools/call": lambda: call(params["name"], params.get("arguments") or {}),
        "resources/list": lambda: {
            "resources": [
                {"uri": "newsroom://style", "name": "style guide", "mimeType": "text/markdown"},
                {"uri": "newsroom://masthead", "name": "masthead", "mimeType": "image/png"},
            ]
        },
        "resources/templates/list": lambda: {
            "resourceTemplates": [
                {"uriTemplate": "newsroom://articles/{articleId}", "name": "article"}
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
    if uri == "newsroom://style":
        text = "Short sentences. Names before titles."
        return {"uri": uri, "mimeType": "text/markdown", "text": text}
    if uri == "newsroom://masthead":
        encode = base64.urlsafe_b64encode if bug("p_blob") else base64.b64encode
        return {"uri": uri, "mimeType": "image/png", "blob": encode(PNG).decode()}
    with ROOM.lock:
        key = uri.removeprefix("newsroom://articles/")
        if key in ROOM.articles:
            text = json.dumps(ROOM.articles[key])
            return {"uri": uri, "mimeType": "application/json", "text": text}
    raise RpcError("not-found" if bug("p_code") else -32602, f"resource {uri} not found")


def prompt(name: str, arguments: Any) -> Any:
    if name == "pitch":
        text = f"Pitch a story about {arguments.get('topic', 'anything')}."
    elif name == "review" and "articleId" in arguments:
        text = f"Review the article {arguments['articleId']}"
        for key in ("focus", "length"):
            text += f", {key}: {arguments[key]}" if key in arguments else ""
    else:
        raise RpcError(-32602, "unknown prompt, or its argument articleId is missing")
    return {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}


if __name__ == "__main__":
    serve(answer, lambda _method, given, _failed: given)
