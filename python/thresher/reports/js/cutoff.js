"use strict";
// Rates and the confusion matrix at a cutoff that the reader chooses.
Report.parts.cutoff = (model, place, index) => {
  const { el } = Report, data = model.cutoffs, [other, event] = data.labels;
  const last = data.safe[0].length - 1, id = `m${index}-cutoff`;
  const noun = data.is_card ? "score" : data.is_chance ? `probability of ${event}` : "decision value";
  const sides = data.is_card ? ["declined", "approved"] : [`predicted ${event}`, `predicted ${other}`];
  const [risky, safe] = data.is_high_safe ? ["below the cutoff", "from the cutoff on"] : ["above the cutoff", "up to the cutoff"];
  const says = el("div", { role: "status" });
  const digits = data.safe.flat().every(Number.isInteger) ? 0 : 1;
  const count = (x) => x.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const show = (k) => {
    const at = Report.at_cutoff(data, k), { cutoff } = at;
    slider.value = String(k);
    slider.setAttribute("aria-valuetext", `${noun} ${cutoff}`);
    if (document.activeElement !== entry) entry.value = String(cutoff);
    const rows = [
      [`${sides[1]} (${noun} ${safe})`, Report.percent(at.safe_share), Report.percent(at.safe_rate), count(at.safe[0]), count(at.safe[1])],
      [`${sides[0]} (${noun} ${risky})`, Report.percent(1 - at.safe_share), Report.percent(at.risky_rate), count(at.risky[0]), count(at.risky[1])],
    ];
    says.replaceChildren(
      el("p", null, el("b", null, `Cutoff ${Report.number(cutoff, 6)}`), `: true positive rate ${Report.percent(at.tpr)}, false positive rate ${Report.percent(at.fpr)}, accuracy ${Report.percent(at.accuracy)}${k === data.start ? data.is_card ? " — at even odds" : " — that of predict" : ""}`),
      Report.table("At the cutoff", [Report.heading("side"), "Share of rows", `Rate of ${event}`, `True ${event}`, `True ${other}`], rows), ...by_group(k));
  };
  // The same cutoff group by group.
  const by_group = (k) => {
    if (!data.groups.length) return [];
    const rows = [...data.groups, { ...data, label: "all rows" }].map((group) => {
      const at = Report.at_cutoff({ ...data, ...group }, k);
      return [group.label, count(group.events + group.others), ...[1 - at.safe_share, at.safe_rate, at.risky_rate, at.tpr, at.fpr, at.accuracy].map(Report.percent)];
    });
    return [Report.table(`At the cutoff, by ${data.group}`, [data.group, "Rows", sides[0], `Rate of ${event} if ${sides[1]}`, `Rate of ${event} if ${sides[0]}`, "True positive rate", "False positive rate", "Accuracy"], rows)];
  };
  const slider = el("input", { type: "range", min: 0, max: last, step: 1, value: data.start, oninput: (e) => show(Number(e.target.value)) });
  const entry = el("input", { type: "number", id, step: data.step, min: Report.cutoff(data, 0), max: Report.cutoff(data, last), oninput: (e) => {
    const k = Math.round(Number(e.target.value) / data.step) - data.first;
    if (e.target.value !== "" && Number.isFinite(k)) show(Math.min(last, Math.max(0, k)));
  }, onblur: () => show(Number(slider.value)) });
  place.append(el("div", { class: "tools cutoff" }, el("label", { class: "field" }, `Cutoff of the ${noun}`, el("br"), entry), el("label", { class: "field wide" }, "or slide", el("br"), slider)), says);
  show(data.start);
};
