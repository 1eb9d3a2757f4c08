"""Conversion and validation of tables, records, targets and weights.

===================================================== =======================================================
a table in memory: arrays, frames, sparse matrices    ``inputs.py``, ``extract.py``, ``frames.py``
data that are no table, or masked                     ``other_forms.py``, ``misplaced_frames.py``,
                                                      ``masked_arrays.py``
a column: NaN, categories                             ``columns.py``, ``numeric.py``, ``categories.py``,
                                                      ``category_orders.py``
text that holds numbers, ids, whole numbers           ``numbers_in_text.py``, ``id_numbers.py``,
                                                      ``whole_numbers.py``
new rows for a fitted model, unknown categories       ``schema.py``, ``unknown_categories.py``
predictions of many rows                              ``row_blocks.py``
sparse and one-hot matrices for the core              ``compressed.py``, ``encode.py``
``y``                                                 ``targets.py``, ``target_names.py``, ``label_types.py``
``sample_weight``, ``class_weight``, rows of weight 0 ``weights.py``, ``class_weights.py``, ``fit_rows.py``
weights that count as many more rows                  ``whole_weights.py``
``cv``, ``groups``                                    ``folds.py``, ``groups.py``
the order of ``y`` and weights beside that of X       ``alignment.py``
``time_limit``, ``memory_limit`` while data are read  ``budget.py``, ``held_memory.py``
parameters by the names of the core                   ``core_parameters.py``
a table in batches, read twice                        ``datasets.py``, ``batch_frames.py``,
                                                      ``coded_tables.py``, ``_coded_columns.py``,
                                                      ``extra_columns.py``, ``fetching.py``
files of tables                                       ``table_files.py``, ``text_cells.py``,
                                                      ``stored_cells.py``, ``file_batches.py``,
                                                      ``file_schemas.py``, ``streams.py``
records of pattern models, their labels               ``records.py``, ``vocabulary.py``, ``label_codes.py``,
                                                      ``arrow_records.py``
sets of items                                         ``items.py``, ``item_matrix.py``, ``item_cells.py``
sequences of events                                   ``events.py``, ``event_tables.py``, ``event_times.py``,
                                                      ``dates.py``, ``durations.py``
graphs and molecules                                  ``graph_records.py``, ``graph_text.py``,
                                                      ``graph_sizes.py``, ``valid_graphs.py``,
                                                      ``molecules.py``, ``smarts.py``
===================================================== =======================================================
"""
