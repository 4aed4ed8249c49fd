"""Reads a server's messages below the SDK's parser, each on its own."""
