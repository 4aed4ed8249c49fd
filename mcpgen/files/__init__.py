"""Files on disk: where they are kept, read, cached, and written all at once or not at all."""
