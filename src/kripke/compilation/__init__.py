"""From the C text of a model to a library in memory: compilers, the cache, loading."""
