"use strict";
// Charts of the answers of one model, or of several over each other.
(() => {
  const { el, Chart } = Report;
  const unit = { low: 0, high: 1, ticks: [0, 0.25, 0.5, 0.75, 1] };
  // The classes of the k-th of several models: six colours, each with two kinds of lines.
  const style_of = (k) => `s${k % 6}${k < 6 ? "" : " again"}${k ? " over" : " under"}`;
  const names = (list) => (list[0][2] ? Report.legend(list.map(([name, , style]) => [style, name])) : null);

  const roc = (list, label) => {
    const chart = new Chart({ height: 300, x: { ...unit, label: "false positive rate" }, y: { ...unit, label: "true positive rate" }, label: list.map(([name, c]) => `${name} AUC ${Report.number(c.auc)}, KS ${Report.number(c.ks.value)}`).join("; ") });
    chart.add("line", { class: "guide", x1: chart.x(0), y1: chart.y(0), x2: chart.x(1), y2: chart.y(1) });
    list.forEach(([name, c, style]) => chart.line(c.roc[0].map((x, i) => [x, c.roc[1][i]]), style, name));
    if (list.length === 1) {
      const { ks } = list[0][1];
      chart.add("line", { class: "cursor", x1: chart.x(ks.fpr), x2: chart.x(ks.fpr), y1: chart.y(ks.fpr), y2: chart.y(ks.tpr) });
      chart.text(ks.fpr, (ks.fpr + ks.tpr) / 2, `KS ${Report.number(ks.value, 3)}`, { dx: 6, class: "strong" });
      chart.text(1, 0, `AUC ${Report.number(list[0][1].auc)}`, { dy: -10, "text-anchor": "end", class: "strong" });
    }
    const rows = list.map(([name, c]) => [name, Report.number(c.auc), Report.number(2 * c.auc - 1), Report.number(c.ks.value), Report.number(c.ks.threshold)]);
    return Report.figure("ROC" + label, chart.node, { legend: names(list), numbers: Report.table("ROC", [Report.heading("model"), "AUC", "Gini", "KS", "at prediction"], rows) });
  };

  const calibration = (list, label) => {
    const chart = new Chart({ height: 300, x: { ...unit, label: "mean predicted probability" }, y: { ...unit, label: "observed rate" }, label: "Calibration: predicted against observed rates." });
    chart.add("line", { class: "guide", x1: chart.x(0), y1: chart.y(0), x2: chart.x(1), y2: chart.y(1) });
    list.forEach(([name, c, style], k) => {
      const points = c.calibration;
      points.forEach((p) => chart.add("line", { class: "whisker " + style, x1: chart.x(p.predicted), x2: chart.x(p.predicted), y1: chart.y(p.low), y2: chart.y(p.high) }));
      chart.line(points.map((p) => [p.predicted, p.observed]), style + " thin");
      points.forEach((p) => chart.dot(p.predicted, p.observed, "dot " + style, k ? 4.5 : 4, `${name}: predicted ${Report.percent(p.predicted)}, observed ${Report.percent(p.observed)} of ${p.n} rows`));
    });
    const rows = list.flatMap(([name, c, style]) => c.calibration.map((p) => [style ? name : `${p.n.toLocaleString("en-US")} rows`, Report.percent(p.predicted), Report.percent(p.observed), `${Report.percent(p.low)} to ${Report.percent(p.high)}`]));
    return Report.figure("Calibration" + label, chart.node, { legend: names(list), numbers: Report.table("Calibration", [Report.heading("part"), "predicted", "observed", "95 % interval"], rows) });
  };

  const lift = (list, label) => {
    const high = Math.max(1, ...list.flatMap(([, c]) => c.lift.map((p) => p.lift))) * 1.1, n = Math.max(...list.map(([, c]) => c.lift.length));
    const chart = new Chart({ height: 300, x: { low: 0.4, high: n + 0.6, ticks: Array.from({ length: n }, (_, k) => k + 1), label: "tenth of the rows, by decreasing prediction" }, y: { low: 0, high, label: "lift" }, label: `Lift by decile; first ${list.map(([name, c]) => `${name} ${Report.number(c.lift[0].lift)}`).join(", ")}.` });
    list.forEach(([name, c, style], k) => {
      const says = (p, i) => `${name}, part ${i + 1}: ${Report.number(p.events)} of ${p.n} rows, lift ${Report.number(p.lift)}, captured ${Report.percent(p.capture)}`;
      if (list.length === 1) c.lift.forEach((p, i) => chart.bar(i + 0.62, i + 1.38, 0, p.lift, "plain", says(p, i)));
      else {
        chart.line(c.lift.map((p, i) => [i + 1, p.lift]), style);
        c.lift.forEach((p, i) => chart.dot(i + 1, p.lift, "dot " + style, k ? 4.5 : 3.5, says(p, i)));
      }
    });
    chart.add("line", { class: "guide", x1: chart.left, x2: chart.width - chart.right, y1: chart.y(1), y2: chart.y(1) });
    const rows = list.flatMap(([name, c]) => c.lift.map((p, i) => [(list.length > 1 ? name + " " : "") + (i + 1), p.n.toLocaleString("en-US"), Report.number(p.events), Report.percent(p.rate), Report.number(p.lift), Report.percent(p.capture), `${Report.number(p.low)} to ${Report.number(p.high)}`]));
    return Report.figure("Lift by decile" + label, chart.node, { legend: names(list), numbers: Report.table("Lift by decile", ["part", "rows", "events", "rate", "lift", "captured", "predictions"], rows) });
  };

  const scores = (c, label) => {
    const { low, high, yes, no } = c.histogram, step = (high - low) / yes.length;
    const chart = new Chart({ height: 300, x: { low, high, label: "score" }, y: { low: 0, high: Math.max(...yes, ...no) * 1.08 || 1, label: "fraction of its class", format: Report.percent }, label: "Distribution of the scores of the class and of the others." });
    [["no", no], ["yes", yes]].forEach(([name, values]) => values.forEach((v, k) => chart.bar(low + k * step, low + (k + 1) * step, 0, v, name)));
    const rows = yes.map((v, k) => [`${Report.number(low + k * step)} to ${Report.number(low + (k + 1) * step)}`, Report.percent(v), Report.percent(no[k])]);
    return Report.figure("Distribution of scores" + label, chart.node, { legend: Report.legend([["yes", c.label], ["no", "others"]]), numbers: Report.table("Distribution of scores", ["score", c.label, "others"], rows) });
  };

  const dots = (c, label) => {
    const [predicted, truth] = c.dots, ends = Report.ends([...predicted, ...truth], { room: 0.04 });
    const chart = new Chart({ height: 300, x: { ...ends, label: "predicted" }, y: { ...ends, label: "true" }, label: "Predicted against true values." });
    chart.add("line", { class: "guide", x1: chart.x(ends.low), y1: chart.y(ends.low), x2: chart.x(ends.high), y2: chart.y(ends.high) });
    predicted.forEach((x, k) => chart.dot(x, truth[k], "cloud", 2.4));
    return Report.figure("Predicted and true" + label, chart.node, { note: predicted.length < c.n ? `· ${predicted.length} of ${c.n.toLocaleString("en-US")} rows` : "" });
  };

  const residuals = (c, label) => {
    const [predicted, truth] = c.dots, errors = truth.map((t, k) => t - predicted[k]);
    const chart = new Chart({ height: 300, x: { ...Report.ends(predicted, { room: 0.03 }), label: "predicted" }, y: { ...Report.ends(errors), label: "true − predicted" }, label: "Residuals against predictions." });
    predicted.forEach((x, k) => chart.dot(x, errors[k], "cloud", 2.4));
    return Report.figure("Residuals" + label, chart.node, { note: predicted.length < c.n ? `· ${predicted.length} of ${c.n.toLocaleString("en-US")} rows` : "" });
  };

  const errors = (c, label) => {
    const { low, high, counts, noun } = c.histogram, step = (high - low) / counts.length;
    const chart = new Chart({ height: 300, x: { low, high, label: "true − predicted" }, y: { low: 0, high: Math.max(...counts) * 1.08, label: noun }, label: "Distribution of the residuals." });
    counts.forEach((n, k) => chart.bar(low + k * step, low + (k + 0.94) * step, 0, n, "plain", `${Report.number(n)} ${noun}`));
    const rows = counts.map((n, k) => [`${Report.number(low + k * step)} to ${Report.number(low + (k + 1) * step)}`, Report.number(n)]);
    return Report.figure("Distribution of residuals" + label, chart.node, { numbers: Report.table("Distribution of residuals", ["residual", noun], rows) });
  };

  const deciles = (list, label) => {
    const all = list.flatMap(([, c]) => c.deciles), ends = Report.ends(all.flatMap((p) => [p.predicted, p.observed]));
    const chart = new Chart({ height: 300, x: { ...ends, label: "mean predicted" }, y: { ...ends, label: "mean true" }, label: "Mean of the truth against the mean prediction, in ten parts." });
    chart.add("line", { class: "guide", x1: chart.x(ends.low), y1: chart.y(ends.low), x2: chart.x(ends.high), y2: chart.y(ends.high) });
    list.forEach(([name, c, style], k) => {
      chart.line(c.deciles.map((p) => [p.predicted, p.observed]), style + " thin");
      c.deciles.forEach((p) => chart.dot(p.predicted, p.observed, "dot " + style, k ? 4.5 : 4, `${name}: predicted ${Report.number(p.predicted)}, true ${Report.number(p.observed)}`));
    });
    const rows = list.flatMap(([name, c]) => c.deciles.map((p, i) => [(list.length > 1 ? name + " " : "") + (i + 1), p.n.toLocaleString("en-US"), Report.number(p.predicted), Report.number(p.observed), Report.number(p.error)]));
    return Report.figure("Mean by tenth of predictions" + label, chart.node, { legend: names(list), numbers: Report.table("By tenth of predictions", ["part", "rows", "predicted", "true", "deviation of the errors"], rows) });
  };

  // Charts of one class or target; `list` has the name, curves and style of each model.
  const charts = (kind, list, hasProbabilities, label) => {
    const known = list.filter(([, c]) => !c.missing);
    if (!known.length) return [el("p", { class: "muted" }, list[0][1].missing)];
    if (kind === "regression") {
      const c = known[0][1];
      return known.length > 1 ? [deciles(known, label)] : [dots(c, label), residuals(c, label), errors(c, label), deciles(known, label)];
    }
    const calibrated = known.filter(([, c]) => c.calibration);
    return [roc(known, label), calibrated.length ? calibration(calibrated, label) : null, lift(known, label), known.length === 1 && known[0][1].histogram ? scores(known[0][1], label) : null].filter(Boolean);
  };

  Report.parts.performance = (model, place) => Report.overlay([model], place);

  Report.overlay = (models, place) => {
    const first = models[0].curves, holder = el("div", { class: "charts" });
    const draw = (k) => holder.replaceChildren(...charts(first.kind, models.map((m, place) => [m.name, m.curves.parts[k], models.length > 1 ? style_of(place) : ""]), first.has_probabilities, first.parts.length > 1 ? `: ${first.parts[k].label}` : ""));
    if (first.parts.length > 1) place.append(el("div", { class: "tools" }, Report.select_box(first.kind === "regression" ? "Target" : "Class against the rest", first.parts.map((p, k) => [k, p.label]), 0, (value) => draw(Number(value)))));
    place.append(holder);
    draw(0);
  };
})();
