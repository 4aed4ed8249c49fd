"""The session with a server: started, asked page by page, and recorded below the SDK's parser."""
