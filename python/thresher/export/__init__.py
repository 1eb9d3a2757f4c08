"""Fitted models as code: SQL, Python, JavaScript, C, ONNX, spreadsheets.

=================================== =========================================================================
any fitted model as one formula     ``build.py``, ``formula.py``, ``conditions.py``, ``codes.py``,
                                    ``products.py``, ``event_pattern.py``, ``describe.py``
``to_sql``                          ``sql.py``, ``sql_text.py``, ``sql_link.py``, ``sql_reasons.py``
``to_python``                       ``python.py``
``to_javascript``                   ``javascript.py``, ``javascript_text.py``
``to_c``                            ``c.py``, ``c_text.py``
``to_onnx``, pipelines for skl2onnx ``onnx_graph.py``, ``onnx_nodes.py``, ``onnx_terms.py``, ``pipelines.py``
``to_pmml``                         ``pmml.py``, ``pmml_terms.py``, ``pmml_link.py``, ``pmml_xml.py``,
                                    ``pmml_verification.py``
``to_excel``                        ``excel.py``, ``workbook.py``
reasons of score cards in code      ``reason_costs.py``
=================================== =========================================================================
"""

from importlib import import_module
from types import ModuleType


def __getattr__(name: str) -> ModuleType:
    if name != "pipelines":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.pipelines")
