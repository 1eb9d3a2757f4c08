"""Records in a column of lists of pyarrow, pandas or polars."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from thresher import GraphRegressor, ItemsetClassifier, SequenceClassifier

RECORDS = [["home", "cart"], ["home"], ["cart", "pay"], ["help"]] * 10
Y = [1, 0, 1, 0] * 10
MODELS = {
    "sequences": SequenceClassifier(alpha=0.01, max_length=2),
    "item-sets": ItemsetClassifier(alpha=0.01, max_items=2),
}
FORMS = {
    "array": pa.array,
    "large lists": lambda records: pa.array(records, type=pa.large_list(pa.string())),
    "chunks": lambda records: pa.chunked_array([records[:3], records[3:]], type=pa.list_(pa.string())),
    "column of a table": lambda records: pa.table({"s": records})["s"],
    "dictionary": lambda records: pa.array(records, type=pa.list_(pa.dictionary(pa.int32(), pa.string()))),
    "polars": pl.Series,
    "pandas": pd.Series,
    "pandas with arrow": lambda records: pd.Series(records, dtype=pd.ArrowDtype(pa.list_(pa.string()))),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", MODELS)
def test_columns_of_lists_are_lists(kind, form):
    model = MODELS[kind]
    plain = model.fit(RECORDS, Y)
    wanted = plain.predict_proba(RECORDS)
    X = FORMS[form](RECORDS)
    np.testing.assert_array_equal(plain.predict_proba(X), wanted)
    found = model.fit(X, Y)
    assert found.patterns_
    assert "Scalar" not in str(found.summary())
    np.testing.assert_array_equal(found.predict_proba(RECORDS), wanted)
    assert type(found).from_json(found.to_json()).predict(RECORDS[:4]).tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize("kind", MODELS)
def test_missing_records_of_arrow_are_refused_with_their_row(kind):
    with pytest.raises(TypeError, match="record 1 is None"):
        MODELS[kind].fit(pa.array([["a"], None, ["b"]]), [1, 0, 1])


def test_smiles_of_arrow_are_molecules():
    pytest.importorskip("rdkit")
    smiles, y = ["CCO", "CCN", "CO", "CCCl"] * 5, [1.0, 0.0, 1.0, 0.0] * 5
    plain = GraphRegressor(alpha=0.01).fit(smiles, y)
    for form in (pa.array, lambda records: pa.chunked_array([records[:3], records[3:]]), pl.Series):
        found = GraphRegressor(alpha=0.01).fit(form(smiles), y)
        np.testing.assert_array_equal(found.predict(form(smiles)), plain.predict(smiles))
        assert "<svg" in found.pattern_table(form(smiles), y).to_html()
