"use strict";
// The table of terms: search, filter, sort.
Report.parts.terms = (model, place) => {
  const { el } = Report, { columns, noun, row_noun } = model.terms;
  const n = columns.term.length;
  if (!n) { place.append(el("p", null, "No terms are listed.")); return; }
  const FIRST = 150; // rows before the button that shows all
  const kinds = [...new Set(columns.kind)];
  const state = { text: "", kind: "", output: "", sort: null, descending: true, all: n <= FIRST };
  // Coefficients per unit of a column have no common scale with effects: their bars are of importance.
  const scaled = columns.importance ? columns.importance.map((v, k) => (v === null ? 0 : Math.sign(columns.coef[k]) * v)) : columns.coef;
  const largest = Math.max(...scaled.map(Math.abs)) || 1;
  const coefficient = (k) => (columns.kind[k] === "linear" || columns.kind[k] === "interaction" ? (columns.coef[k] > 0 ? "+" : "") + Report.number(columns.coef[k]) : effects(columns.coef[k]));
  const effects = Report.aligned(columns.coef.filter((_, k) => columns.kind[k] !== "linear" && columns.kind[k] !== "interaction"), true);
  const importance = Report.aligned(columns.importance || []);
  const shown = [
    ["term", noun[0].toUpperCase() + noun.slice(1), (k) => Report.term(columns.term[k]), "wide"],
    columns.drawing && ["drawing", Report.heading("drawing"), (k) => (columns.drawing[k] ? Report.drawing(columns.drawing[k]) : ""), "drawing"],
    kinds.length > 1 && ["kind", "Kind", (k) => columns.kind[k], ""],
    columns.output && ["output", model.classes ? "Class" : "Target", (k) => model.outputs[columns.output[k]], ""],
    ["coef", kinds.every((k) => k === "linear" || k === "interaction") ? "Coefficient" : "Effect", coefficient, "n"],
    ["bar", columns.importance ? "Size" : Report.heading("bar"), (k) => Report.bar(scaled[k] / largest), "bar"],
    columns.importance && ["importance", "Importance", (k) => importance(columns.importance[k]), "n"],
    columns.support && ["support", "Support", (k) => (columns.kind[k] === "linear" ? "per unit" : Report.percent(columns.support[k])), "n"],
    columns.n_rows && ["n_rows", row_noun[0].toUpperCase() + row_noun.slice(1), (k) => (columns.n_rows[k] === null ? "" : columns.n_rows[k].toLocaleString("en-US")), "n"],
    columns.fraction && ["fraction", "Here", (k) => (columns.fraction[k] === null ? "" : Report.percent(columns.fraction[k])), "n"],
  ].filter(Boolean);
  const head = el("tr", null, shown.map(([name, title, , cls]) => (name === "bar" || name === "drawing"
    ? el("th", { scope: "col", class: cls }, title)
    : el("th", { scope: "col", class: cls, "data-name": name }, el("button", { type: "button", onclick: () => sort(name) }, title), el("span", { class: "paper" }, title)))));
  const body = el("tbody"), count = el("p", { class: "muted small", role: "status" });
  const more = el("button", { type: "button", class: "plain", onclick: () => { state.all = true; draw(); } });
  const sort = (name) => {
    state.descending = state.sort === name ? !state.descending : name !== "term" && name !== "kind";
    state.sort = name;
    draw();
  };
  const draw = () => {
    const places = Report.select(columns, state), listed = state.all ? places : places.slice(0, FIRST);
    body.replaceChildren(...listed.map((k) => el("tr", null, shown.map(([name, , cell, cls]) => (name === "term"
      ? el("th", { scope: "row", class: cls }, cell(k)) : el("td", { class: cls }, cell(k)))))));
    for (const th of head.children) {
      if (th.dataset.name === state.sort) th.setAttribute("aria-sort", state.descending ? "descending" : "ascending");
      else th.removeAttribute("aria-sort");
    }
    count.textContent = `${listed.length.toLocaleString("en-US")} of ${n.toLocaleString("en-US")} ${kinds.length > 1 ? "term" : noun}${n === 1 ? "" : "s"} shown${columns.fraction ? "; “Here” is the fraction of the given rows for which a term holds" : ""}${model.terms.is_here ? "; importance is the standard deviation of the contribution over the given rows" : ""}.`;
    more.hidden = listed.length === places.length;
    more.textContent = `Show all ${places.length.toLocaleString("en-US")}`;
  };
  const tools = el("div", { class: "tools" },
    el("label", { class: "field" }, "Search", el("br"), el("input", { type: "search", placeholder: "words of a term", oninput: (event) => { state.text = event.target.value; draw(); } })),
    kinds.length > 1 && Report.select_box("Kind", [["", "all kinds"], ...kinds.map((k) => [k, k])], "", (value) => { state.kind = value; draw(); }),
    columns.output && Report.select_box(model.classes ? "Class" : "Target", [["", "all"], ...model.outputs.map((name, k) => [k, name])], "", (value) => { state.output = value; draw(); }));
  place.append(tools, el("div", { class: "scroll", role: "group", tabindex: 0, "aria-label": "Terms of the model" },
    el("table", { class: "terms" }, el("caption", { class: "sr" }, "Terms of the model; the buttons of the headings sort them"), el("thead", null, head), body)), count, more);
  window.addEventListener("beforeprint", () => { state.all = true; draw(); });
  draw();
};
