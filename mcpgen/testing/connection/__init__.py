"""The connection to a live server below the SDK's parser, and what comes unasked."""
