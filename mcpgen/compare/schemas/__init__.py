"""Two schemas compared: what they say of one value, side by side, and where that differs."""
