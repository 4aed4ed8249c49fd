import bookshelf

result = await bookshelf.search_catalogue(query="night", genre="crime")
for item in result["items"]:
    pages = item["pages"] if item["kind"] == "book" else 0
    print(item["title"], pages)
