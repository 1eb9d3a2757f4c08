"""The estimators.

======================================== ===========================================================
``fit``, ``fit_path`` as users call them ``_fitting.py``, ``_shared.py``, ``_resumed.py``
the steps of a fit, fitted attributes    ``_base.py``
what a fit gets and gives                ``_training.py``
tables in batches                        ``_datasets.py``
rules and records: options, models       ``_convex.py``, ``_patterns.py``, ``_pattern_family.py``
best subsets and score cards: options    ``_l0.py``
tables: packing, memory                  ``_tables.py``
fits compared by held-out loss           ``_compared_fits.py``, ``_penalty_choice.py``
parameters, their types                  ``_parameters.py``, ``_typing.py``
``bins``, one value a column             ``_cut_points.py``, ``_columns.py``, ``_rounded_values.py``
``predict``, ``score``                   ``_predictions.py``, ``_classifier.py``, ``_regressor.py``
``verify``, ``price``, ``near_ties``     ``_optimality.py``
``summary``, ``explain``, ``report``     ``_reading.py``
``transform``, patterns in records       ``_rule_features.py``, ``_pattern_features.py``,
                                         ``_pattern_statistics.py``, ``_sequence_matches.py``
``reasons``, ``monitor``                 ``_reasons.py``, ``_monitoring.py``
``plot_*``, ``to_sql`` and others        ``_plots.py``, ``_export.py``
``to_json``, pickles                     ``_saving.py``
warnings                                 ``_constant_outputs.py``, ``_empty_comparison.py``,
                                         ``_identifiers.py``, ``_small_support.py``, ``_within_error.py``
rules; conjunctions of any length        ``rules``, ``hierarchy``
item-sets, sequences, graphs             ``itemsets.py``, ``sequences.py``, ``graphs``
few columns; score cards                 ``subset``, ``additive``
factorization machines                   ``factorization``
======================================== ===========================================================

Folders below this one get a fitted estimator as an argument. Of its private attributes they use:

========================================= ==================================================================
the result of the fit, selected solutions ``_fitted``, ``_path_index``
rows as the model reads them              ``_table``, ``_table_as_given``, ``_as_rows``, ``_valid_rows``,
                                          ``_graphs``
columns in use                            ``_used_columns``, ``_excluded_columns``
targets                                   ``_read_target``, ``_task``
predictions                               ``_decision_of``, ``_finite_decision``, ``_probabilities``
their scale                               ``_fitted_loss``, ``_log_odds_scale``
rows of each term, kind of records        ``_indicators``, ``_activations``, ``_family``
terms and their sum                       ``_summary_rows``, ``_contributions``, ``_constants``, ``_effect``
the terms along the path                  ``_path_terms``, ``_path_measure``
drawings of molecules                     ``_draw_pattern``, ``_draw_record``
the model with other numbers              ``_holding``
what files hold                           ``_parameters``, ``_extra_entries``
files and pickles: writing                ``_saved_parts``, ``_pickled_vocabulary``, ``_check_savable``
files and pickles: reading                ``_restore``, ``_check_restored``
========================================= ==================================================================
"""
