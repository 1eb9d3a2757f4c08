"use strict";
// What single columns add: steps and lines over the density of the data, bars of categories.
(() => {
  const { el, Chart } = Report;

  const ofNumbers = (shape, effect, cls) => {
    const heights = shape.pieces.flatMap(([, a, , b]) => [a, b]);
    const [least, most] = [Math.min(...heights), Math.max(...heights)];
    const isFar = most - least < 0.3 * Math.max(Math.abs(least), Math.abs(most)); // from 0, which would flatten the line
    const { apart } = shape; // special codes and missing values, each with its effect
    const slot = 48; // the width of one of them
    const y = { ...Report.ends([...heights, ...apart.map(([, value]) => value)], { zero: !isFar, room: 0.1 }), label: null };
    const low = shape.pieces[0][0], high = shape.pieces[shape.pieces.length - 1][2];
    const chart = new Chart({
      width: 380 + slot * Math.max(0, apart.length - 3), x: { low, high, label: shape.name, linear_width: shape.linear_width }, y, right: 12 + slot * apart.length,
      label: `Effect of ${shape.name} on the ${effect}: from ${Report.number(least)} to ${Report.number(most)}.`,
    });
    if (shape.density) {
      const tallest = Math.max(...shape.density) || 1, step = (chart.width - chart.right - chart.left) / shape.density.length, floor = chart.height - chart.bottom;
      shape.density.forEach((share, k) => {
        const size = (share / tallest) * 46;
        chart.add("rect", { class: "density", x: chart.left + k * step, y: floor - size, width: step - 0.6, height: size }, Report.svg("title", null, `${Report.percent(share)} of the rows`));
      });
    }
    chart.line(shape.pieces.flatMap(([x0, y0, x1, y1]) => [[x0, y0], [x1, y1]]), cls);
    if (apart.length) {
      const x = chart.width - 4 - slot * apart.length;
      chart.add("line", { class: "guide", x1: x, x2: x, y1: chart.top, y2: chart.height - chart.bottom });
    }
    apart.forEach(([name, value], k) => {
      const x = chart.width - 4 - slot / 2 - slot * (apart.length - 1 - k);
      chart.add("line", { class: "line " + cls, x1: x - 16, x2: x + 16, y1: chart.y(value), y2: chart.y(value) });
      chart.add("text", { x, y: chart.height - chart.bottom + 17, "text-anchor": "middle" }, name);
    });
    const rows = shape.pieces.map(([x0, y0, x1, y1]) => [`${Report.number(x0)} to ${Report.number(x1)}`, Report.number(y0), Report.number(y1)]);
    apart.forEach(([name, value]) => rows.push([name, Report.number(value), Report.number(value)]));
    return [chart.node, Report.table(`Effect of ${shape.name}`, ["Interval", "start", "end"], rows)];
  };

  const ofLevels = (shape, effect) => {
    const names = [...shape.levels], values = [...shape.values], shares = shape.density ? [...shape.density] : null;
    if (shape.missing !== null && shape.missing !== undefined) {
      names.push("missing"); values.push(shape.missing);
      if (shares) shares.push(shape.density_missing);
    }
    const { low, high } = Report.ends(values, { zero: true, room: 0.12 });
    const longest = Math.max(...names.map((name) => name.length)), LETTER = 7.4; // pixels
    const line = 24, width = 380, left = Math.min(180, Math.max(60, LETTER * longest + 12)), height = names.length * line + 34, right = shares ? 48 : 12;
    const chart = new Chart({ width, height, left, right, bottom: 30, top: 4, x: { low, high }, y: { low: 0, high: 1, ticks: [] },
      label: `Effect of ${shape.name} on the ${effect}: from ${Report.number(Math.min(...values))} to ${Report.number(Math.max(...values))}.` });
    names.forEach((name, k) => {
      const y = 6 + k * line, [a, b] = [chart.x(0), chart.x(values[k])].sort((p, q) => p - q);
      chart.add("text", { x: left - 8, y: y + 14, "text-anchor": "end" }, Report.short(name, Math.floor((left - 12) / LETTER)), Report.svg("title", null, name));
      chart.add("rect", { class: values[k] < 0 ? "down" : "up", x: a, y, width: b - a, height: line - 7 }, Report.svg("title", null, `${name}: ${Report.number(values[k])}`));
      if (shares) chart.add("text", { x: width, y: y + 14, "text-anchor": "end" }, Report.percent(shares[k]));
    });
    chart.add("line", { class: "zero", x1: chart.x(0), x2: chart.x(0), y1: 0, y2: height - 30 });
    const rows = names.map((name, k) => [name, Report.number(values[k]), shares ? Report.percent(shares[k]) : ""]);
    return [chart.node, Report.table(`Effect of ${shape.name}`, ["Category", "effect", shares ? "of the rows" : ""], rows)];
  };

  Report.parts.shapes = (model, place) => {
    const holder = el("div", { class: "charts" });
    const draw = (output) => holder.replaceChildren(...model.shapes[output].map((shape) => {
      const [chart, numbers] = shape.pieces ? ofNumbers(shape, model.effect, "") : ofLevels(shape, model.effect);
      const notes = [shape.alone ? "" : "· also in terms of several columns", shape.linear_width ? "· logarithmic axis" : "", shape.omitted ? `· ${shape.omitted} categories of smaller effect not drawn` : ""];
      return Report.figure(shape.name, chart, { note: notes.filter(Boolean).join(" "), numbers });
    }));
    if (model.outputs.length > 1) place.append(el("div", { class: "tools" }, Report.select_box(model.classes ? "Class" : "Target", model.outputs.map((name, k) => [k, name]), 0, (value) => draw(Number(value)))));
    place.append(holder);
    draw(0);
  };
})();
