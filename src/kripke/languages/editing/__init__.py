"""What languages share in answering an editor: a document, with its problems, its outline and its names."""
