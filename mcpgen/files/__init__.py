"""Files on disk: found, cached, and written all at once or not at all."""
