"""Tools in the form of each agent framework, imported on first use."""
