"""The engine ``auto``: the usual engine of a property and a symbolic one, side by side."""
