"use strict";
// The distribution of the score of a card, and the rate of the event in its bands.
Report.parts.bands = (model, place) => {
  const { Chart } = Report, { table, histogram, event, other } = model.bands, figures = [];
  const { low, high, yes, no, all } = histogram, n = (all || yes).length, step = (high - low) / n;
  const tallest = Math.max(...(all || [...yes, ...no])) * 1.08 || 1;
  const chart = new Chart({ height: 300, x: { low, high, label: "score" }, y: { low: 0, high: tallest, label: all ? "fraction of the rows" : "fraction of its class", format: Report.percent }, label: `Distribution of the score from ${Report.number(low)} to ${Report.number(high)}.` });
  (all ? [["plain", all]] : [["no", no], ["yes", yes]]).forEach(([name, values]) => values.forEach((v, k) => chart.bar(low + k * step, low + (k + 1) * step, 0, v, name, `${Report.number(low + k * step)} to ${Report.number(low + (k + 1) * step)}: ${Report.percent(v)}`)));
  const rows = Array.from({ length: n }, (_, k) => [`${Report.number(low + k * step)} to ${Report.number(low + (k + 1) * step)}`, ...(all ? [all[k]] : [yes[k], no[k]]).map(Report.percent)]);
  const numbers = Report.table("Distribution of the score", ["score", ...(all ? ["rows"] : [event, other])], rows);
  figures.push(Report.figure("Distribution of the score", chart.node, { legend: all ? null : Report.legend([["yes", event], ["no", other]]), numbers }));
  if (table.events) {
    const m = table.band.length, most = Math.max(...table.event_rate, ...table.predicted) * 1.12 || 1;
    const bands = new Chart({ height: 300, x: { low: 0.4, high: m + 0.6, ticks: table.band.map((_, k) => k + 1), label: "band, the highest risk first" }, y: { low: 0, high: most, label: `rate of ${event}`, format: Report.percent }, label: `Rate of ${event} by band of the score, observed and predicted.` });
    table.event_rate.forEach((v, k) => (v === null ? null : bands.bar(k + 0.62, k + 1.38, 0, v, "plain", `${table.band[k]}: observed ${Report.percent(v)}, predicted ${Report.percent(table.predicted[k])}`)));
    const points = table.predicted.map((v, k) => [k + 1, v]).filter(([, v]) => v !== null);
    bands.line(points, "s1");
    points.forEach(([x, v]) => bands.dot(x, v, "dot s1", 3.5));
    figures.push(Report.figure(`Rate of ${event} by band`, bands.node, { legend: Report.legend([["s0", "observed"], ["s1", "predicted"]]) }));
  }
  place.append(Report.el("div", { class: "charts" }, figures));
};
