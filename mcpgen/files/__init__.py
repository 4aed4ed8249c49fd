"""Files on disk: atomic writes, locks, the cache, and the user's folders."""
