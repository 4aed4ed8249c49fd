"""The rules as data: what is not as it should be, why that matters, and how to mend it."""
