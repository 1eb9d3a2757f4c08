"""Models in files and pickles.

======================================== =====================================================
``to_json``, ``from_json``, pickles      ``persistence.py``, ``envelope.py``, ``files.py``
``load_model``: which class a file holds ``loading.py``, ``registry.py``
``checkpoint``                           ``checkpoint.py``, ``fingerprint.py``, ``content.py``
======================================== =====================================================
"""
