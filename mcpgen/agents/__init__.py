"""What a model is given of a server: stubs of its tools as typed functions."""
