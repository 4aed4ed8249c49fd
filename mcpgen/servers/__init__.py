"""Which server is meant, and how it is asked: recorded, called and logged in at."""
