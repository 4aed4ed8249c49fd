"""Each check tries one case, and returns what judges say of it; nothing is kept between two."""
