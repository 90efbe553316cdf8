"""Process programs: the family form shared by Promela and other languages of communicating processes."""
