"""The meeting point of languages and engines: models, properties, results and traces."""
