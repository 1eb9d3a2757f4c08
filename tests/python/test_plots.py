"""The plots draw what the model says."""

import itertools

import matplotlib as mpl
import networkx as nx
import numpy as np
import pandas as pd
import pytest

mpl.use("Agg")
import matplotlib.pyplot as plt

from thresher import (
    FactorizationMachineClassifier,
    GraphClassifier,
    GraphRegressor,
    HierarchicalRuleClassifier,
    ItemsetClassifier,
    ItemsetRegressor,
    L0AdditiveClassifier,
    L0AdditiveRegressor,
    L0Classifier,
    L0Regressor,
    RuleClassifier,
    RuleRegressor,
)
from thresher.plotting import (
    DependenceDisplay,
    ImportancesDisplay,
    InteractionsDisplay,
    PathDisplay,
    RulesDisplay,
    ShapesDisplay,
    SimilarityDisplay,
    StabilityDisplay,
)
from thresher.plotting._display import shorten
from thresher.results.shape_function import ShapeFunction, Step

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame({"age": RNG.uniform(20, 80, 150), "color": RNG.choice(["red", "blue", None], 150)})
Y = 3.0 * (FRAME["age"] > 50) + (FRAME["color"] == "red")


@pytest.fixture(scope="module")
def model():
    return RuleRegressor(max_features=2, n_alphas=20, linear=False).fit(FRAME, Y)


@pytest.mark.parametrize("name", ["$5 and $10", r"price \$", r"$\eur{$"])
def test_dollars_are_no_formula(name):
    """Between two dollars matplotlib would set a formula, or fail to."""
    frame = FRAME.rename(columns={"age": name})
    fitted = RuleRegressor(n_alphas=5, group_sparsity=0.8, alpha="bic").fit(frame, Y)
    items = ItemsetRegressor(alpha=0.01).fit([[name, "b"], ["c"]] * 9, [1.0, 0.0] * 9)
    graphs = GraphRegressor(alpha=0.01).fit([nx.path_graph(2), nx.path_graph(3)] * 9, [1.0, 0.0] * 9)
    labelled = nx.Graph([(0, 1)])
    nx.set_node_attributes(labelled, name, "label")
    displays = [fitted.plot_rules(), fitted.plot_groups(), fitted.plot_path(), fitted.plot_dependence(name)]
    for display in [*displays, items.plot_patterns(), graphs.plot_matches(labelled)]:
        axes = getattr(display, "axes_", None) or [display.ax_]
        axes[0].figure.canvas.draw()
        texts = axes[0].figure.findobj(mpl.text.Text)
        named = [text for text in texts if name.strip("$") in text.get_text().replace("\\$", "$")]
        assert named or display not in displays[::2]
        assert not any(text._preprocess_math(text.get_text())[1] is True for text in named)


def test_path(model):
    display = model.plot_path()
    assert isinstance(display, PathDisplay)
    assert len(display.axes_) == 2
    lines = [line for line in display.axes_[0].get_lines() if len(line.get_xdata()) == 20]
    assert len(lines) == len(display.names)
    assert display.axes_[1].get_ylabel() == "held-out loss"
    _, ax = plt.subplots()
    assert model.plot_path(ax=ax).axes_ == [ax]
    bic = RuleRegressor(alpha="bic", n_alphas=10).fit(FRAME, Y)
    assert bic.plot_path().axes_[1].get_ylabel() == "BIC"
    assert len(RuleRegressor(alpha=0.1).fit(FRAME, Y).plot_path().axes_) == 1


def test_paths_of_best_subsets():
    X = RNG.normal(size=(120, 5))
    y = 2 * X[:, 0] - X[:, 3] + 0.1 * RNG.normal(size=120)
    linear = L0Regressor(lambda2=[0.0, 0.1]).fit(X, y)
    display = linear.plot_path()
    shown = np.asarray(display.axis.places)
    assert set(linear.path_.lambda2[shown]) == {linear.lambda2_}
    np.testing.assert_allclose(display.axis.values, linear.path_.lambda0[shown])
    assert display.chosen == linear.lambda0_
    chosen = dict(zip(display.names, display.effects[display.axis.selected], strict=True))
    np.testing.assert_allclose(chosen["x0"], linear.coef_[0])
    assert len(display.scores.mean) == len(shown)
    sizes = L0Regressor(lambda0=None, max_nonzero=3).fit(X, y).plot_path()
    assert sizes.axis.is_size
    assert sizes.axis.values == [0, 1, 2, 3]
    down_to_0 = L0Regressor(lambda0=[10, 1, 0]).fit(X, y).plot_path()
    assert down_to_0.axes_[0].get_xscale() == "symlog"
    card = L0AdditiveRegressor(max_steps=6).fit(X, y)
    display = card.plot_path()
    sizes = {shape.feature_name: shape.importance for shape in card.shape_functions_}
    drawn = dict(zip(display.names, display.effects[display.axis.selected], strict=True))
    assert {name: size for name, size in drawn.items() if size} == pytest.approx(sizes)
    classes = np.array(["a", "b", "c"])[np.digitize(y, [-1, 1])]
    several = L0Classifier(lambda0=1.0).fit(X, classes).plot_path(output="b")
    assert several.axes_[0].get_title() == "b"
    plt.close("all")


def test_rules(model):
    display = model.plot_rules(max_rules=3)
    assert isinstance(display, RulesDisplay)
    assert len(display.ax_.patches) == min(3, len(model.rules_))
    table = model.summary().rows
    assert display.values[0] == table[0].coef
    assert f"{table[0].n_rows} rows" in display.notes[0]


def test_dependence_on_a_number(model):
    display = model.plot_dependence("age")
    assert isinstance(display, DependenceDisplay)
    low, high = display.averages[0, 0], display.averages[-1, 0]
    assert 2.5 < high - low < 3.1
    new = model.plot_dependence(0, X=FRAME).averages
    np.testing.assert_allclose(new[-1, 0], model.predict(FRAME.assign(age=FRAME["age"].max())).mean())


def test_dependence_by_the_weights_of_rows():
    X, twice = RNG.normal(size=(120, 2)), np.arange(120) % 3 == 0
    y = X[:, 0] * (X[:, 1] > 0)
    far = np.vstack([X, [[1000.0, 0.0]]])
    weights = np.append(1.0 + twice, 0.0)
    weighted = RuleRegressor(alpha=0.01, bins=8).fit(far, np.append(y, 0.0), sample_weight=weights)
    rows = np.repeat(np.arange(120), 1 + twice)
    repeated = RuleRegressor(alpha=0.01, bins=8).fit(X[rows], y[rows])
    for column in ("x0", "x1"):
        expected = repeated.plot_dependence(column)
        given = weighted.plot_dependence(column, X=far, sample_weight=weights)
        for shown in (weighted.plot_dependence(column), given):
            assert shown.values == expected.values
            np.testing.assert_allclose(shown.averages, expected.averages, rtol=1e-6)
            np.testing.assert_array_equal(shown.deciles, expected.deciles)
    with pytest.raises(ValueError, match="sample_weight belongs to the rows of X"):
        weighted.plot_dependence("x0", sample_weight=weights)


def test_dependence_on_a_category(model):
    display = model.plot_dependence("color")
    assert display.values == ["blue", "red", "missing"]
    values = dict(zip(display.values, display.averages[:, 0], strict=True))
    assert values["red"] > values["blue"] + 0.7
    for level in ("red", "blue"):
        expected = model.predict(FRAME.assign(color=level)).mean()
        assert values[level] == pytest.approx(expected)


def test_several_classes():
    labels = np.where(Y > 3, "high", np.where(Y > 0, "some", "none"))
    model = RuleClassifier(alpha=0.02, max_features=2).fit(FRAME, labels)
    assert len(model.plot_dependence("age").ax_.get_legend().get_texts()) == 3
    assert model.plot_path().title == "high"
    path = PathDisplay.from_estimator(model, output="none")
    assert path.title == "none"
    assert any(text.get_text().startswith("[") for text in model.plot_rules().ax_.get_yticklabels())


def test_plots_of_one_output():
    labels = np.array(["low", "mid", "high"])[np.digitize(Y, [0.5, 2.5])]
    model = RuleClassifier(alpha=0.01, max_features=2, group_sparsity=0.8).fit(FRAME, labels)
    rules, groups = model.plot_rules(output="mid"), model.plot_groups(output="mid")
    assert rules.texts
    assert groups.texts
    assert all(text.startswith("[mid]") for text in [*rules.texts, *groups.texts])
    assert rules.effect == groups.effect == "decision value of class 'mid'"
    every, one = model.plot_dependence("age"), model.plot_dependence("age", output="mid")
    np.testing.assert_array_equal(one.averages[:, 0], every.averages[:, every.labels.index("mid")])
    items = ItemsetClassifier(alpha=0.001).fit([["a"], ["b"], ["c"]] * 9, ["low", "mid", "high"] * 9)
    graphs = GraphClassifier(alpha=0.001).fit(
        [nx.path_graph(2), nx.path_graph(3), nx.cycle_graph(3)] * 9, ["low", "mid", "high"] * 9
    )
    for fitted in (items, graphs):
        assert {pattern.output for pattern in fitted.plot_patterns(output="mid").patterns} == {"mid"}
    for plot in (model.plot_rules, model.plot_groups, items.plot_patterns, graphs.plot_patterns):
        with pytest.raises(ValueError, match="output: got 'nobody'"):
            plot(output="nobody")
    plt.close("all")


@pytest.mark.parametrize("replaces", [False, True])
def test_a_model_without_terms_is_drawn_as_empty_axes(replaces):
    labels = np.where(Y > 2, "old", "young")
    card = L0AdditiveClassifier(lambda0=1e6).fit(FRAME, labels)
    machine = FactorizationMachineClassifier(alpha=1e6).fit(RNG.normal(size=(150, 2)), labels)
    for plot, noun in (
        (RuleClassifier(alpha=1e6).fit(FRAME, labels).plot_rules, "rules"),
        (card.plot_shapes, "steps"),
        (card.scaled_card().plot, "points"),
        (card.drop_column_importance(FRAME, labels).plot, "columns"),
        (machine.plot_interactions, "pairs of features"),
        (lambda **options: machine.plot_interactions(kind="network", **options), "pairs of features"),
    ):
        figure = plot(ax=plt.subplots()[1] if replaces else None).figure_
        figure.canvas.draw()
        assert f"no {noun}" in [text.get_text() for ax in figure.axes for text in ax.texts]
    plt.close("all")


def test_every_plot_takes_the_class_of_two():
    labels = np.where(Y > 2, "old", "young")
    card = L0AdditiveClassifier(lambda0=0.5, pos_label="old").fit(FRAME, labels)
    numbers = RNG.normal(size=(150, 2))
    sign = np.where(numbers.prod(1) > 0, "old", "young")
    machine = FactorizationMachineClassifier(alpha=0.001, random_state=0).fit(numbers, sign)
    hierarchy = HierarchicalRuleClassifier(alpha=0.1, bins=3).fit(numbers, sign)
    for fitted, plot in (
        (card, card.plot_shapes),
        (card, card.plot_path),
        (card, card.drop_column_importance(FRAME, labels).plot),
        (machine, machine.plot_interactions),
        (hierarchy, hierarchy.plot_hull),
    ):
        plot(output=fitted.pos_label_)
        other = next(label for label in fitted.classes_ if label != fitted.pos_label_)
        with pytest.raises(ValueError, match=f"output: got '{other}'; .*leave output out"):
            plot(output=str(other))
    plt.close("all")


def test_a_model_without_terms():
    model = RuleRegressor(alpha=100.0).fit(FRAME, Y)
    for display in (model.plot_rules(), model.plot_groups()):
        assert [text.get_text() for text in display.ax_.texts] == ["no rules"]
    model.plot_path()
    items = ItemsetRegressor(alpha=100.0).fit([["a"], ["b"]] * 9, [1.0, 0.0] * 9).plot_patterns()
    assert {text.get_text() for axes in items.axes_ for text in axes.texts} == {"no patterns"}
    assert np.ptp(model.plot_dependence("age").averages) == 0


def test_unknown_column(model):
    with pytest.raises(ValueError, match="there is no column 'height'; the columns are 'age', 'color'"):
        model.plot_dependence("height")


def test_a_path_of_one_point_is_drawn():
    display = RuleRegressor(alpha=0.1).fit(FRAME, Y).plot_path()
    drawn = [line for line in display.axes_[0].get_lines() if line.get_marker() == "o"]
    assert len(drawn) == len(display.names) > 0
    assert "fit_path" in display.axes_[0].texts[0].get_text()


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("home in {own, rent, 'family, paying', other}", "home in {own, rent, +2}"),
        (r"""home in {Größe > 3, mit Eltern, 'o\'wn; "x"', own}""", "home in {Größe > 3, +3}"),
        ("a in {1, 2, 3} and b in {x, y, z} or missing", "a in {1, +2} and b in…} or missing"),
        ("home in {one level that is far too long for it}", "home in {one level th…oo long for it}"),
        ("home in {'}, {', b, c, ccccccccccccccccccccccccc}", "home in {'}, {', b, c, +1}"),
        ("x in {", "x in {"),
    ],
)
def test_sets_are_shortened_by_whole_categories(text, short):
    found = shorten(text, 40 if "level" in text else 30)
    if "…" not in short:
        assert found == short
    assert len(found) <= 40


def test_the_legend_of_a_path_is_beside_its_lines(model):
    display = model.plot_path()
    display.figure_.canvas.draw()
    axes, legend = display.axes_[0], display.axes_[0].get_legend()
    assert legend.get_window_extent().x0 >= axes.get_window_extent().x1


def test_displays_are_one_line(model):
    for display in (model.plot_path(), model.plot_rules(), model.plot_groups(), model.plot_dependence("age")):
        assert "\n" not in repr(display)
        assert len(repr(display)) < 80
    assert repr(model.plot_path()) == f"PathDisplay(20 alphas, {len(model.plot_path().names)} terms)"


def test_answers_are_one_line_each(model):
    shown = [*model.rules_, *model.near_ties(0.5), *model.explain(FRAME[:2]), *model.groups_]
    for answer in [*shown, model.price("age > 30")]:
        assert "\n" not in repr(answer)
        assert "array" not in repr(answer)
        assert repr(answer).startswith(f"{type(answer).__name__}(")
    rule = model.rules_[0]
    assert repr(rule) == f"Rule({rule.describe()})"
    assert repr(rule.conditions[0]) == f"Condition({rule.conditions[0].text})"


def test_a_cut_list_says_so(model):
    display = model.plot_rules(max_rules=1)
    assert display.ax_.get_title() == f"1 term, and {len(model.rules_) - 1} more"
    assert model.plot_rules(max_rules=10_000).ax_.get_title() == ""


def test_shapes_show_missing_values_and_name_the_class():
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    y = np.digitize(x + rng.normal(0, 0.3, 300), [-0.5, 0.5])
    x[::7] = np.nan
    frame = pd.DataFrame({"x": x, "c": np.where(rng.random(300) < 0.2, None, rng.choice(["a", "b"], 300))})
    model = L0AdditiveClassifier(lambda0=0.5).fit(frame, np.array(["low", "mid", "high"])[y])
    for label in model.classes_.tolist():
        display = model.plot_shapes(output=label)
        assert display.label == f"decision value of class {label!r}"
        for ax, shape in zip(display.axes_, display.shapes, strict=False):
            texts = [text.get_text() for text in [*ax.texts, *ax.get_xticklabels()]]
            assert any("missing" in text for text in texts) == any(step.missing for step in shape.steps)


def test_plots_of_graphs_say_what_they_show():
    pytest.importorskip("rdkit")
    molecules = ["CCO", "CCN", "c1ccccc1O", "CC(=O)O", "CCCl", "CCCO"] * 8
    model = GraphRegressor(alpha=0.02, max_edges=2).fit(molecules, [float("O" in one) for one in molecules])
    titles = [axes.get_title() for axes in model.plot_patterns().axes_]
    assert all(any(p.text in title for title in titles) for p in model.patterns_ if len(p.text) < 40)
    charged = GraphRegressor(alpha=0.02, charges=True).fit(molecules, ["O" in one for one in molecules])
    titles = [axes.get_title().splitlines()[0] for axes in charged.plot_patterns().axes_]
    assert titles == [row.term for row in charged.summary().rows if row.n_rows]
    assert not any("+0" in title for title in titles)
    title = model.plot_matches("CC(N)CO").ax_.get_title().replace("\n", " ")
    assert title.startswith(f"predicted: {model.predict(['CC(N)CO'])[0]:.4g}; blue raises, red lowers")
    for record in ("xx", "", None):
        with pytest.raises(ValueError, match=r"^graph is .*; give a graph, SMILES that rdkit reads, or a"):
            model.set_params(on_invalid="skip").plot_matches(record)
    assert model.plot_patterns.__name__ == "plot_patterns"
    page = model.pattern_table(molecules, np.ones(len(molecules))).to_html()
    assert "name='viewport'" in page
    assert "color-scheme:light dark" in page


def test_a_step_of_the_smallest_value_alone_is_drawn():
    grade = np.repeat(np.arange(1.0, 6.0), 20)[:, None]
    y = 3.0 * (grade[:, 0] > 1)
    card = L0AdditiveRegressor(lambda0=0.01).fit(grade, y)
    [shape] = card.shape_functions_
    assert shape.steps[0].text == "x0 <= 1"
    [ax] = card.plot_shapes().axes_
    [stairs] = ax.patches
    values, edges, _ = stairs.get_data()
    assert edges.tolist() == [0.8, 1.0, 5.0]
    assert values.tolist() == [step.value for step in shape.steps]
    rules = RuleRegressor(alpha=0.01, linear=False).fit(grade, y)
    display = rules.plot_dependence(0)
    at = dict(zip(display.values, display.averages[:, 0], strict=True))
    assert at[1.0] == pytest.approx(rules.predict([[1.0]])[0])
    assert at[np.nextafter(1.0, 2.0)] == pytest.approx(rules.predict([[2.0]])[0])


def test_legends_above_hide_no_point():
    terms = StabilityDisplay(["a > 1", "b"], [0.9, 0.2], [1.0, -2.0]).plot()
    bars = [(patch.get_width(), patch.get_facecolor()) for patch in terms.ax_.patches]
    assert [width for width, _ in bars] == [0.9, 0.2]
    assert [text.get_text() for text in terms.ax_.get_legend().get_texts()] == [
        "raises the prediction",
        "lowers it",
    ]
    columns = ImportancesDisplay(["a", "b"], [(0.1, 0.3), (0.0, 2.0)]).plot()
    for axes in (terms.ax_, columns.axes_):
        axes.figure.draw_without_rendering()
        assert axes.get_legend().get_window_extent().y0 >= axes.get_window_extent().y1 - 1


def test_the_names_of_compared_models_are_escaped_once():
    drawn = SimilarityDisplay(["cost $a$", "b"], np.eye(2)).plot()
    assert drawn.ax_.get_yticklabels()[0].get_text() == r"cost \$a\$"


def test_the_weakest_line_of_a_network_can_be_seen():
    weights = np.zeros((3, 3))
    weights[0, 1] = weights[1, 0] = 1.0
    weights[1, 2] = weights[2, 1] = -1e-3
    drawn = InteractionsDisplay(["a", "b", "c"], weights, "network", "2 pairs").plot()
    for line in drawn.ax_.lines[:2]:
        assert line.get_linewidth() >= 1.0
        assert line.get_alpha() >= 0.6


def is_within_figure(artist):
    """Whether a drawn artist is within its figure, but for a pixel."""
    artist.figure.canvas.draw()
    return is_within(artist.figure, artist)


def is_within(figure, artist):
    own, figure = artist.get_window_extent(), figure.bbox
    return own.x0 >= -1 and own.y0 >= -1 and own.x1 <= figure.x1 + 1 and own.y1 <= figure.y1 + 1


def test_labels_and_legends_are_within_the_figure():
    card = L0AdditiveRegressor(lambda0=1.0).fit_path(FRAME, Y)
    [axes] = card.plot_path().axes_
    assert is_within_figure(axes.yaxis.label)
    names = [f"NUMBER {k}, MEASURED BY HAND IN THE MORNING BEFORE BREAKFAST" for k in range(3)]
    importances = ImportancesDisplay(names, [(0.1, 0.2)] * 3).plot()
    assert is_within_figure(importances.axes_.get_legend())
    plt.close("all")


@pytest.mark.parametrize("space", [" ", "_"])
def test_labels_with_long_names_are_within_the_figure(space):
    def long(name):
        return f"{name} of the warmest quarter of the year (degrees, CHELSA 2.1)".replace(" ", space)

    frame = pd.DataFrame({long("age"): FRAME["age"], long("color"): FRAME["color"].fillna("none")})
    labels = np.where(Y > 2, long("present"), long("absent"))
    rules = RuleClassifier(max_features=2, alpha=0.01).fit(frame, labels)
    card = L0AdditiveClassifier(lambda0=0.5).fit(frame, labels)
    items = pd.DataFrame({long(f"age {age}"): FRAME["age"] > age for age in (30, 40, 50, 60)})
    patterns = ItemsetClassifier(alpha=0.02).fit(items, labels)
    machine = FactorizationMachineClassifier(alpha=0.001, random_state=0).fit(frame, labels)
    nodes = nx.Graph([(0, 1)])
    nx.set_node_attributes(nodes, long("node"), "label")
    graphs = GraphClassifier(alpha=0.02).fit([nodes, nx.path_graph(2)] * 30, [long("a"), long("b")] * 30)
    for display in (
        rules.plot_rules(),
        rules.plot_groups(),
        rules.plot_path(),
        rules.plot_dependence(0),
        rules.plot_dependence(1),
        card.plot_shapes(),
        patterns.plot_patterns(),
        machine.plot_interactions(),
        machine.plot_interactions(kind="network"),
        graphs.plot_patterns(),
        graphs.plot_matches(nodes),
    ):
        figure = display.figure_
        figure.canvas.draw()
        texts = [part for ax in figure.axes for part in (ax.xaxis.label, ax.yaxis.label, ax.title, *ax.texts)]
        for text in [*texts, *figure.texts]:
            assert not text.get_text() or is_within(figure, text), text.get_text()
    [left, right] = patterns.plot_patterns().axes_
    left.figure.canvas.draw()
    assert left.xaxis.label.get_window_extent().x1 < right.xaxis.label.get_window_extent().x0
    plt.close("all")


def test_sets_of_categories_have_several_lines_where_they_fit():
    sets = ("forest", "meadow", "wet heath", "bog", "sedge", "dry heath"), ("dune",)
    steps = tuple(Step("c", 1.0, 0.5, categories=categories) for categories in sets)
    display = ShapesDisplay([ShapeFunction(0, "c", steps)], [(0.0, 1.0)]).plot()
    [first, _] = display.axes_[0].get_xticklabels()
    assert first.get_rotation() == 0
    assert first.get_text().replace("\n", " ") == "forest, meadow, wet heath, bog, sedge, dry heath"
    plt.close("all")


@pytest.mark.parametrize("n_levels", [2, 5, 14, 60])
def test_labels_of_categories_do_not_overlap(n_levels):
    steps = [
        Step(f"c = {k}", k - n_levels / 2, 0.1, categories=(f"region {k} of many",)) for k in range(n_levels)
    ]
    display = ShapesDisplay([ShapeFunction(0, "c", tuple(steps))], [(0.0, 1.0)]).plot()
    display.figure_.canvas.draw()
    labels = display.axes_[0].get_xticklabels()
    boxes = [label.get_window_extent() for label in labels]
    assert all(right.x0 >= left.x1 for left, right in itertools.pairwise(boxes))
    assert all(map(is_within_figure, labels))
    plt.close("all")


def test_long_labels_of_terms_do_not_overlap():
    rule = " and ".join(f"the {k}th column with a long name > {k}" for k in range(4))
    display = StabilityDisplay([rule] * 8, [0.5] * 8, [1.0] * 8).plot()
    display.figure_.canvas.draw()
    boxes = [label.get_window_extent() for label in display.ax_.get_yticklabels()]
    assert display.ax_.get_yticklabels()[0].get_text().count("\n") >= 2
    assert all(above.y0 >= below.y1 for above, below in itertools.pairwise(boxes))
    plt.close("all")


def test_skewed_columns_have_a_logarithmic_axis():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"amount": np.exp(rng.normal(8, 1.6, 500)), "change": 10 * rng.standard_t(1, 500)})
    X.loc[::9, "amount"] = np.nan
    y = 3.0 * (X["amount"] > 1000) + (X["amount"] > 9000) + (X["change"] > 5) + X["amount"].isna()
    amount, change = L0AdditiveRegressor(lambda0=0.5).fit(X, y).plot_shapes().axes_
    for ax in (amount, change):
        assert ax.get_xscale() == "asinh"
        places = ax.transAxes.inverted().transform(
            [ax.transData.transform((tick, 0)) for tick in ax.get_xticks()]
        )[:, 0]
        assert np.diff(places).min() > 0.1
        assert len(places) >= 3
    [missing] = [line for line in amount.lines if line.get_marker() == "o"]
    [place] = missing.get_xdata()
    assert X["amount"].max() < place < amount.get_xlim()[1]


def test_plots_say_where_rows_have_weights():
    x = np.arange(60.0)[:, None] % 10
    model = RuleRegressor(alpha=0.05, max_features=1, linear=False)
    for weights, notes, label in (
        (None, False, "average prediction"),
        (np.where(x[:, 0] > 6, 3.0, 1.0), True, "weighted average prediction"),
    ):
        model.fit(x, x[:, 0], sample_weight=weights)
        assert {note.endswith("% of weight") for note in model.plot_rules().notes} == {notes}
        assert model.plot_dependence("x0").ax_.get_ylabel() == label


@pytest.mark.parametrize("weight", [1.0, 3.0])
def test_a_plot_of_patterns_says_where_records_have_weights(weight):
    records, y = [{"a"} if row % 3 else {"b"} for row in range(60)], np.arange(60) % 3 * 1.0
    model = ItemsetRegressor(alpha=0.05).fit(records, y, sample_weight=np.where(y > 1, weight, 1.0))
    label = "training records" if weight == 1.0 else "training records (% of their weight)"
    assert model.plot_patterns().axes_[1].get_xlabel() == label
