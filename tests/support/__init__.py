"""What tests of several packages share: toy models, random models, corpora, comparisons."""
