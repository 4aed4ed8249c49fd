"""The connection to a live server below the SDK's parser, and the unrequested messages."""
