"""Answers made readable: text for terminals, HTML for notebooks, files for other tools."""
