"use strict";
// Why a row has its prediction: contributions against their mean.
Report.parts.reasons = (model, place, index) => {
  const { el } = Report, data = model.reasons, MOST = 12, // reasons that are listed before the rest is summed up
    PRINTED = 20; // rows that go to paper: about seven pages
  const several = model.outputs.length > 1;
  const number = (row) => (row.row + 1).toLocaleString("en-US") + (row.name === undefined ? "" : ` (${row.name})`);
  const state = { row: 0, output: 0, all: false, chosen: false };
  const holder = el("div", { class: "screen" });
  const values = (v) => (Array.isArray(v) ? v.map((x) => Report.number(x, 5)).join(", ") : typeof v === "number" ? Report.number(v, 5) : v);
  const title = (row) => model.card ? `row ${number(row)}: score ${Report.number(row.decision[0], 6)}` : `row ${number(row)}: ${values(row.predicted)}` + (row.probabilities && row.probabilities.length === 2 ? `, ${Report.number(row.probabilities[1], 3)}` : "");
  // The class that is explained follows the prediction until one is chosen.
  const follow = () => {
    if (!several || !model.classes || state.chosen) return;
    state.output = model.classes.indexOf(data.rows[state.row].predicted);
    outputs.querySelector("select").value = String(state.output);
  };
  const choose = (k) => { state.row = k; follow(); draw(); };

  const headline = (row, output = state.output) => {
    const items = [];
    if (model.card) {
      items.push(el("p", { class: "big" }, Report.number(row.decision[0], 6)), el("p", { class: "muted" }, `score of row ${number(row)}`), el("p", null, `probability of ${model.card.event}: ${Report.number(row.probabilities[1], 4)}`));
    } else if (row.probabilities) {
      const k = row.probabilities.length === 2 ? 1 : output;
      items.push(el("p", { class: "big" }, Report.number(row.probabilities[k], 4)), el("p", { class: "muted" }, `probability of ${model.classes[k]} for row ${number(row)}`));
    } else {
      items.push(el("p", { class: "big" }, several ? Report.number(row.decision[output], 5) : values(row.predicted)), el("p", { class: "muted" }, `${model.classes ? "class" : "prediction"}${several ? ` of ${model.outputs[output]}` : ""} for row ${number(row)}`));
    }
    items.push(el("p", null, `Predicted: ${values(row.predicted)}`, row.truth === undefined ? "" : `; true: ${values(row.truth)}`, row.group === undefined ? "" : `; group: ${row.group}`));
    return el("div", { class: "result", role: "status" }, items);
  };

  // A row with its values and reasons; on paper there are no buttons, and a title in place of the choice.
  const explained = (row, output, all) => {
    const { base, found, total } = Report.reasons(data, row, output);
    const effect = several ? `${model.effect.replace("its class", model.outputs[output])}${model.classes ? "" : ` (${model.outputs[output]})`}` : model.effect;
    const format = Report.aligned([base, total, ...found.map((f) => f.difference)], true);
    const largest = Math.max(...found.map((f) => Math.abs(f.difference)), 1e-300);
    const listed = all ? found : found.slice(0, MOST), rest = found.slice(listed.length);
    const says = (f) => (f.holds || f.kind === "linear" || f.kind === "step" ? Report.term(f.text) : [el("span", { class: "and" }, "does not hold: "), ...Report.term(f.text)]);
    const rows = [
      [el("i", null, "mean over the rows"), format(base), "", "", ""],
      ...listed.map((f) => [el("span", null, says(f)), format(f.difference), Report.bar(f.difference / largest), format(f.value), format(f.mean)]),
    ];
    if (rest.length) rows.push([el("i", null, `${rest.length} smaller reasons together`), format(rest.reduce((s, f) => s + f.difference, 0)), "", "", ""]);
    rows.push([el("b", null, `sum: the ${effect}`), el("b", null, format(total)), "", "", ""]);
    const cells = row.values ? el("ul", { class: "values" }, row.values.map((v, k) => el("li", null, el("span", null, model.names[k] + " "), v === null ? "missing" : typeof v === "number" ? Report.value(v) : Report.label(v)))) : row.record ? el("p", null, el("code", null, row.record)) : "";
    const drawn = row.drawings && row.drawings[output];
    const picture = drawn ? el("div", { class: "molecule" }, Report.drawing(drawn), el("p", { class: "muted small" }, "The contribution of each pattern, divided equally among the atoms that it covers: blue raises, red lowers.")) : "";
    return { n: found.length, parts: [cells, picture, Report.table(`Reasons for row ${number(row)}`, ["Reason", "difference", Report.heading("bar"), "adds", "mean"], rows, "reasons")] };
  };

  const draw = () => {
    const row = data.rows[state.row], { n, parts } = explained(row, state.output, state.all);
    holder.replaceChildren(el("div", { class: "twocol" },
      el("div", null, parts,
        n > MOST ? el("button", { type: "button", class: "plain", onclick: () => { state.all = !state.all; draw(); } }, state.all ? "Show fewer" : `Show all ${n} reasons`) : ""),
      el("div", null, headline(row), model.form && row.values ? el("p", { class: "screen" }, el("button", { type: "button", class: "plain", onclick: () => Report.load(index, row.values) }, "Take this row into the form")) : "")));
  };

  // All rows go to paper, or some spread evenly where they are many.
  const paper = el("div", { class: "paper" });
  const print = () => {
    const n = data.rows.length, shown = n <= PRINTED ? data.rows : Array.from({ length: PRINTED }, (_, k) => data.rows[Math.round((k * (n - 1)) / (PRINTED - 1))]);
    paper.replaceChildren(
      n > PRINTED ? el("p", { class: "muted" }, `${PRINTED} of the ${n} rows are printed, spread evenly.`) : "",
      ...shown.map((row) => {
        const output = several && model.classes && !state.chosen ? model.classes.indexOf(row.predicted) : state.output;
        return el("div", { class: "printed" }, el("h3", null, `Row ${number(row)}`), headline(row, output), explained(row, output, false).parts);
      }));
  };
  window.addEventListener("beforeprint", print);
  window.addEventListener("afterprint", () => paper.replaceChildren());

  const outputs = several && Report.select_box(model.classes ? "Class" : "Target", model.outputs.map((name, k) => [k, name]), 0, (value) => { state.output = Number(value); state.chosen = true; draw(); });
  place.append(el("div", { class: "tools" },
    Report.select_box("Row", data.rows.map((row, k) => [k, title(row)]), 0, (value) => choose(Number(value))),
    el("button", { type: "button", class: "plain", onclick: () => step(-1) }, "Previous"), el("button", { type: "button", class: "plain", onclick: () => step(1) }, "Next"),
    outputs), holder, paper);
  const box = place.querySelector("select");
  const step = (by) => { const k = (state.row + by + data.rows.length) % data.rows.length; box.value = String(k); choose(k); };
  choose(0);
};
