"""Terms: the one typed form of expressions, guards and updates that every family lowers to for symbolic engines."""
