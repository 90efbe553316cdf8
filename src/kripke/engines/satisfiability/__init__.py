"""The engines ``bmc``, ``induction`` and ``pdr``: transition systems as clauses for a SAT solver."""
