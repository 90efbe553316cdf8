"""Symmetric nets: coloured nets over finite classes, and their unfolding to place/transition nets."""
