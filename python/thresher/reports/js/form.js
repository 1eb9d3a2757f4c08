"use strict";
// The what-if form: the model scores in the page.
Report.loaders = [];
Report.load = (index, values) => {
  Report.loaders[index](values);
  document.getElementById(`m${index}-form`).scrollIntoView();
};

Report.parts.form = (model, place, index) => {
  const { el, Chart } = Report, { fields } = model.form, score = Report.scores[index];
  const OTHER = "\u0001other"; // a category that no model knows
  const STEPS = 200; // positions at which the chart of one field scores
  const WORDS = 30; // events that the hint lists
  const state = { values: fields.map((f) => (f.kind === "item" ? false : f.start)), field: 0, output: 0, unreadable: new Set() };
  const result = el("div", { class: "result", role: "status", "aria-live": "polite" }), chartHolder = el("div");
  const start = Report.score(score, fields, state.values);

  const input = (field, k) => {
    const id = `m${index}-f${k}`;
    const touched = (value) => { state.values[k] = value; state.field = k; box.value = String(k); draw(); };
    if (field.kind === "item") return el("label", { class: "tick" }, el("input", { type: "checkbox", id, onchange: (e) => touched(e.target.checked) }), " ", field.name);
    const label = el("label", { for: id }, field.name);
    if (field.kind === "events") {
      const area = el("textarea", { id, rows: 5, spellcheck: "false", "aria-describedby": id + "h", oninput: (e) => touched(e.target.value) }, state.values[k]);
      const shown = field.shown.slice(0, WORDS).join(", ") + (field.shown.length > WORDS ? ", …" : "");
      return el("div", { class: "wide" }, label, area, el("div", { class: "hint", id: id + "h" }, `In their order: ${field.is_letters ? "letters, or " : ""}with -> between them, or one a line; {a, b} is an event of several items. Events of the model: ${shown}`));
    }
    if (field.levels) {
      const options = field.levels.map(([text], p) => [String(p), text]);
      if (field.allows_missing) options.push(["missing", "(missing)"]);
      if (field.has_other) options.push(["other", "(another category)"]);
      const read = (v) => (v === "missing" ? null : v === "other" ? OTHER : field.levels[Number(v)][1]);
      return el("div", null, label, el("select", { id, onchange: (e) => touched(read(e.target.value)) }, options.map(([value, text]) => el("option", { value, selected: read(value) === state.values[k] }, text))));
    }
    const number = el("input", { type: "number", step: "any", id, value: state.values[k], placeholder: field.allows_missing ? "missing" : "needed", "aria-describedby": id + "h", oninput: (e) => {
      const bad = e.target.validity.badInput; // the value of what is no number is empty, as that of a missing one
      e.target.setAttribute("aria-invalid", String(bad));
      state.unreadable[bad ? "add" : "delete"](field.name);
      touched(e.target.value === "" ? null : Number(e.target.value));
    } });
    return el("div", null, label, number, el("div", { class: "hint", id: id + "h" }, [...(field.is_known ? [`${Report.value(field.low)} to ${Report.value(field.high)}`] : []), ...field.codes.map(Report.value)].join(", or ")));
  };

  const meaning = (answer) => {
    if (answer.error) return [el("p", { class: "error" }, answer.error)];
    const before = start.error ? null : start;
    const change = (now, then) => (before === null || now === then ? "" : ` (${now > then ? "+" : "−"}${Report.number(Math.abs(now - then))} from the start)`);
    if (model.card) return [el("p", { class: "big" }, Report.number(answer.score, 6)), el("p", { class: "muted" }, `score${before ? change(answer.score, before.score) : ""}`), el("p", null, `probability of ${model.card.event}: ${Report.number(answer.probability, 4)}`)];
    if (answer.probabilities) {
      const k = answer.probabilities.length === 2 ? 1 : state.output;
      return [el("p", { class: "big" }, Report.number(answer.probabilities[k], 5)), el("p", { class: "muted" }, `probability of ${model.classes[k]}${before ? change(answer.probabilities[k], before.probabilities[k]) : ""}`), el("p", null, `Predicted class: ${Report.label(answer.prediction)}`), detail(answer)];
    }
    if (model.classes) return [el("p", { class: "big" }, Report.label(answer.prediction)), el("p", { class: "muted" }, "predicted class"), detail(answer)];
    const all = [].concat(answer.prediction);
    return [...all.map((v, k) => el("p", { class: "big" }, Report.number(v, 6), all.length > 1 ? el("small", { class: "muted" }, " " + model.outputs[k]) : "")), el("p", { class: "muted" }, `prediction${all.length === 1 && before ? change(all[0], before.prediction) : ""}`)];
  };
  const detail = (answer) => {
    const decisions = [].concat(answer.decision);
    if (decisions.length === 1) return el("p", { class: "muted small" }, `${model.effect}: ${Report.number(decisions[0], 6)}`);
    const rows = decisions.map((d, k) => [model.outputs[k], Report.number(d, 5), answer.probabilities ? Report.number(answer.probabilities[k], 4) : ""]);
    return Report.table("Classes", ["class", "decision", answer.probabilities ? "probability" : ""], rows);
  };

  // The prediction along one field, all others as they are.
  const along = () => {
    const k = state.field, field = fields[k];
    if (field.kind === "item" || field.kind === "events") { chartHolder.replaceChildren(); return; }
    const at = (value) => { const values = [...state.values]; values[k] = value; return Report.headline(Report.score(score, fields, values), state.output); };
    const label = model.classes ? (model.card ? "score" : Report.score(score, fields, state.values).probabilities ? "probability" : "decision value") : "prediction";
    let chart, rows;
    if (field.levels) {
      const pairs = field.levels.slice(0, 20).map(([text, level]) => [text, at(level)]).filter(([, v]) => v !== null);
      if (!pairs.length) { chartHolder.replaceChildren(); return; }
      const { low, high } = Report.ends(pairs.map(([, v]) => v), { zero: true, room: 0.1 });
      chart = new Chart({ width: 300, height: pairs.length * 22 + 34, left: 110, bottom: 30, top: 4, x: { low, high }, y: { low: 0, high: 1, ticks: [] }, label: `${label} for each category of ${field.name}` });
      pairs.forEach(([text, v], p) => {
        const [a, b] = [chart.x(0), chart.x(v)].sort((x, y) => x - y), chosen = field.levels[p][1] === state.values[k];
        chart.add("text", { x: 102, y: p * 22 + 18, "text-anchor": "end", class: chosen ? "strong" : null }, Report.short(text, 16));
        chart.add("rect", { class: chosen ? "up" : "no", x: a, y: p * 22 + 6, width: b - a, height: 15 });
      });
      rows = pairs.map(([text, v]) => [text, Report.number(v)]);
    } else {
      const low = Math.min(field.low, state.values[k] ?? field.low), high = Math.max(field.high, state.values[k] ?? field.high);
      const [first, last] = [low, high].map((v) => Report.to_axis(v, field.linear_width));
      const xs = Array.from({ length: STEPS + 1 }, (_, p) => (p === STEPS ? high : p ? Report.from_axis(first + ((last - first) * p) / STEPS, field.linear_width) : low));
      const points = xs.map((x) => [x, at(x)]).filter(([, v]) => v !== null);
      if (!points.length) { chartHolder.replaceChildren(); return; }
      const own = state.values[k] === null ? null : at(state.values[k]);
      const isChance = label === "probability";
      chart = new Chart({ width: 300, height: 190, x: { low, high, label: field.name, linear_width: field.linear_width }, y: isChance ? { low: 0, high: 1, ticks: [0, 0.5, 1], label } : { ...Report.ends([...points.map(([, v]) => v), own]), label }, label: `${label} along ${field.name}` });
      chart.line(points);
      if (own !== null) chart.dot(state.values[k], own, "mark", 5);
      rows = points.filter((_, p) => p % 20 === 0).map(([x, v]) => [Report.number(x), Report.number(v)]);
    }
    chartHolder.replaceChildren(Report.figure(`If only ${field.name} changes`, chart.node, { numbers: Report.table(`If only ${field.name} changes`, [field.name, label], rows) }));
  };

  const draw = () => {
    const [unreadable] = state.unreadable;
    const answer = unreadable === undefined ? Report.score(score, fields, state.values) : { error: `${unreadable}: what was typed is not a number in the range of numbers` };
    const unknown = fields[0].kind === "events" ? [...Report.events(fields[0], state.values[0]).unknown] : [];
    const note = unknown.length > 0 && el("p", { class: "muted small" }, `In no pattern of the model: ${Report.short(unknown.join(", "), 200)}`);
    result.replaceChildren(...[...meaning(answer), note].filter(Boolean));
    along();
  };
  const form = el("div", { class: "fields" });
  const build = () => form.replaceChildren(...fields.map(input));
  const options = fields.map((f, k) => [k, f.name]);
  const chooser = Report.select_box("Chart of", options, 0, (value) => { state.field = Number(value); draw(); });
  const box = chooser.querySelector("select");
  const outputs = model.outputs.length > 1 && Report.select_box(model.classes ? "Class" : "Target", model.outputs.map((name, k) => [k, name]), 0, (value) => { state.output = Number(value); draw(); });
  const reset = el("button", { type: "button", class: "plain", onclick: () => Report.loaders[index](fields.map((f) => (f.kind === "item" ? false : f.start))) }, "Start again");
  Report.loaders[index] = (values) => { state.values = [...values]; build(); draw(); };
  const tools = el("div", { class: "tools" }, fields.some((f) => f.kind !== "item" && f.kind !== "events") && chooser, outputs, reset);
  place.append(el("div", { class: "twocol" }, form, el("div", null, result, tools, chartHolder)));
  build();
  draw();
};
