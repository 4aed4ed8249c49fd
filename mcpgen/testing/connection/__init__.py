"""Connects to a live server below the SDK's parser, and checks unrequested messages."""
