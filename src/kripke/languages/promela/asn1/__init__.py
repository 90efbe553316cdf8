"""Data types in ASN.1 (ITU-T X.680) for Promela models: ``import types from "file.asn1"``.

``notation`` is what a module says, ``parser`` reads it, ``types`` is what types mean,
``resolution`` finds that out for every name of a module. After EASN (V. Shanbhag, K. Gopinath, SPIN 2001): data whose
ranges are known, so that a state is a number.
"""
