"""Front ends: one package per modelling language."""
