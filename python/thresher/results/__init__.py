"""Results of a fitted model: rules, patterns, certificates, paths, prices, tables.

=============================================== =========================================================
``summary()``; any table as text, HTML, LaTeX   ``summary.py``, ``summary_rows.py``, ``printed.py``,
                                                ``table_text.py``
``certificate_``                                ``certificate.py``, ``certificate_parts.py``,
                                                ``l0_certificate.py``, ``subset_certificate.py``
the document of a fitted model                  ``model_view.py``, ``rule_view.py``, ``pattern_view.py``,
                                                ``documents.py``, ``payloads.py``
``rules_``, ``groups_``, rules as text          ``rule.py``, ``rule_group.py``, ``rule_parser.py``,
                                                ``hierarchical_rule.py``
``patterns_``, ``pattern_table()``              ``pattern.py``, ``pattern_table.py``, ``association.py``
``support``, ``n_rows``, ``equivalents``        ``coverage.py``, ``equivalents.py``
``path_``                                       ``path.py``, ``path_axis.py``, ``convex_path.py``,
                                                ``subset_path.py``, ``hierarchy_path.py``,
                                                ``machine_path.py``
``price()``, ``near_ties()``                    ``price.py``
``relaxation_``                                 ``relaxation.py``
``explain()``                                   ``explanation.py``, ``contributions.py``
probabilities, AUC and Gini, intervals of rates ``probabilities.py``, ``ranking.py``, ``intervals.py``,
                                                ``auc_interval.py``, ``recalibration.py``,
                                                ``line_fit.py``
step functions, ``score_card()``, edited bins   ``shape_function.py``, ``score_card.py``, ``bin_edit.py``
axes of skewed columns                          ``skewed_axis.py``
``interactions_``                               ``interactions.py``, ``machine_terms.py``,
                                                ``machine_rows.py``, ``machine_columns.py``
=============================================== =========================================================
"""
