"""Generated Python compared: the names and the types that code written against it uses."""
