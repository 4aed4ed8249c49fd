"""What a model is given of a server: its tools as typed functions, in files that it reads."""
