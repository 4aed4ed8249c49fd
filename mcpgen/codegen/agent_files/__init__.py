"""What a model is given of a server, and what that costs it."""
