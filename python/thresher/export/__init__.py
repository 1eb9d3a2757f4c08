"""Fitted models as code: SQL, Python, JavaScript, C, ONNX, spreadsheets."""
