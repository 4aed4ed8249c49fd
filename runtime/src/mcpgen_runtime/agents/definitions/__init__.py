"""The definition of a tool for each model API, with the names and schemas that it accepts."""
