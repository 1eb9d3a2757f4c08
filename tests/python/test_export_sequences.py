"""Python and JavaScript of models of sequences answer as predict does, to the last bit."""

import json
import subprocess

import numpy as np
import pytest

import thresher as t

RNG = np.random.default_rng(0)


def words(labels, least=0):
    return [list(RNG.choice(labels, RNG.integers(least, 8)).tolist()) for _ in range(120)]


RECORDS = {
    "texts": words(["it's", 'a "b"', "</script>", "back\\slash"]),
    "numbers": words([1, 2, 3]),
    "mixed": [[x if x == "x" else int(x) for x in row] for row in words(["1", "2", "x"])],
    "booleans": [
        [{"1": 1, "t": True, "0": 0, "f": False}.get(x, x) for x in row] for row in words(list("1t0fx"))
    ],
    "letters": ["".join(row) for row in words(list("ACGT"))],
    "sets": [
        [
            set(RNG.choice(list("abcd"), RNG.integers(0, 3), replace=False).tolist())
            for _ in range(RNG.integers(0, 7))
        ]
        for _ in range(120)
    ],
}
MODELS = [t.SequenceRegressor(alpha=0.005), t.SequenceClassifier(alpha=0.005)]


def target_of(model, records):
    length = np.array([len(record) * RNG.random() for record in records])
    return length if isinstance(model, t.SequenceRegressor) else np.digitize(length, [1, 3])


def answers_in_javascript(code, records, folder):
    rows = [[sorted(event) if isinstance(event, set) else event for event in record] for record in records]
    rows = records if isinstance(records[0], str) else rows
    script = f"{code}\nconsole.log(JSON.stringify({json.dumps(rows)}.map(score)));"
    (folder / "score.js").write_text(script, encoding="utf-8")
    done = subprocess.run(["node", "score.js"], cwd=folder, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("gap", [None, 0, 1])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("kind", RECORDS)
def test_code_answers_as_predict(kind, model, gap, tmp_path):
    records = RECORDS[kind]
    model.set_params(max_gap=gap).fit(records, target_of(model, records))
    assert len(model.patterns_) > 5
    module = {}
    exec(model.to_python(), module)
    unknown = "ZZ" if kind == "letters" else ["other", "other"]
    rows = [*records, unknown]
    decision = model._finite_decision(rows).squeeze().tolist()
    for answers in (
        [module["score"](row) for row in rows],
        answers_in_javascript(model.to_javascript(), rows, tmp_path),
    ):
        assert [answer["decision"] for answer in answers] == decision
        assert [answer["prediction"] for answer in answers] == model.predict(rows).tolist()
        if hasattr(model, "predict_proba"):
            np.testing.assert_allclose(
                [answer["probabilities"] for answer in answers], model.predict_proba(rows), rtol=1e-12
            )


def test_what_is_no_sequence_is_refused(tmp_path):
    model = t.SequenceRegressor(alpha=0.01).fit(["ab", "ba"] * 20, [1.0, 0.0] * 20)
    module = {}
    exec(model.to_python(), module)
    for row in ({"a": 1}, {"a"}, 3, None):
        with pytest.raises(ValueError, match=r"score: got .* give a list of events"):
            module["score"](row)
    tried = "let said; try { score({a: 1}); } catch (error) { said = error.message; } console.log(said);"
    (tmp_path / "bad.js").write_text(f"{model.to_javascript()}\n{tried}", encoding="utf-8")
    done = subprocess.run(["node", "bad.js"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "score: give an array of events, or a text of letters\n"
    for method in ("to_sql", "to_c", "to_onnx", "to_pmml"):
        with pytest.raises(TypeError, match="Use to_python or to_javascript"):
            getattr(model, method)()


def test_a_model_without_patterns_scores_its_intercept(tmp_path):
    model = t.SequenceRegressor(alpha=10.0).fit(["ab", "ba"] * 20, [1.0, 0.0] * 20)
    module = {}
    exec(model.to_python(), module)
    assert module["score"]("ab")["prediction"] == model.predict(["ab"])[0]
    assert answers_in_javascript(model.to_javascript(), ["ab"], tmp_path)[0]["prediction"] == 0.5
