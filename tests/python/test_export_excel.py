"""Models as workbooks, whose formulas are evaluated here as a spreadsheet does."""

import openpyxl
import pandas as pd
import pytest
from openpyxl.utils.escape import unescape

import thresher as t
from thresher.export.build import formula_of
from thresher.export.excel import write_excel
from thresher.export.workbook import Calculation, Sheet, write_workbook

from .exported import KINDS, agree, case, records
from .spreadsheet import CellError, Sheets

N_ROWS = 40


def answer_of(values, model):
    """The results of a row as the other exports answer."""
    predictions = [value for name, value in values.items() if name.startswith("prediction")]
    decisions = [value for name, value in values.items() if name.startswith("decision")] or predictions
    answer = {"decision": decisions, "prediction": predictions[0]}
    if hasattr(model, "predict_proba"):
        answer["probabilities"] = [value for name, value in values.items() if name.startswith("probability")]
    return answer


@pytest.mark.parametrize("kind", KINDS)
def test_the_sheet_of_rows_is_predict(kind, tmp_path):
    model, rows, wanted = case(kind)
    rows, wanted = zip(
        *[(row, own) for row, own in zip(records(rows), wanted, strict=True) if row.get("colour") != ""],
        strict=True,
    )
    formula = formula_of(model)
    write_excel(formula, tmp_path / "model.xlsx", rows[:N_ROWS])
    sheets = Sheets(openpyxl.load_workbook(tmp_path / "model.xlsx"))
    head = [cell.value for cell in sheets.book["Table"][1]]
    found = []
    for number in range(2, 2 + len(rows[:N_ROWS])):
        cells = sheets.book["Table"][number][len(formula.columns) :]
        try:
            values = [sheets.cell("Table", cell.coordinate) for cell in cells]
            named = dict(zip(head[len(formula.columns) :], values, strict=True))
            found.append(answer_of(named, model) if values[0] != "" else "blank")
        except CellError:
            found.append(None)
    pairs = [(one, other) for one, other in zip(wanted, found, strict=False) if other != "blank"]
    assert len(pairs) > N_ROWS // 2 or not formula.columns
    agree([one for one, _ in pairs], [other for _, other in pairs], exact=False)


@pytest.mark.parametrize("kind", ["rules-three", "card-logistic", "machine", "rules-two-targets"])
def test_the_sheet_of_one_row_is_predict(kind, tmp_path):
    model, rows, wanted = case(kind)
    chosen = next(k for k, row in enumerate(records(rows)) if wanted[k] is not None and row["colour"] != "")
    model.to_excel(tmp_path / "model.xlsx")
    book = openpyxl.load_workbook(tmp_path / "model.xlsx")
    sheet, row = book["Score"], records(rows)[chosen]
    places = {sheet.cell(k, 1).value: sheet.cell(k, 2) for k in range(4, 4 + len(formula_of(model).columns))}
    for name, place in places.items():
        place.value = row[name]
    sheets = Sheets(book)
    lines = [k for k in range(4, sheet.max_row + 1) if sheet.cell(k, 5).value is not None]
    values = {sheet.cell(k, 5).value: sheets.cell("Score", f"F{k}") for k in lines}
    agree([wanted[chosen]], [answer_of(values, model)], exact=False)


def test_rows_fill_the_table(tmp_path):
    model, rows, _ = case("rules-missing")
    model.to_excel(tmp_path / "model.xlsx", rows.head(3))
    table = openpyxl.load_workbook(tmp_path / "model.xlsx")["Table"]
    assert table.max_row == 4
    wanted = [value if value == value else None for value in rows["age"].head(3)]
    assert [table.cell(k, 1).value for k in (2, 3, 4)] == wanted


@pytest.mark.parametrize("kind", ["rules-three", "rules-two-targets"])
def test_titles_name_the_output(kind, tmp_path):
    model, rows, _ = case(kind)
    model.to_excel(tmp_path / "model.xlsx", rows.head(2))
    book = openpyxl.load_workbook(tmp_path / "model.xlsx")
    for sheet in ("Table", "Terms", "Intermediate"):
        titles = [cell.value for cell in book[sheet][1]]
        assert len(set(titles)) == len(titles)


def test_numbers_keep_all_digits_and_texts_all_characters(tmp_path):
    values = [0.1 + 0.2, 5e-324, -1.7976931348623157e308, "a\x01b _x0041_ <&>\n", True, 7]
    sheet = Sheet("one & two")
    for row, value in enumerate(values):
        sheet.put(row, 0, value)
    write_workbook(tmp_path / "a.xlsx", [sheet])
    book = openpyxl.load_workbook(tmp_path / "a.xlsx")
    found = [cell.value for cell in book["one & two"]["A"]]
    assert [unescape(value) if isinstance(value, str) else value for value in found] == values
    first = (tmp_path / "a.xlsx").read_bytes()
    write_workbook(tmp_path / "a.xlsx", [sheet])
    assert (tmp_path / "a.xlsx").read_bytes() == first


def test_what_does_not_fit_into_a_sheet_is_an_error():
    with pytest.raises(ValueError, match=r"more terms than a sheet has room for .*; use to_sql"):
        Sheet("a").put(0, 16_384, 1.0)
    with pytest.raises(ValueError, match="a formula of 9,000 characters"):
        Sheet("a").put(0, 0, Calculation("1" * 9_000))


def test_a_failure_leaves_the_file_that_was_there(tmp_path):
    model, _, _ = case("card")
    (tmp_path / "model.xlsx").write_text("mine")
    with pytest.raises(TypeError):
        t.SequenceRegressor(alpha=0.1).fit(["ab", "ba"] * 9, [1.0, 0.0] * 9).to_excel(tmp_path / "model.xlsx")
    assert (tmp_path / "model.xlsx").read_text() == "mine"
    model.to_excel(tmp_path / "model.xlsx")
    assert (tmp_path / "model.xlsx").read_bytes()[:2] == b"PK"


@pytest.mark.parametrize("kind", ["card-logistic", "card in points", "linear", "machine", "rules-three"])
def test_what_the_terms_add_is_the_result(kind, tmp_path):
    model, rows, _ = case("card-logistic" if kind == "card in points" else kind)
    first = "intercept"
    if kind == "card in points":
        model, first = model.scaled_card(), "base points"
    model.to_excel(tmp_path / "model.xlsx")
    book = openpyxl.load_workbook(tmp_path / "model.xlsx")
    sheet = book["Score"]
    row = next(row for row in records(rows) if all(value == value and value != "" for value in row.values()))
    for k in range(4, sheet.max_row + 1):
        if (name := sheet.cell(k, 1).value) is not None:
            sheet.cell(k, 2).value = row[name]
    sheets = Sheets(book)
    added = {}
    for k in range(4, sheet.max_row + 1):
        if (meaning := sheet.cell(k, 8).value) is not None:
            if meaning.startswith(first):
                added[label := meaning.removeprefix(first).strip()] = 0.0
            added[label] += sheets.cell("Score", f"I{k}")
    results = {sheet.cell(k, 5).value: f"F{k}" for k in range(4, sheet.max_row + 1)}
    for label, total in added.items():
        name = "score" if kind == "card in points" else f"decision of {label}" if label else "decision"
        found = sheets.cell("Score", results.get(name) or results["prediction"])
        assert total == pytest.approx(found, rel=1e-12)


@pytest.mark.filterwarnings("ignore:.*a category that training did not see")
@pytest.mark.parametrize("levels", [["rent", "own"], ["1", "2"], [0.0, 2.0], [True, False]])
def test_categories_that_training_did_not_see_stand_as_they_are_given(tmp_path, levels):
    home = pd.Series(levels * 100, dtype=object)
    options = {"categorical_features": ["home"], "handle_unknown": "missing"}
    model = t.RuleRegressor(alpha=0.01, linear=False, **options)
    model.fit(pd.DataFrame({"home": home}), 7.0 * (home == levels[0]))
    rows = pd.DataFrame({"home": pd.Series([*levels, "boat", "0", None], dtype=object)})
    model.to_excel(tmp_path / "model.xlsx", rows)
    sheets = Sheets(openpyxl.load_workbook(tmp_path / "model.xlsx"))
    shown = [sheets.cell("Table", f"A{k}") for k in range(2, 7)]
    assert shown[:3] == [*levels, "boat"]
    found = [sheets.cell("Table", f"B{k}") for k, value in enumerate(shown, 2) if value is not None]
    assert found == pytest.approx(model.predict(rows)[: len(found)])


def test_a_column_that_is_called_as_a_result_has_another_title(tmp_path):
    X = pd.DataFrame({"Score": [float(k % 9) for k in range(200)]})
    card = t.L0AdditiveClassifier(lambda0=1.0).fit(X, X["Score"] > 4).scaled_card()
    card.to_excel(tmp_path / "card.xlsx")
    titles = [cell.value for cell in openpyxl.load_workbook(tmp_path / "card.xlsx")["Table"][1]]
    assert titles[:2] == ["Score", "score (thresher)"]
