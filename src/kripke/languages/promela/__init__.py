"""Promela, the language of SPIN 6.5: text to tokens to a syntax tree.

The way a text takes: `preprocessor` (with `lexer`, `macros`, `conditions`), `separators`, `parser` (on top of
`statements`, `declarations`, `expressions` and `inlines`), which gives a `syntax.Module`.
"""
