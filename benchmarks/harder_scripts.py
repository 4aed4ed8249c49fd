"""Scripts in the style of models, without annotations: fifty with one fault, fifty correct ones.

They call the demo server, `bookshelf`, and `harder_contract.json`, `tracker`.
"""

from __future__ import annotations

FAULTS = {
    "a call that is not awaited, its result unused": """\
import bookshelf
bookshelf.borrow_item(id="B-1", member="a@b.co")
""",
    "a call that is not awaited, its result used": """\
import bookshelf
found = bookshelf.search_catalogue(query="night")
print(found["total"])
""",
    "a call within a condition that is not awaited": """\
import bookshelf
if bookshelf.get_item(id="B-1")["lent"]:
    print("lent")
""",
    "a call within a comprehension that is not awaited": """\
import bookshelf
found = await bookshelf.search_catalogue(query="a")
books = [bookshelf.get_item(id=i["id"]) for i in found["items"]]
print(books[0]["lent"])
""",
    "gather that is not awaited": """\
import asyncio
import bookshelf
both = asyncio.gather(bookshelf.take_inventory(), bookshelf.take_inventory())
print(both[0]["counted"])
""",
    "a function of the script that is not awaited": """\
import bookshelf
async def count():
    return (await bookshelf.take_inventory())["counted"]
print(count() + 1)
""",
    "a main that is never run": """\
import bookshelf
async def main():
    print(await bookshelf.take_inventory())
main()
""",
    "await in a function that is not async": """\
import bookshelf
def show(id):
    item = await bookshelf.get_item(id=id)
    print(item["lent"])
show("B-1")
""",
    "a result awaited twice": """\
import bookshelf
found = await bookshelf.take_inventory()
print(await found)
""",
    "a member of one form of a union": """\
import bookshelf
found = await bookshelf.search_catalogue(query="a")
for item in found["items"]:
    print(item["pages"])
""",
    "the other form's member after a test": """\
import bookshelf
got = await bookshelf.get_item(id="B-1")
item = got["item"]
if item["kind"] == "film":
    print(item["pages"])
""",
    "a form that there is not": """\
import bookshelf
got = await bookshelf.get_item(id="B-1")
if got["item"]["kind"] == "magazine":
    print(got["item"]["title"])
""",
    "a union's member by get": """\
import bookshelf
got = await bookshelf.get_item(id="B-1")
print(got["item"].get("author"))
""",
    "a null that is counted with": """\
import bookshelf
got = await bookshelf.get_item(id="B-1")
age = 2026 - got["item"]["creator"]["born"]
print(age)
""",
    "a null whose member is read": """\
import tracker
issue = await tracker.get_issue(id=1)
print(issue["assignee"]["name"])
""",
    "a null that is compared by size": """\
import tracker
page = await tracker.list_issues()
if page["next"] > 1:
    print("more")
""",
    "a null given where none may be": """\
import tracker
issue = await tracker.get_issue(id=1)
page = await tracker.list_issues(page=None)
print(page["ids"], issue["id"])
""",
    "a null result of get that is used": """\
import bookshelf
stock = await bookshelf.take_inventory()
print(stock["by_genre"].get("crime") + 1)
""",
    "a null passed on as an argument": """\
import tracker
page = await tracker.list_issues()
more = await tracker.list_issues(page=page["next"])
print(more)
""",
    "a name that was never bound": """\
import bookshelf
found = await bookshelf.search_catalogue(query="a")
print(len(results))
""",
    "a name bound on one path alone": """\
import bookshelf
found = await bookshelf.search_catalogue(query="a")
if found["total"] > 0:
    first = found["items"][0]
print(first["title"])
""",
    "a name bound in a loop that may not run": """\
import bookshelf
found = await bookshelf.search_catalogue(query="a")
for item in found["items"]:
    title = item["title"]
print(title)
""",
    "a name bound in the try alone": """\
import bookshelf
try:
    got = await bookshelf.get_item(id="B-1")
except bookshelf.ToolError as error:
    print(error)
print(got["lent"])
""",
    "a local of another function": """\
import bookshelf
async def load():
    found = await bookshelf.search_catalogue(query="a")
async def main():
    await load()
    print(found["total"])
await main()
""",
    "an exception that is gone after its clause": """\
import bookshelf
try:
    await bookshelf.get_item(id="B-1")
except bookshelf.ToolError as error:
    pass
print(error)
""",
    "an exception that there is not": """\
import bookshelf
try:
    await bookshelf.get_item(id="B-1")
except bookshelf.NotFoundError:
    print("none")
""",
    "an argument by position": """\
import bookshelf
found = await bookshelf.search_catalogue("night", limit=5)
print(found["total"])
""",
    "arguments as one dict": """\
import bookshelf
found = await bookshelf.search_catalogue({"query": "night"})
print(found)
""",
    "a wrong value in a dict of arguments": """\
import bookshelf
arguments = {"query": "night", "genre": "thriller"}
found = await bookshelf.search_catalogue(**arguments)
print(found)
""",
    "a wrong name in a dict of arguments": """\
import bookshelf
arguments = {"query": "night", "max_results": 5}
found = await bookshelf.search_catalogue(**arguments)
print(found)
""",
    "a nested member that is missing": """\
import tracker
await tracker.create_issue(title="a", due={"reminder": True})
""",
    "a nested member that there is not": """\
import tracker
await tracker.create_issue(title="a", due={"date": "2026-01-01", "time": "9:00"})
""",
    "a nested object in a variable": """\
import tracker
due = {"day": "2026-01-01"}
await tracker.create_issue(title="a", due=due)
""",
    "a text in the place of an object": """\
import tracker
await tracker.create_issue(title="a", due="2026-01-01")
""",
    "a text in the place of a list": """\
import tracker
await tracker.create_issue(title="a", labels="bug")
""",
    "a number in a text's place, by a loop": """\
import tracker
for number in [1, 2, 3]:
    await tracker.create_issue(title=number)
""",
    "a wrong choice, by a variable": """\
import tracker
priority = "high"
await tracker.create_issue(title="a", priority=priority)
""",
    "a wrong choice, by a function without annotations": """\
import tracker
def level(n):
    return "urgent" if n > 3 else "medium"
await tracker.create_issue(title="a", priority=level(2))
""",
    "a wrong choice, by a loop": """\
import tracker
for priority in ["low", "medium"]:
    await tracker.create_issue(title="a", priority=priority)
""",
    "a comparison with a choice that there is not": """\
import tracker
issue = await tracker.get_issue(id=1)
if issue["state"] == "resolved":
    print("done")
""",
    "an attribute of a result": """\
import bookshelf
found = await bookshelf.search_catalogue(query="a")
print(found.total)
""",
    "an attribute of an item": """\
import tracker
issue = await tracker.get_issue(id=1)
print([c.body for c in issue["comments"]])
""",
    "a list where its items are meant": """\
import tracker
issue = await tracker.get_issue(id=1)
print(issue["comments"]["body"])
""",
    "an object where its list is meant": """\
import tracker
for number in await tracker.list_issues(state="open"):
    issue = await tracker.get_issue(id=number)
    print(issue["title"])
""",
    "a text that is read as an object": """\
import tracker
said = await tracker.add_comment(id=1, body="x")
print(said["id"])
""",
    "a sum of objects": """\
import tracker
issue = await tracker.get_issue(id=1)
print(sum(issue["comments"]))
""",
    "a key for sorting that there is not": """\
import tracker
issue = await tracker.get_issue(id=1)
best = max(issue["comments"], key=lambda c: c["score"])
print(best["body"])
""",
    "a text and a number joined": """\
import tracker
issue = await tracker.create_issue(title="a")
print("issue " + issue["id"])
""",
    "a whole result given as an argument": """\
import tracker
made = await tracker.create_issue(title="a")
await tracker.add_comment(id=made, body="x")
""",
    "the wrong one of two servers": """\
import bookshelf, tracker
issue = await bookshelf.get_issue(id=1)
print(issue)
""",
}
"""By the fault in each."""

RIGHT = {
    "a loop over results": """\
import bookshelf
found = await bookshelf.search_catalogue(query="night")
for item in found["items"]:
    print(item["title"])
""",
    "a main that is run": """\
import asyncio
import bookshelf
async def main():
    stock = await bookshelf.take_inventory()
    print(stock["counted"])
asyncio.run(main())
""",
    "calls at once": """\
import asyncio
import bookshelf
a, b = await asyncio.gather(bookshelf.take_inventory(), bookshelf.list_opening_hours())
print(a["counted"], b[0]["day"])
""",
    "calls at once, in a comprehension": """\
import asyncio
import bookshelf
found = await bookshelf.search_catalogue(query="a")
items = await asyncio.gather(*[bookshelf.get_item(id=i["id"]) for i in found["items"]])
print([i["lent"] for i in items])
""",
    "a form told by its kind": """\
import bookshelf
got = await bookshelf.get_item(id="B-1")
item = got["item"]
if item["kind"] == "book":
    print(item["pages"])
else:
    print(item["minutes"])
""",
    "a form told by match": """\
import bookshelf
got = await bookshelf.get_item(id="B-1")
item = got["item"]
match item["kind"]:
    case "book":
        print(item["title"], "book")
    case "film":
        print(item["title"], "film")
""",
    "a member of one form by a test for it": """\
import bookshelf
got = await bookshelf.get_item(id="B-1")
item = got["item"]
if "pages" in item:
    print(item["pages"])
""",
    "a null that is tested": """\
import bookshelf
got = await bookshelf.get_item(id="B-1")
born = got["item"]["creator"]["born"]
if born is not None:
    print(2026 - born)
""",
    "a null that is tested by its truth": """\
import tracker
issue = await tracker.get_issue(id=1)
assignee = issue["assignee"]
if assignee:
    print(assignee["name"], assignee.get("email", "no address"))
""",
    "a null with something in its place": """\
import tracker
page = await tracker.list_issues()
print((page["next"] or 0) + 1)
""",
    "pages until there are no more": """\
import tracker
page = await tracker.list_issues(state="open")
ids = page["ids"]
while page["next"] is not None:
    page = await tracker.list_issues(state="open", page=page["next"])
    ids.extend(page["ids"])
print(len(ids))
""",
    "pages by a loop that is left": """\
import tracker
number = 1
ids = []
while True:
    page = await tracker.list_issues(page=number)
    ids += page["ids"]
    if page["next"] is None:
        break
    number = page["next"]
print(ids)
""",
    "get with something in its place": """\
import bookshelf
stock = await bookshelf.take_inventory()
print(stock["by_genre"].get("crime", 0) + 1)
""",
    "a member that may be absent": """\
import bookshelf
got = await bookshelf.get_item(id="B-1")
if got["item"]["kind"] == "book":
    print(got["item"].get("series", "none"))
""",
    "an exception that is caught": """\
import bookshelf
try:
    got = await bookshelf.get_item(id="B-99")
except bookshelf.ToolError as error:
    print("failed:", error)
else:
    print(got["lent"])
""",
    "exceptions imported by name": """\
from bookshelf import ToolError, InvalidArguments, get_item
try:
    print(await get_item(id="B-1"))
except (ToolError, InvalidArguments) as error:
    print(str(error))
""",
    "a name bound on every path": """\
import bookshelf
found = await bookshelf.search_catalogue(query="a")
if found["total"]:
    first = found["items"][0]["title"]
else:
    first = "nothing"
print(first)
""",
    "a name bound before a try": """\
import bookshelf
got = None
try:
    got = await bookshelf.get_item(id="B-1")
except bookshelf.ToolError:
    pass
if got is not None:
    print(got["lent"])
""",
    "a dict of arguments": """\
import bookshelf
arguments = {"query": "night", "genre": "crime", "limit": 5}
found = await bookshelf.search_catalogue(**arguments)
print(found["total"])
""",
    "a dict of arguments that grows": """\
import bookshelf
arguments = {"query": "night"}
if len("x") == 1:
    arguments["limit"] = 5
found = await bookshelf.search_catalogue(**arguments)
print(found["total"])
""",
    "a dict of arguments in place": """\
import bookshelf
found = await bookshelf.search_catalogue(**{"query": "night", "limit": 5})
print(found["total"])
""",
    "a nested object": """\
import tracker
await tracker.create_issue(title="a", due={"date": "2026-01-01", "reminder": True})
""",
    "a nested object in a variable": """\
import tracker
due = {"date": "2026-01-01", "reminder": False}
made = await tracker.create_issue(title="a", due=due)
print(made["url"])
""",
    "a nested object that a function makes": """\
import tracker
def due(day):
    return {"date": day, "reminder": True}
await tracker.create_issue(title="a", due=due("2026-01-01"))
""",
    "a list made by a comprehension": """\
import tracker
labels = [word.lower() for word in "Bug Help".split()]
await tracker.create_issue(title="a", labels=labels)
""",
    "a list that grows": """\
import tracker
labels = []
for word in ("bug", "help"):
    labels.append(word)
await tracker.create_issue(title="a", labels=labels)
""",
    "choices by a loop": """\
import tracker
for priority in ["low", "normal"]:
    await tracker.create_issue(title="a", priority=priority)
""",
    "choices by a tuple of pairs": """\
import tracker
for title, priority in [("a", "low"), ("b", "urgent")]:
    await tracker.create_issue(title=title, priority=priority)
""",
    "a choice by a condition": """\
import tracker
count = 5
priority = "urgent" if count > 3 else "low"
await tracker.create_issue(title="a", priority=priority)
""",
    "a choice by a function without annotations": """\
import tracker
def level(n):
    return "urgent" if n > 3 else "low"
await tracker.create_issue(title="a", priority=level(2))
""",
    "a number that may be null": """\
import tracker
for estimate in (1, 2.5, None):
    await tracker.create_issue(title="a", estimate=estimate)
""",
    "a result as the next argument": """\
import tracker
made = await tracker.create_issue(title="a")
print(await tracker.add_comment(id=made["id"], body="x"))
""",
    "a text result that is searched": """\
import tracker
said = await tracker.add_comment(id=1, body="x")
if "error" in said.lower():
    print(said.splitlines()[0])
""",
    "a text result that is JSON": """\
import json
import tracker
said = await tracker.add_comment(id=1, body="x")
data = json.loads(said)
print(data["id"])
""",
    "sorting by a member": """\
import tracker
issue = await tracker.get_issue(id=1)
for comment in sorted(issue["comments"], key=lambda c: c["votes"], reverse=True)[:3]:
    print(comment["author"], comment["votes"])
""",
    "the largest by a member": """\
import tracker
issue = await tracker.get_issue(id=1)
best = max(issue["comments"], key=lambda c: c["votes"])
print(best["body"])
""",
    "a sum of a member": """\
import tracker
issue = await tracker.get_issue(id=1)
print(sum(c["votes"] for c in issue["comments"]))
""",
    "counting by a member": """\
from collections import Counter
import bookshelf
found = await bookshelf.search_catalogue(query="a")
counts = Counter(item["genre"] for item in found["items"])
print(counts.most_common(1)[0][0])
""",
    "grouping by a member": """\
from collections import defaultdict
import bookshelf
found = await bookshelf.search_catalogue(query="a")
groups = defaultdict(list)
for item in found["items"]:
    groups[item["kind"]].append(item["title"])
print(dict(groups))
""",
    "the largest entry of a mapping": """\
import bookshelf
stock = await bookshelf.take_inventory()
by_genre = stock["by_genre"]
print(max(by_genre, key=lambda g: by_genre[g]), max(by_genre.items(), key=lambda p: p[1]))
""",
    "a table of texts": r"""import bookshelf
found = await bookshelf.search_catalogue(query="a")
lines = [f"{i['title']:<20} {i['published']}" for i in found["items"]]
print("\n".join(lines))
""",
    "a date that is parsed": """\
from datetime import datetime
import bookshelf
found = await bookshelf.search_catalogue(query="a")
days = [(datetime.now() - datetime.fromisoformat(i["added"]).replace(tzinfo=None)).days for i in found["items"]]
print(min(days))
""",
    "a function with a default": """\
import bookshelf
async def titles(query, limit=10):
    found = await bookshelf.search_catalogue(query=query, limit=limit)
    return [item["title"] for item in found["items"]]
print(await titles("night"), await titles("sea", limit=3))
""",
    "a recursive walk": """\
import bookshelf
async def walk(shelves, depth=0):
    for shelf in shelves:
        print("  " * depth + shelf["name"])
        await walk(shelf.get("shelves", []), depth + 1)
await walk((await bookshelf.browse_shelves())["shelves"])
""",
    "a retry": """\
import asyncio
import bookshelf
for attempt in range(3):
    try:
        got = await bookshelf.get_item(id="B-1")
        print(got["lent"])
        break
    except bookshelf.CallTimeout:
        await asyncio.sleep(attempt)
else:
    print("gave up")
""",
    "results told from exceptions": """\
import asyncio
import bookshelf
both = await asyncio.gather(bookshelf.get_item(id="B-1"), bookshelf.get_item(id="B-2"), return_exceptions=True)
for one in both:
    if isinstance(one, BaseException):
        print("failed", one)
    else:
        print(one["lent"])
""",
    "a set and a zip": """\
import tracker
open_ones, closed = await tracker.list_issues(state="open"), await tracker.list_issues(state="closed")
print(set(open_ones["ids"]) & set(closed["ids"]))
for a, b in zip(open_ones["ids"], closed["ids"]):
    print(a, b)
""",
    "both servers": """\
import bookshelf, tracker
found = await bookshelf.search_catalogue(query="a")
if found["total"] == 0:
    await tracker.create_issue(title="nothing is found", labels=["bookshelf"])
""",
    "a check that is never needed": """\
import bookshelf
found = await bookshelf.search_catalogue(query="a")
if found is None or not found["items"]:
    print("nothing")
else:
    print(found["items"][0]["title"])
""",
    "a result that is printed as JSON": """\
import json
import tracker
issue = await tracker.get_issue(id=1)
print(json.dumps(issue, indent=2))
print(json.dumps({k: v for k, v in issue.items() if k != "comments"}))
""",
}
"""By what each does."""
