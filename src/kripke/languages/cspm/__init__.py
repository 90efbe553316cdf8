"""CSP-M, the machine-readable form of CSP, as FDR reads it."""
