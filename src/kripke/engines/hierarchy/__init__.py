"""Engines for systems of modes alone."""
