"""Scripts by someone who hadn't read the checker: correct ones, wrong ones, and unsupported
features. ``RIGHT`` scripts run in the sandbox. ``MENDED`` maps each wrong script to one that
follows its hint.
"""

from __future__ import annotations

RIGHT = (
    """\
import bookshelf
r = await bookshelf.search_catalogue(query="a", limit=20)
print(max(r["items"], key=lambda i: i["published"], default=None))
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
books = [i for i in r["items"] if i["kind"] == "book"]
print(sum(b["pages"] for b in books))
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
films = filter(lambda i: i["kind"] == "film", r["items"])
print(len(list(films)))
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
for n, item in enumerate(r["items"], start=1):
    print(f"{n:>2}. {item['title']!r:<30} {item['published']:04d}")
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
by = {}
for item in r["items"]:
    by.setdefault(item["genre"], []).append(item["title"])
for genre, titles in sorted(by.items()):
    print(genre, "; ".join(titles))
""",
    """\
import bookshelf
if (r := await bookshelf.search_catalogue(query="night"))["total"] > 0:
    print(r["items"][0]["title"])
""",
    """\
import bookshelf
offset, seen = 0, []
while True:
    page = await bookshelf.search_catalogue(query="a", from_=offset, limit=2)
    seen += [i["id"] for i in page["items"]]
    offset += len(page["items"])
    if not page["items"] or offset >= page["total"]:
        break
print(len(seen), len(set(seen)))
""",
    """\
import asyncio
import bookshelf
a, b = await asyncio.gather(bookshelf.take_inventory(), bookshelf.list_opening_hours())
print(a["counted"], [d["day"] for d in b])
""",
    """\
import asyncio, bookshelf
ids = ["B-1", "B-2"]
got = await asyncio.gather(*[bookshelf.get_item(id=i) for i in ids])
print({i: g["lent"] for i, g in zip(ids, got)})
""",
    """\
import bookshelf
async def title(id):
    return (await bookshelf.get_item(id=id))["item"]["title"]
print([await title(i) for i in ("B-1", "B-2")])
""",
    """\
import bookshelf
try:
    await bookshelf.get_item(id="nope")
except bookshelf.ToolError as e:
    print("no:", str(e)[:40])
else:
    print("found")
finally:
    print("done")
""",
    """\
import bookshelf
try:
    await bookshelf.get_item(id="")
except (bookshelf.InvalidArguments, bookshelf.ToolError) as problem:
    print(type(problem).__name__)
""",
    """\
import bookshelf
g = await bookshelf.get_item(id="B-1")
match g["item"]["kind"]:
    case "book":
        print("book")
    case "film":
        print("film")
""",
    """\
import bookshelf
item = (await bookshelf.get_item(id="B-1"))["item"]
print(item["pages"] if item["kind"] == "book" else item["minutes"])
""",
    """\
import bookshelf
item = (await bookshelf.get_item(id="B-1"))["item"]
born = item["creator"]["born"]
age = 2026 - born if born is not None else "unknown"
print(age)
""",
    """\
import bookshelf
item = (await bookshelf.get_item(id="B-1"))["item"]
print((item["creator"]["born"] or 0) + 1)
""",
    """\
import bookshelf
def names(shelves, depth=0):
    out = []
    for s in shelves:
        out.append("  " * depth + s["name"])
        out.extend(names(s.get("shelves", []), depth + 1))
    return out
print("\\n".join(names((await bookshelf.browse_shelves())["shelves"])))
""",
    """\
import bookshelf
stack = list((await bookshelf.browse_shelves())["shelves"])
count = 0
while stack:
    s = stack.pop()
    count += len(s["items"])
    stack.extend(s.get("shelves") or [])
print(count)
""",
    """\
import bookshelf
inv = await bookshelf.take_inventory()
genre, n = max(inv["by_genre"].items(), key=lambda kv: kv[1])
print(genre, n)
""",
    """\
import bookshelf
inv = await bookshelf.take_inventory()
print({k: v / inv["counted"] for k, v in inv["by_genre"].items() if inv["counted"]})
""",
    """\
import bookshelf
hours = await bookshelf.list_opening_hours()
first, *rest = hours
print(first["opens"], len(rest))
""",
    """\
import bookshelf
hours = {h["day"]: (h["opens"], h["closes"]) for h in await bookshelf.list_opening_hours()}
print(hours.get("sunday", "closed"))
""",
    """\
import bookshelf
cover = await bookshelf.show_cover(id="B-1")
print(len(cover), cover.upper()[:10])
""",
    """\
import json
import bookshelf
print(json.dumps(await bookshelf.take_inventory(), sort_keys=True))
""",
    """\
import json
import bookshelf
text = json.dumps([h for h in await bookshelf.list_opening_hours()])
print(json.loads(text)[0]["day"])
""",
    """\
import re
import bookshelf
r = await bookshelf.search_catalogue(query="a")
pattern = re.compile(r"^The\\s+(\\w+)")
for i in r["items"]:
    if m := pattern.match(i["title"]):
        print(m.group(1))
""",
    """\
import bookshelf
kwargs = {"query": "night", "limit": 3}
r = await bookshelf.search_catalogue(**kwargs)
print(r["total"])
""",
    """\
import bookshelf
filters = {}
filters["genre"] = "crime"
r = await bookshelf.search_catalogue(query="a", **filters)
print(r["total"])
""",
    """\
import bookshelf
for genre in ("crime", "nature"):
    r = await bookshelf.search_catalogue(query="a", genre=genre)
    print(genre, r["total"])
""",
    """\
import bookshelf
GENRES = ["crime", "nature", "poetry", "travel"]
totals = [(await bookshelf.search_catalogue(query="a", genre=g))["total"] for g in GENRES]
print(dict(zip(GENRES, totals)))
""",
    """\
import bookshelf
language = None
r = await bookshelf.search_catalogue(query="a", language=language)
print(r["total"])
""",
    """\
import bookshelf
async def main():
    r = await bookshelf.search_catalogue(query="a")
    return r["total"]
if True:
    print(await main())
""",
    """\
import asyncio
import bookshelf
async def main() -> None:
    print((await bookshelf.take_inventory())["counted"])
asyncio.run(main())
""",
    """\
from bookshelf import search_catalogue
r = await search_catalogue(query="a")
print(r["total"])
""",
    """\
import bookshelf as lib
print((await lib.take_inventory())["counted"])
""",
    """\
from bookshelf import take_inventory as count, ToolError
try:
    print((await count())["counted"])
except ToolError:
    raise
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
print(any(i["kind"] == "film" for i in r["items"]), all("title" in i for i in r["items"]))
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
series = [i["series"] for i in r["items"] if i["kind"] == "book" and "series" in i]
print(series)
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
for i in r["items"]:
    if i["kind"] != "film":
        continue
    for s in i.get("subtitles", []):
        print(s)
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
print([i.get("series", "-") for i in r["items"] if i["kind"] == "book"])
""",
    """\
import bookshelf
def pages(item):
    if item["kind"] == "book":
        return item["pages"]
    return 0
r = await bookshelf.search_catalogue(query="a")
print(sum(map(pages, r["items"])))
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
def describe(i):
    kind = i["kind"]
    return f"{kind}: {i['title']}"
print("\\n".join(describe(i) for i in r["items"]))
""",
    """\
import bookshelf
w = await bookshelf.withdraw_items(ids=["B-1"], reason="worn")
print(w["withdrawn"])
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
old = [i["id"] for i in r["items"] if i["published"] < 1900]
if old:
    print(await bookshelf.withdraw_items(ids=old, reason=None))
else:
    print("nothing to withdraw")
""",
    """\
import bookshelf
loan = await bookshelf.borrow_item(id="B-2", member="ada@example.org", weeks=2)
print(loan["due"][:10], loan["item"]["title"])
""",
    """\
import bookshelf
loan = await bookshelf.borrow_item(id="B-2", member="ada@example.org")
year, month, day = loan["due"][:10].split("-")
print(int(year), int(month), int(day))
""",
    """\
from datetime import datetime
import bookshelf
loan = await bookshelf.borrow_item(id="B-2", member="ada@example.org")
print(loan["due"] > "2020", isinstance(loan["due"], str))
""",
    """\
import bookshelf
results = []
for q in ["night", "zzz"]:
    try:
        results.append((await bookshelf.search_catalogue(query=q))["total"])
    except bookshelf.ToolError:
        results.append(None)
print([x for x in results if x is not None])
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
items = r["items"]
half = len(items) // 2
left, right = items[:half], items[half:]
print(len(left) + len(right) == len(items))
""",
    """\
import math
import bookshelf
r = await bookshelf.search_catalogue(query="a", limit=2)
print(math.ceil(r["total"] / 2))
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
pairs = [(a["id"], b["id"]) for a in r["items"] for b in r["items"] if a["id"] < b["id"]]
print(len(pairs))
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
counts = {}
for i in r["items"]:
    counts[i["kind"]] = counts.get(i["kind"], 0) + 1
print(counts)
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
best = None
for i in r["items"]:
    if best is None or i["published"] > best["published"]:
        best = i
if best:
    print(best["title"])
""",
    """\
import bookshelf
async def show(*ids):
    for id in ids:
        g = await bookshelf.get_item(id=id)
        yield_value = g["item"]["title"]
        print(yield_value)
await show("B-1", "B-2")
""",
    """\
import bookshelf
async def lookup(id, *, default="?"):
    try:
        return (await bookshelf.get_item(id=id))["item"]["title"]
    except bookshelf.ToolError:
        return default
print(await lookup("missing"), await lookup("B-1"))
""",
    """\
import tracker
made = await tracker.create_issue(title="x", priority="urgent", labels=["a", "b"])
print(made["id"], made["url"])
""",
    """\
import tracker
made = await tracker.create_issue(title="x", due={"date": "2026-01-01"}, estimate=None)
print(made["id"])
""",
    """\
import tracker
due = {"date": "2026-01-01", "reminder": True}
made = await tracker.create_issue(title="x", due=due, estimate=1.5)
print(made["id"])
""",
    """\
import tracker
due = dict(date="2026-01-01")
print((await tracker.create_issue(title="x", due=due))["id"])
""",
    """\
import tracker
issue = await tracker.get_issue(id=1)
assignee = issue["assignee"]
if assignee is None:
    print("nobody")
else:
    print(assignee["name"], assignee.get("email", "no mail"))
""",
    """\
import tracker
issue = await tracker.get_issue(id=1)
print(issue["assignee"]["name"] if issue["assignee"] else "nobody")
""",
    """\
import tracker
issue = await tracker.get_issue(id=1)
name = (issue["assignee"] or {}).get("name", "nobody")
print(name)
""",
    """\
import tracker
issue = await tracker.get_issue(id=1)
if issue["assignee"] is not None and "email" in issue["assignee"]:
    print(issue["assignee"]["email"])
""",
    """\
import tracker
issue = await tracker.get_issue(id=1)
top = sorted(issue["comments"], key=lambda c: (-c["votes"], c["author"]))[:3]
print([(c["author"], c["votes"]) for c in top])
""",
    """\
import tracker
page, ids = 1, []
while page is not None:
    got = await tracker.list_issues(page=page, state="open")
    ids.extend(got["ids"])
    page = got["next"]
    if len(ids) > 5:
        break
print(len(ids))
""",
    """\
import tracker
got = await tracker.list_issues()
pages = 1
while got["next"] and pages < 3:
    got = await tracker.list_issues(page=got["next"])
    pages += 1
print(pages)
""",
    """\
import asyncio
import tracker
ids = (await tracker.list_issues())["ids"][:4]
issues = await asyncio.gather(*(tracker.get_issue(id=i) for i in ids))
print(len([i for i in issues if i["state"] == "open"]))
""",
    """\
import tracker
text = await tracker.add_comment(id=1, body="hello")
print(text.splitlines()[:1])
""",
    """\
import tracker
for body in ("a", "b"):
    print((await tracker.add_comment(id=1, body=body)).strip() != "")
""",
    """\
import bookshelf, tracker
inv = await bookshelf.take_inventory()
for genre, n in inv["by_genre"].items():
    if n == 0:
        await tracker.create_issue(title=f"buy {genre}", labels=[genre])
print("ok")
""",
    """\
import bookshelf
import tracker
hours = await bookshelf.list_opening_hours()
body = "\\n".join(f"{h['day']}: {h['opens']}-{h['closes']}" for h in hours)
print(await tracker.add_comment(id=1, body=body) is not None)
""",
    """\
import tracker
def chunks(xs, n):
    return [xs[i:i + n] for i in range(0, len(xs), n)]
ids = (await tracker.list_issues())["ids"]
for c in chunks(ids, 2):
    print(c)
""",
    """\
import tracker
issue = await tracker.get_issue(id=1)
total = 0
for c in issue["comments"]:
    total += c["votes"]
print(total, total / max(len(issue["comments"]), 1))
""",
    """\
import tracker
issue = await tracker.get_issue(id=1)
authors = {c["author"] for c in issue["comments"]}
print(", ".join(sorted(authors)) or "none")
""",
    """\
import tracker
state = "open" if 1 < 2 else "closed"
print((await tracker.list_issues(state=state))["ids"][:1])
""",
    """\
import tracker
try:
    await tracker.create_issue(title="x", due={"date": "soon"})
except ValueError as e:
    print("bad", e)
except RuntimeError as e:
    print("tool", e)
""",
    """\
import tracker
async def urgent(title, **more):
    return await tracker.create_issue(title=title, priority="urgent", **more)
print((await urgent("x", labels=["y"]))["url"])
""",
    """\
import tracker
labels = ("a", "b")
made = await tracker.create_issue(title="t", labels=labels)
print(made["id"])
""",
    """\
import tracker
made = [await tracker.create_issue(title=t) for t in "abc"]
print([m["id"] for m in made])
""",
    """\
import tracker
made = {t: (await tracker.create_issue(title=t))["id"] for t in ["a", "b"]}
print(made)
""",
    """\
import tracker
n: int = 0
issues: list[dict] = []
for i in range(1, 3):
    issue = await tracker.get_issue(id=i)
    issues.append({"id": issue["id"], "n": len(issue["comments"])})
    n += 1
print(n, issues)
""",
    """\
from dataclasses import dataclass
import tracker
@dataclass
class Row:
    id: int
    title: str
issue = await tracker.get_issue(id=1)
row = Row(issue["id"], issue["title"])
print(row.id, row.title)
""",
    """\
import tracker
class Counter:
    def __init__(self):
        self.n = 0
    def add(self, k):
        self.n += k
c = Counter()
c.add((await tracker.get_issue(id=1))["id"])
print(c.n)
""",
    """\
import tracker
issue = await tracker.get_issue(id=1)
print("yes" if issue["state"] == "open" else "no", end="\\n")
""",
    """\
import tracker
issue = await tracker.get_issue(id=1)
summary = {**{"id": issue["id"]}, "comments": len(issue["comments"])}
summary |= {"state": issue["state"]}
print(summary)
""",
    """\
import tracker
issue = await tracker.get_issue(id=1)
keys = sorted(issue)
print(keys, "title" in issue)
""",
    """\
import tracker
issue = await tracker.get_issue(id=1)
for key, value in issue.items():
    print(key, type(value).__name__)
""",
    """\
import tracker
issue = await tracker.get_issue(id=1)
assert issue["id"] is not None, "no id"
print(issue["id"])
""",
    """\
import tracker
ids = (await tracker.list_issues())["ids"]
print(min(ids, default=0), max(ids, default=0), sum(ids))
""",
    """\
import tracker
got = await tracker.list_issues()
last = got["next"] if got["next"] is not None else -1
print(last * 2)
""",
    """\
import tracker
nxt = (await tracker.list_issues())["next"]
if not nxt:
    print("end")
else:
    print(nxt + 1)
""",
    """\
import tracker
attempts = 0
while attempts < 3:
    try:
        made = await tracker.create_issue(title="retry")
        break
    except tracker.CallTimeout:
        attempts += 1
else:
    made = None
print(made is not None)
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
it = iter(r["items"])
try:
    print(next(it)["title"])
except StopIteration:
    print("empty")
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
decade = lambda i: i["published"] // 10 * 10
print(sorted({decade(i) for i in r["items"]}))
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
longest, *_ = sorted(r["items"], key=lambda i: len(i["title"]), reverse=True) or [None]
print(longest and longest["title"])
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
lines = ["id,title"] + [",".join((i["id"], i["title"].replace(",", ";"))) for i in r["items"]]
print("\\n".join(lines))
""",
    """\
import bookshelf
report = {}
inv = await bookshelf.take_inventory()
report["total"] = inv["counted"]
report["share"] = {g: round(100 * n / inv["counted"], 1) for g, n in inv["by_genre"].items()}
print(report)
""",
    """\
import bookshelf
g1, g2 = (await bookshelf.get_item(id="B-1")), (await bookshelf.get_item(id="B-2"))
older = g1 if g1["item"]["published"] <= g2["item"]["published"] else g2
print(older["item"]["title"])
""",
    """\
import bookshelf
g = await bookshelf.get_item(id="B-1")
item = g["item"]
assert item["kind"] == "book"
print(item["pages"] + 1)
""",
    """\
import bookshelf
def walk(shelf, path=()):
    here = (*path, shelf["name"])
    found = [(here, i) for i in shelf["items"]]
    for sub in shelf.get("shelves", ()):
        found += walk(sub, here)
    return found
for s in (await bookshelf.browse_shelves(floor=1))["shelves"]:
    for path, item in walk(s):
        print("/".join(path), item)
""",
)

MENDED = {
    """\
import bookshelf
r = await bookshelf.search_catalog(query="a")
print(r)
""": """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
print(r)
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue(q="a")
print(r)
""": """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
print(r)
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue("a")
print(r)
""": """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
print(r)
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue()
print(r)
""": """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
print(r)
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue(query=5)
print(r)
""": """\
import bookshelf
r = await bookshelf.search_catalogue(query="5")
print(r)
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue(query="a", limit="10")
print(r)
""": """\
import bookshelf
r = await bookshelf.search_catalogue(query="a", limit=10)
print(r)
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue(query="a", genre="fiction")
print(r)
""": """\
import bookshelf
r = await bookshelf.search_catalogue(query="a", genre="crime")
print(r)
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue(query="a", genre=None)
print(r)
""": """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
print(r)
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
for i in r:
    print(i["title"])
""": """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
for i in r["items"]:
    print(i["title"])
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
print(r.items[0])
""": """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
print(r["items"][0])
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
print(r["results"])
""": """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
print(r["items"])
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
print(r["items"]["title"])
""": """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
print(r["items"][0]["title"])
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
print(len(r["total"]))
""": """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
print(r["total"])
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
print("total: " + r["total"])
""": """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
print("total: " + str(r["total"]))
""",
    """\
import bookshelf
r = bookshelf.search_catalogue(query="a")
print(r["total"])
""": """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
print(r["total"])
""",
    """\
import bookshelf
total = (await bookshelf.take_inventory())["count"]
print(total)
""": """\
import bookshelf
total = (await bookshelf.take_inventory())["counted"]
print(total)
""",
    """\
import bookshelf
inv = await bookshelf.take_inventory()
for g in inv["by_genre"]:
    print(g["name"])
""": """\
import bookshelf
inv = await bookshelf.take_inventory()
for key, value in inv["by_genre"].items():
    print(key)
""",
    """\
import bookshelf
inv = await bookshelf.take_inventory()
print(sum(inv["by_genre"]))
""": """\
import bookshelf
inv = await bookshelf.take_inventory()
print(sum(inv["by_genre"].values()))
""",
    """\
import bookshelf
g = await bookshelf.get_item(id="B-1")
print(g["title"])
""": """\
import bookshelf
g = await bookshelf.get_item(id="B-1")
print(g["item"]["title"])
""",
    """\
import bookshelf
g = await bookshelf.get_item(id="B-1")
print(g["item"]["author"])
""": """\
import bookshelf
g = await bookshelf.get_item(id="B-1")
print(g["item"]["creator"])
""",
    """\
import bookshelf
g = await bookshelf.get_item(id="B-1")
print(g["item"]["pages"])
""": """\
import bookshelf
g = await bookshelf.get_item(id="B-1")
if g["item"]["kind"] == "book":
    print(g["item"]["pages"])
""",
    """\
import bookshelf
g = await bookshelf.get_item(id="B-1")
print(2026 - g["item"]["creator"]["born"])
""": """\
import bookshelf
g = await bookshelf.get_item(id="B-1")
if g["item"]["creator"]["born"] is not None:
    print(2026 - g["item"]["creator"]["born"])
""",
    """\
import bookshelf
g = await bookshelf.get_item(id="B-1")
print(g["item"]["series"].upper())
""": """\
import bookshelf
g = await bookshelf.get_item(id="B-1")
if g["item"]["kind"] == "book" and "series" in g["item"]:
    print(g["item"]["series"].upper())
""",
    """\
import bookshelf
g = await bookshelf.get_item(id="B-1")
if g["item"]["kind"] == "movie":
    print("film")
""": """\
import bookshelf
g = await bookshelf.get_item(id="B-1")
if g["item"]["kind"] == "film":
    print("film")
""",
    """\
import bookshelf
g = await bookshelf.get_item("B-1")
print(g)
""": """\
import bookshelf
g = await bookshelf.get_item(id="B-1")
print(g)
""",
    """\
import bookshelf
g = await bookshelf.get_item(id=1)
print(g)
""": """\
import bookshelf
g = await bookshelf.get_item(id="1")
print(g)
""",
    """\
import bookshelf
g = await bookshelf.get_item(identifier="B-1")
print(g)
""": """\
import bookshelf
g = await bookshelf.get_item(id="B-1")
print(g)
""",
    """\
import bookshelf
hours = await bookshelf.list_opening_hours()
print(hours["monday"])
""": """\
import bookshelf
hours = await bookshelf.list_opening_hours()
print(hours[0])
""",
    """\
import bookshelf
hours = await bookshelf.list_opening_hours()
print([h["open"] for h in hours])
""": """\
import bookshelf
hours = await bookshelf.list_opening_hours()
print([h["opens"] for h in hours])
""",
    """\
import bookshelf
hours = (await bookshelf.list_opening_hours())["hours"]
print(hours)
""": """\
import bookshelf
hours = (await bookshelf.list_opening_hours())[0]
print(hours)
""",
    """\
import bookshelf
cover = await bookshelf.show_cover(id="B-1")
print(cover["url"])
""": """\
import bookshelf
cover = await bookshelf.show_cover(id="B-1")
import json
print(json.loads(cover)["url"])
""",
    """\
import bookshelf
w = await bookshelf.withdraw_items(ids="B-1", reason="worn")
print(w)
""": """\
import bookshelf
w = await bookshelf.withdraw_items(ids=["B-1"], reason="worn")
print(w)
""",
    """\
import bookshelf
w = await bookshelf.withdraw_items(ids=["B-1"])
print(w)
""": """\
import bookshelf
w = await bookshelf.withdraw_items(ids=["B-1"], reason=None)
print(w)
""",
    """\
import bookshelf
w = await bookshelf.withdraw_items(ids=["B-1"], reason="broken")
print(w)
""": """\
import bookshelf
w = await bookshelf.withdraw_items(ids=["B-1"], reason="worn")
print(w)
""",
    """\
import bookshelf
w = await bookshelf.withdraw_items(ids=[1, 2], reason=None)
print(w)
""": """\
import bookshelf
w = await bookshelf.withdraw_items(ids=[str(each) for each in [1, 2]], reason=None)
print(w)
""",
    """\
import bookshelf
w = await bookshelf.withdraw_items(ids=["a"], reason="lost")
print(w["withdrawn"]["a"])
""": """\
import bookshelf
w = await bookshelf.withdraw_items(ids=["a"], reason="lost")
print(w["withdrawn"][0])
""",
    """\
import bookshelf
b = await bookshelf.borrow_item(id="B-1", member="a@b.co", weeks="2")
print(b)
""": """\
import bookshelf
b = await bookshelf.borrow_item(id="B-1", member="a@b.co", weeks=2)
print(b)
""",
    """\
import bookshelf
b = await bookshelf.borrow_item(id="B-1", member=None)
print(b)
""": """\
import bookshelf
b = await bookshelf.borrow_item(id="B-1", member="a@b.co")
print(b)
""",
    """\
import bookshelf
b = await bookshelf.borrow_item(id="B-1", member="a@b.co")
print(b["due"].year)
""": """\
import bookshelf
b = await bookshelf.borrow_item(id="B-1", member="a@b.co")
print(int(b["due"][:4]))
""",
    """\
import bookshelf
b = await bookshelf.borrow_item(id="B-1", member="a@b.co", days=3)
print(b)
""": """\
import bookshelf
b = await bookshelf.borrow_item(id="B-1", member="a@b.co", weeks=3)
print(b)
""",
    """\
import tracker
i = await tracker.get_issue(id="1")
print(i)
""": """\
import tracker
i = await tracker.get_issue(id=1)
print(i)
""",
    """\
import tracker
i = await tracker.get_issue(id=1)
print(i["assignee"]["name"])
""": """\
import tracker
i = await tracker.get_issue(id=1)
if i["assignee"] is not None:
    print(i["assignee"]["name"])
""",
    """\
import tracker
i = await tracker.get_issue(id=1)
if i["assignee"]:
    print(i["assignee"]["email"].lower())
""": "",
    """\
import tracker
i = await tracker.get_issue(id=1)
print([c["text"] for c in i["comments"]])
""": """\
import tracker
i = await tracker.get_issue(id=1)
print([c["body"] for c in i["comments"]])
""",
    """\
import tracker
i = await tracker.get_issue(id=1)
print(i["comments"][0]["votes"].strip())
""": """\
import tracker
i = await tracker.get_issue(id=1)
print(i["comments"][0]["votes"])
""",
    """\
import tracker
i = await tracker.get_issue(id=1)
if i["state"] == "done":
    print("done")
""": """\
import tracker
i = await tracker.get_issue(id=1)
if i["state"] == "closed":
    print("done")
""",
    """\
import tracker
m = await tracker.create_issue(title="x", priority="high")
print(m)
""": """\
import tracker
m = await tracker.create_issue(title="x", priority="urgent")
print(m)
""",
    """\
import tracker
m = await tracker.create_issue(title="x", labels="bug")
print(m["id"] + "!")
""": """\
import tracker
m = await tracker.create_issue(title="x", labels=["bug"])
print(str(m["id"]) + "!")
""",
    """\
import tracker
m = await tracker.create_issue(title="x", due="2026-01-01")
print(m)
""": """\
import tracker
m = await tracker.create_issue(title="x", due={"date": "2026-01-01"})
print(m)
""",
    """\
import tracker
m = await tracker.create_issue(title="x", due={"day": "2026-01-01"})
print(m)
""": """\
import tracker
m = await tracker.create_issue(title="x", due={"date": "2026-01-01"})
print(m)
""",
    """\
import tracker
m = await tracker.create_issue(title="x", estimate="3")
print(m)
""": """\
import tracker
m = await tracker.create_issue(title="x", estimate=3)
print(m)
""",
    """\
import tracker
m = await tracker.create_issue(title="x")
print("#" + m["id"])
""": """\
import tracker
m = await tracker.create_issue(title="x")
print("#" + str(m["id"]))
""",
    """\
import tracker
ids = await tracker.list_issues()
for i in ids:
    print(await tracker.get_issue(id=i))
""": """\
import tracker
ids = await tracker.list_issues()
for i in ids["ids"]:
    print(await tracker.get_issue(id=i))
""",
    """\
import tracker
got = await tracker.list_issues()
print(got["next"] + 1)
""": """\
import tracker
got = await tracker.list_issues()
if got["next"] is not None:
    print(got["next"] + 1)
""",
    """\
import tracker
got = await tracker.list_issues(state="all")
print(got)
""": """\
import tracker
got = await tracker.list_issues(state="open")
print(got)
""",
    """\
import tracker
t = await tracker.add_comment(id=1, text="x")
print(t)
""": """\
import tracker
t = await tracker.add_comment(id=1, body="x")
print(t)
""",
    """\
import tracker
t = await tracker.add_comment(id=1, body=["x"])
print(t)
""": """\
import tracker
t = await tracker.add_comment(id=1, body=", ".join(["x"]))
print(t)
""",
    """\
import tracker
async def go():
    return tracker.list_issues()
r = await go()
print(r["ids"])
""": """\
import tracker
async def go():
    return await tracker.list_issues()
r = await go()
print(r["ids"])
""",
    """\
import asyncio, tracker
r = await asyncio.gather([tracker.get_issue(id=1), tracker.get_issue(id=2)])
print(r)
""": """\
import asyncio, tracker
r = await asyncio.gather(*[tracker.get_issue(id=1), tracker.get_issue(id=2)])
print(r)
""",
    """\
import bookshelf
print(await tracker.list_issues())
""": """\
import bookshelf
import tracker
print(await tracker.list_issues())
""",
}

FEATURES = (
    """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
titles = sorted({i["title"] for i in r["items"]}, key=str.lower, reverse=True)
print(*titles[:3], sep=" | ")
""",
    """\
import bookshelf
r = await bookshelf.search_catalogue(query="a")
found = next((i for i in r["items"] if i["kind"] == "film"), None)
print(found["minutes"] if found else "none")
""",
    """\
print(next((x for x in [1,2] if x>1), None))
""",
    """\
g = (x for x in [1,2])
print(next(g))
""",
    """\
print(next(map(str, [1])))
""",
    """\
print(next(iter({"a": 1})))
""",
    """\
print(next(filter(None, [0,1]), None))
""",
    """\
print(next(zip([1],[2])))
""",
    """\
print(next(enumerate(["a"])))
""",
    """\
print(next(reversed([1,2])))
""",
    """\
a, b = map(int, "1 2".split()); print(a+b)
""",
    """\
print(list(zip(*[[1,2],[3,4]])))
""",
    """\
print(dict(zip("ab", [1,2])))
""",
    """\
print(sorted([(1,"a"),(0,"b")], key=lambda t: t[1]))
""",
    """\
print(max([1,2,3], key=lambda x: -x))
""",
    """\
print(f"{3.14159:.2f} {1000:,} {5:>5}|{5:<5}|{5:^5}|{'x':*^7}")
""",
    """\
print("%s and %d" % ("a", 3))
""",
    """\
print("{} {name}".format(1, name="n"))
""",
    """\
print("a,b".partition(","), "x".zfill(3), "abc".center(9, "-"))
""",
    """\
print("Hello"[::-1], [1,2,3][-1:], (1,2)[0])
""",
    """\
x = {"a": 1}; x.update(b=2); print(x | {"c": 3})
""",
    """\
x = {"a": 1}; print(x.pop("a", None), x.popitem() if x else None)
""",
    """\
print([*range(3)], {*[1,1]}, {**{"a": 1}})
""",
    """\
print(sum([[1],[2]], []))
""",
    """\
print(any(x > 1 for x in [1,2]), all([]))
""",
    """\
def f(*a, **k): return a, k
print(f(1, 2, x=3))
""",
    """\
def f(a, /, b, *, c=1): return a+b+c
print(f(1, b=2, c=3))
""",
    """\
def outer():
    n = 0
    def inner():
        nonlocal n
        n += 1
        return n
    inner()
    return inner()
print(outer())
""",
    """\
total = 0
def add(x):
    global total
    total += x
add(2)
print(total)
""",
    """\
def fib(n): return n if n < 2 else fib(n-1)+fib(n-2)
print(fib(10))
""",
    """\
try:
    {}["a"]
except KeyError as e:
    print("key", e)
""",
    """\
try:
    [][0]
except (IndexError, KeyError):
    print("index")
""",
    """\
try:
    int("x")
except ValueError as e:
    print(e)
""",
    """\
try:
    1/0
except ZeroDivisionError:
    print("zero")
finally:
    print("fin")
""",
    """\
try:
    raise ValueError("x") from None
except Exception as e:
    print(type(e).__name__, e.args)
""",
    """\
class E(Exception):
    pass
try:
    raise E("x")
except E as e:
    print(e)
""",
    """\
for i in range(3):
    if i == 1: continue
else:
    print("else")
""",
    """\
while True:
    break
print("ok")
""",
    """\
match {"kind": "a", "n": 1}:
    case {"kind": "a", "n": n}:
        print(n)
    case _:
        print("other")
""",
    """\
match [1, 2, 3]:
    case [first, *rest]:
        print(first, rest)
""",
    """\
match 5:
    case int(x) if x > 3:
        print(x)
""",
    """\
x = 5
print("big" if x > 3 else "small", 1 < x < 10)
""",
    """\
import json
print(json.dumps({"a": [1, None, True]}, indent=2))
""",
    """\
import json
print(json.loads('{"a": 1}')["a"])
""",
    """\
import json
print(json.dumps({"b": 1, "a": 2}, sort_keys=True, ensure_ascii=False))
""",
    """\
import json
print(json.dumps({"d": object}, default=str))
""",
    """\
import re
print(re.findall(r"\\d+", "a1b22"), re.sub(r"a", "b", "aa"), re.split(r",\\s*", "a, b"))
""",
    """\
import re
m = re.search(r"(?P<y>\\d{4})", "in 2024"); print(m["y"], m.groupdict(), m.span())
""",
    """\
import re
print(re.sub(r"(\\w)", lambda m: m.group(1).upper(), "ab"))
""",
    """\
from datetime import datetime
print(datetime.fromisoformat("2024-01-02T03:04:05").year)
""",
    """\
from datetime import datetime, timedelta
print((datetime(2024,1,31) + timedelta(days=1)).strftime("%Y-%m-%d"))
""",
    """\
from datetime import date
print(date.fromisoformat("2024-01-02").weekday())
""",
    """\
from datetime import datetime, timezone
print(datetime.now(timezone.utc).tzinfo is not None)
""",
    """\
import math
print(math.floor(2.5), math.sqrt(4), math.inf > 1, math.isclose(0.1+0.2, 0.3))
""",
    """\
from collections import defaultdict
d = defaultdict(list); d["a"].append(1); print(dict(d))
""",
    """\
from collections import Counter
print(Counter("aab").most_common(1))
""",
    """\
from itertools import groupby
print([(k, len(list(g))) for k, g in groupby("aab")])
""",
    """\
from itertools import chain
print(list(chain([1],[2])))
""",
    """\
from functools import reduce
print(reduce(lambda a, b: a+b, [1,2,3]))
""",
    """\
import random
print(random.randint(1,1))
""",
    """\
import time
print(time.time() > 0)
""",
    """\
import string
print(string.ascii_lowercase[:3])
""",
    """\
import textwrap
print(textwrap.shorten("hello world", 8))
""",
    """\
import csv, io
w = io.StringIO(); csv.writer(w).writerow([1,2]); print(w.getvalue())
""",
    """\
import uuid
print(len(str(uuid.uuid4())))
""",
    """\
import hashlib
print(hashlib.sha256(b"a").hexdigest()[:4])
""",
    """\
import base64
print(base64.b64encode(b"a").decode())
""",
    """\
from urllib.parse import quote
print(quote("a b"))
""",
    """\
from typing import Any, Optional, TypedDict
x: Optional[int] = None
print(x)
""",
    """\
from dataclasses import dataclass, field
@dataclass
class P:
    x: int
    tags: list = field(default_factory=list)
print(P(1))
""",
    """\
from dataclasses import dataclass, asdict
@dataclass
class P:
    x: int = 0
print(asdict(P(3)))
""",
    """\
class A:
    n = 1
    def __repr__(self): return "A!"
    @property
    def p(self): return 3
print(A(), A().p)
""",
    """\
class A:
    @staticmethod
    def s(): return 1
    @classmethod
    def c(cls): return cls.__name__
print(A.s(), A.c())
""",
    """\
class A:
    def hi(self): return "hi"
class B(A):
    def hi(self): return super().hi() + "!"
print(B().hi())
""",
    """\
from enum import Enum
class C(Enum):
    A = "a"
print(C.A.value)
""",
    """\
from collections import namedtuple
P = namedtuple("P", "x y")
print(P(1,2).x)
""",
    """\
def gen():
    yield 1
print(list(gen()))
""",
    """\
with open("x") as f:
    print(f.read())
""",
    """\
import sys
print(sys.argv)
""",
    """\
import os
print(os.getcwd())
""",
    """\
print(isinstance(1, (int, str)), type(1) is int, callable(print))
""",
    """\
print(bytes([65]).decode(), "ä".encode(), ord("a"), chr(98), hex(255), bin(5))
""",
    """\
print(round(2.567, 2), divmod(7, 3), pow(2, 10), abs(-1))
""",
    """\
print(sorted("bca", reverse=True), list(reversed([1,2])), list(enumerate("ab", 1)))
""",
    """\
a = [3,1,2]
a.sort(key=lambda x: -x); a.insert(0, 9); a.remove(1); a.reverse(); print(a, a.index(9), a.count(3))
""",
    """\
s = {1,2}; s.add(3); s.discard(1); print(s & {2}, s | {5}, s - {2}, s ^ {9}, {1} <= s)
""",
    """\
x = [[0]*2 for _ in range(2)]; x[0][1] = 5; print(x)
""",
    """\
a, (b, *c), d = 1, (2, 3, 4), 5; print(a,b,c,d)
""",
    """\
x = 1; x += 1; x **= 3; x //= 2; x %= 3; print(x, 5 & 3, 1 << 4, ~1)
""",
    """\
del_me = {"a": 1}
del del_me["a"]
print(del_me)
""",
    """\
a = [1,2,3]
a[1:2] = [9, 9]
print(a)
""",
    """\
print((lambda x, y=2: x*y)(3), [f(2) for f in (lambda n: n+1, lambda n: n*2)])
""",
    """\
assert 1 == 1, "msg"
print("ok")
""",
    """\
print(*"abc", sep="-", end="!\\n")
""",
    """\
print("a" in "abc", "x" not in ["y"], None is None, not [])
""",
    """\
print("a\\nb".splitlines(), "A b".title(), "abc".startswith(("a","b")))
print("a-b".replace("-", ""), " x ".strip())
""",
    """\
print("abc".removeprefix("a"), "x=1".rsplit("=", 1), "ab".join(["1","2"]))
print("abc".find("c"), "é".casefold())
""",
    """\
print(1_000, 0xff, 1e3, 3+4j)
""",
    """\
from decimal import Decimal
print(Decimal("1.1") + Decimal("2.2"))
""",
    """\
print(min((x["n"] for x in [{"n": 2}, {"n": 1}]), default=0))
""",
    """\
print({k: [x for x in v if x] for k, v in {"a": [0, 1]}.items()})
""",
    """\
print([x for xs in [[1],[2]] for x in xs], {x % 2 for x in range(4)})
""",
    """\
if (n := len([1,2])) > 1: print(n)
""",
    """\
import asyncio
async def w(n): return n
print(await asyncio.gather(w(1), w(2)))
""",
    """\
import asyncio
async def w(n): return n
async def main():
    tasks = [asyncio.create_task(w(i)) for i in range(2)]
    return [await t for t in tasks]
print(await main())
""",
    """\
async def agen():
    for i in range(2):
        yield i
print([x async for x in agen()])
""",
    """\
print(getattr({}, "x", 1), hasattr("", "upper"))
""",
    """\
f = "abc".upper
print(f())
""",
    """\
print(list(map(str.strip, [" a "])))
""",
    """\
print(list(map(int, ["1"])), list(filter(str.isdigit, ["1","a"])))
""",
    """\
print(list(map(lambda a, b: a+b, [1],[2])))
""",
    """\
print("".join(c for c in "a1" if c.isalpha()))
""",
    """\
print(sorted({"b":1,"a":2}.items(), key=lambda kv: kv[1], reverse=True)[0][0])
""",
    """\
x = [1,2,3,4]
print(x[::2], x[-2:], x[:-1])
""",
    """\
print(str([1, "a", None]), repr("x"), int("0x1f", 16), float("1.5"), bool("x"))
""",
    '''\
def f(x: int) -> str:
    """Doc."""
    return str(x)
print(f(1), f.__name__)
''',
    """\
print(__name__)
""",
    """\
print(vars())
""",
    """\
raise SystemExit(0)
""",
    """\
exit()
""",
    """\
import traceback
try:
    1/0
except Exception:
    traceback.print_exc()
""",
    """\
import logging
logging.info("x")
""",
    """\
from pathlib import Path
print(Path("a/b").name)
""",
    """\
import itertools
print(list(itertools.islice([1,2,3], 2)))
""",
    """\
import collections
print(collections.OrderedDict(a=1))
""",
    """\
print("x".isnumeric(), "a b".split(None, 1), "Ab".swapcase(), "ab".ljust(4, "."))
""",
    """\
print([1,2] < [1,3], (1,2) == (1,2), {"a":1} == {"a":1})
""",
    """\
it = iter([1,2,3])
first = next(it)
print(first, list(it))
""",
    """\
for a, b in zip([1,2],[3,4], strict=True): print(a, b)
""",
    """\
for i, (k, v) in enumerate({"a": 1}.items()): print(i, k, v)
""",
    """\
try:
    pass
except* ValueError:
    pass
print(1)
""",
    """\
x = 3
print(f"{x=}", f"{x!r:>4}", f"{'a' if x else 'b'}", f"{{}}")
""",
)
