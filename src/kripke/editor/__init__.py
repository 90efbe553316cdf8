"""What an editor asks about a model while it is written: problems, outline, hover, definitions; and the server."""
