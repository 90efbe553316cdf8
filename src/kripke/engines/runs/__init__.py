"""Single runs of a model: followed again, or made step by step."""
