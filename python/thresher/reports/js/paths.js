"use strict";
// The models along the path, with a slider.
(() => {
  const { el, Chart } = Report;
  const NAMED = 6; // lines with a colour and a name

  // The axis of the strengths: a weaker penalty to the right.
  const axis = (own, values) => {
    const isCount = own.axis === "number of terms", low = Math.min(...values), high = Math.max(...values);
    const log = !isCount && low > 0 && high / low > 3;
    const ticks = isCount ? Report.ticks(low, high).filter(Number.isInteger) : undefined;
    return { low, high, log, ticks, reversed: !isCount, label: isCount ? own.axis : `${own.axis} (weaker penalty to the right)` };
  };

  const effectsChart = (model, own) => {
    const size = (term) => (term[2] === null ? term[1] : Math.sign(term[1]) * term[2]);
    const lines = new Map();
    own.points.forEach((point, k) => point.terms.forEach((term) => {
      if (!lines.has(term[0])) lines.set(term[0], new Array(own.points.length).fill(0));
      lines.get(term[0])[k] = size(term);
    }));
    const sorted = [...lines].sort(([, a], [, b]) => Math.max(...b.map(Math.abs)) - Math.max(...a.map(Math.abs)));
    const strengths = own.points.map((point) => point.strength);
    const isSized = own.points.some((point) => point.terms.some((term) => term[2] !== null));
    const chart = new Chart({ height: 280, x: axis(own, strengths), y: { ...Report.ends(sorted.flatMap(([, v]) => v), { zero: true }), label: isSized ? "effect × deviation" : "coefficient" },
      label: `Terms along the path: ${sorted.length} terms at ${own.points.length} strengths.` });
    sorted.slice().reverse().forEach(([term, values], k) => {
      const rank = sorted.length - 1 - k;
      chart.line(values.map((v, p) => [strengths[p], v]), rank < NAMED ? "s" + rank : "s5 thin", model.path.terms[term][1]);
    });
    const legend = Report.legend(sorted.slice(0, NAMED).map(([term], k) => ["s" + k, Report.short(model.path.terms[term][1], 44)]));
    return { chart, figure: Report.figure("Terms along the path", chart.node, { legend }) };
  };

  const curveChart = (own) => {
    const { name, x, mean, se } = own.curve;
    const strengths = own.points.map((point) => point.strength);
    const ends = mean.flatMap((m, k) => (se ? [m - se[k], m + se[k]] : [m]));
    const chart = new Chart({ height: 280, x: axis(own, [...strengths, ...x]), y: { ...Report.ends(ends), label: name }, label: `${name} along the path; least ${Report.number(Math.min(...mean))}.` });
    const order = x.map((_, k) => k).sort((a, b) => x[a] - x[b]);
    if (se) chart.band(order.map((k) => [x[k], mean[k] - se[k], mean[k] + se[k]]));
    chart.line(order.map((k) => [x[k], mean[k]]));
    const numbers = Report.table(name, [own.axis, "mean", se ? "standard error" : ""], order.map((k) => [Report.number(x[k]), Report.number(mean[k]), se ? Report.number(se[k]) : ""]));
    return { chart, figure: Report.figure(name[0].toUpperCase() + name.slice(1), chart.node, { note: se ? "mean over the folds and its standard error" : "", numbers }) };
  };

  const draw = (model, which, place) => {
    const own = model.path.outputs[which], n = own.points.length;
    const charts = [...(n > 1 ? [effectsChart(model, own)] : []), ...(own.curve ? [curveChart(own)] : [])];
    for (const { chart } of charts) {
      const x = chart.x(own.points[own.selected].strength);
      chart.add("line", { class: "guide", x1: x, x2: x, y1: chart.top, y2: chart.height - chart.bottom }, Report.svg("title", null, "the model of this report"));
    }
    const says = el("p", { role: "status" }), list = el("div", { class: "short", tabindex: 0, role: "group", "aria-label": "Terms of the chosen model" });
    const show = (k) => {
      const point = own.points[k];
      charts.forEach(({ chart }, c) => { for (const end of ["x1", "x2"]) cursors[c].setAttribute(end, chart.x(point.strength)); });
      says.replaceChildren(el("b", null, `${own.axis} ${Report.number(point.strength)}`), `: ${point.size}, objective ${Report.number(point.objective, 6)}, intercept ${Report.number(point.intercept)}${k === own.selected ? " — the model of this report" : ""}`);
      slider.setAttribute("aria-valuetext", says.textContent);
      const left = point.n_terms - point.terms.length;
      const rows = point.terms.map(([term, coef]) => [el("span", null, Report.term(model.path.terms[term][1])), (coef > 0 ? "+" : "") + Report.number(coef)]);
      list.replaceChildren(rows.length ? Report.table("Terms of this model", ["Term", "Effect"], rows) : el("p", { class: "muted" }, "No terms: the intercept alone."), left > 0 ? el("p", { class: "muted small" }, `and ${left.toLocaleString("en-US")} of smaller importance`) : "");
    };
    const slider = el("input", { type: "range", min: 0, max: n - 1, step: 1, value: own.selected, oninput: (event) => show(Number(event.target.value)) });
    const figures = el("div", { class: "charts" }, charts.map(({ figure }) => figure));
    if (n < 2) return place.replaceChildren(figures);
    const cursors = charts.map(({ chart }) => chart.add("line", { class: "cursor", y1: chart.top, y2: chart.height - chart.bottom }));
    place.replaceChildren(figures,
      el("label", { class: "field" }, own.axis === "number of terms" ? `Number of terms (${n} models, the smallest at the left)` : `Strength (${n} points, the strongest penalty at the left)`, slider), says, list);
    show(own.selected);
  };

  Report.parts.path = (model, place) => {
    const holder = el("div");
    if (model.outputs.length > 1) place.append(el("div", { class: "tools" }, Report.select_box(model.classes ? "Class" : "Target", model.outputs.map((name, k) => [k, name]), 0, (value) => draw(model, Number(value), holder))));
    place.append(holder);
    draw(model, 0, holder);
  };
})();
