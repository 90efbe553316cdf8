"""Proofs that a property holds, made from a failed search, and what checks them."""
