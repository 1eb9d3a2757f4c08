"""Score-card practice: binning tables, scaling to points, reasons of decisions, monitoring.

======================================= =================================================================
``scaled_card()``                       ``card.py``, ``scaling.py``, ``_scale.py``
``point_card()``, whole points          ``point_card.py``, ``_whole_points.py``, ``rounding.py``
what both cards do: score, probability  ``_points.py``, ``_rows.py``
bins, WoE and IV, edits, importance     ``bins.py``, ``binning_table.py``,
                                        ``column_importance.py``
``bands()``                             ``bands.py``
``reasons()``                           ``reasons.py``, ``_reasons.py``, ``_reason_texts.py``
``monitor()``                           ``_monitor.py``
files, code, reports                    ``_files.py``, ``_code.py``, ``_reason_code.py``,
                                        ``_report.py``
======================================= =================================================================
"""
