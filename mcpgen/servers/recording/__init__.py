"""Records a running server: lists its definitions, and stores them as a contract."""
