"""The rules as data: what a difference is called, how bad it is for whom, and what to do."""
