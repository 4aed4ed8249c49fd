import bookshelf

found = await bookshelf.search_catalogue(query="night", genre="thriller")
for item in found["items"]:
    print(item["title"], item["pages"])
