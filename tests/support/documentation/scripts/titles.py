import bookshelf

result = await bookshelf.search_catalogue(query="night", genre="thriller")
for item in result["items"]:
    print(item["title"], item["pages"])
