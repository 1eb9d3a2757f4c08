"use strict";
// Elements and charts. Text always goes in as text nodes, never as markup.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const fill = (node, attributes, children) => {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (name === "class") node.setAttribute("class", value);
      else if (name in node && typeof node[name] === "boolean") node[name] = value;
      else node.setAttribute(name, value === true ? "" : String(value));
    }
    for (const child of children.flat(3)) {
      if (child === null || child === undefined || child === false) continue;
      node.append(child instanceof Node ? child : document.createTextNode(String(child)));
    }
    return node;
  };
  const el = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
  const svg = (name, attributes, ...children) => fill(document.createElementNS(SVG, name), attributes, children);
  Report.el = el;
  Report.svg = svg;

  // A heading that is read aloud and not shown.
  Report.heading = (text) => el("span", { class: "sr" }, text);

  // A term with its "and" set back, but for one in quotes.
  const QUOTED = /(?<![^\s{(])(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")/g;
  Report.term = (text) => text.replace(QUOTED, (quoted) => quoted.replaceAll(" and ", "\0and\0")).split(" and ")
    .map((part) => part.replaceAll("\0", " "))
    .flatMap((part, k) => (k ? [" ", el("span", { class: "and" }, "and"), " ", part] : [part]));

  Report.table = (caption, headings, rows, cls) => el("div", { class: "scroll", role: "group", tabindex: 0, "aria-label": caption },
    el("table", { class: cls },
      el("caption", { class: "sr" }, caption),
      el("thead", null, el("tr", null, headings.map((text, k) => el("th", { scope: "col", class: k ? "n" : null }, text)))),
      el("tbody", null, rows.map((row) => el("tr", null, row.map((cell, k) => (k ? el("td", { class: "n" }, cell) : el("th", { scope: "row" }, cell))))))));

  Report.legend = (entries) => el("ul", { class: "legend" }, entries.map(([cls, text]) => el("li", null, el("i", { class: "key " + cls }), text)));

  // A figure: a title, the chart, and its numbers for who cannot see it.
  Report.figure = (title, chart, { note, legend, numbers } = {}) => el("figure", null,
    el("figcaption", null, title, note ? el("small", null, " " + note) : null),
    legend || null, chart,
    numbers ? el("details", null, el("summary", null, "Numbers"), numbers) : null);

  Report.select_box = (label, options, chosen, onchange) => el("label", { class: "field" }, label, el("br"),
    el("select", { onchange: (event) => onchange(event.target.value) },
      options.map(([value, text]) => el("option", { value, selected: String(value) === String(chosen) }, text))));

  // A chart with axes; x and y map values to pixels.
  class Chart {
    constructor({ width = 380, height = 250, x, y, left = null, right = 12, top = 10, bottom = 42, label }) {
      const y_ticks = y.ticks || Report.ticks(y.low, y.high, 4), format = y.format || Report.tick_format(y_ticks);
      const widest = Math.max(0, ...y_ticks.map((v) => format(v).length));
      left = left === null ? Math.round(12 + 6.6 * widest + (y.label ? 18 : 0)) : left; // 6.6: the width of a digit
      Object.assign(this, { width, height, left, right, top, bottom });
      this.node = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
      this.xs = x; this.ys = y;
      this.x = Chart.scale(x, left, width - right);
      this.y = Chart.scale(y, height - bottom, top);
      this.axes();
    }

    static scale(axis, start, end) {
      const map = axis.log ? Math.log : (v) => Report.to_axis(v, axis.linear_width);
      let [low, high] = [map(axis.low), map(axis.high)];
      if (!(high > low)) [low, high] = [low - 0.5, high + 0.5];
      if (axis.reversed) [low, high] = [high, low];
      return (v) => start + ((map(v) - low) / (high - low)) * (end - start);
    }

    add(name, attributes, ...children) {
      const node = svg(name, attributes, ...children);
      this.node.append(node);
      return node;
    }

    axes() {
      const { width, height, left, right, top, bottom, xs, ys } = this;
      const x_ticks = xs.ticks || Chart.ticks(xs), y_ticks = ys.ticks || Report.ticks(ys.low, ys.high, 4);
      const format_x = xs.format || Report.tick_format(x_ticks), format_y = ys.format || Report.tick_format(y_ticks);
      for (const v of y_ticks) {
        this.add("line", { class: "axis", x1: left, x2: width - right, y1: this.y(v), y2: this.y(v) });
        this.add("text", { x: left - 7, y: this.y(v) + 4, "text-anchor": "end" }, format_y(v));
      }
      for (const v of Chart.apart(x_ticks, this.x, format_x)) {
        this.add("line", { class: "axis", x1: this.x(v), x2: this.x(v), y1: height - bottom, y2: height - bottom + 4 });
        const half = format_x(v).length * 3.4; // of the label, which stays inside the chart
        this.add("text", { x: Math.min(width - half, Math.max(half, this.x(v))), y: height - bottom + 17, "text-anchor": "middle" }, format_x(v));
      }
      this.add("line", { class: "axis", x1: left, x2: width - right, y1: height - bottom, y2: height - bottom });
      if (xs.label) this.add("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, Report.short(xs.label, Math.floor((width - left) / 7.2)));
      if (ys.label) {
        const middle = (top + height - bottom) / 2;
        this.add("text", { x: 0, y: 0, "text-anchor": "middle", transform: `translate(10 ${middle}) rotate(-90)` }, Report.short(ys.label, Math.floor((height - bottom) / 7.2)));
      }
      if (ys.low < 0 && ys.high > 0) this.add("line", { class: "zero", x1: left, x2: width - right, y1: this.y(0), y2: this.y(0) });
    }

    // Ticks whose labels do not touch.
    static apart(ticks, x, format) {
      const kept = [];
      let end = -Infinity;
      for (const v of [...ticks].sort((a, b) => x(a) - x(b))) {
        const half = format(v).length * 3.4;
        if (x(v) - half < end) continue;
        kept.push(v);
        end = x(v) + half + 5;
      }
      return kept;
    }

    static ticks(axis) {
      if (axis.log) return Chart.powers(axis);
      return axis.linear_width ? Report.skewed_ticks(axis.low, axis.high, axis.linear_width) : Report.ticks(axis.low, axis.high, 5);
    }

    static powers({ low, high }) {
      const found = [];
      const decades = Math.log10(high / low);
      for (let p = Math.floor(Math.log10(low)); p <= Math.ceil(Math.log10(high)); p++) {
        for (const k of decades < 1.2 ? [1, 2, 3, 5, 7] : decades < 2.5 ? [1, 2, 5] : [1]) {
          const v = Number(`${k}e${p}`);
          if (v >= low * 0.999 && v <= high * 1.001) found.push(v);
        }
      }
      return found;
    }

    line(points, cls = "", title) {
      const path = points.map(([x, y], k) => `${k ? "L" : "M"}${this.x(x).toFixed(2)} ${this.y(y).toFixed(2)}`).join("");
      return this.add("path", { class: "line " + cls, d: path }, title ? svg("title", null, title) : null);
    }

    band(points, cls = "") {
      const up = points.map(([x, , high]) => `${this.x(x).toFixed(2)} ${this.y(high).toFixed(2)}`);
      const down = points.map(([x, low]) => `${this.x(x).toFixed(2)} ${this.y(low).toFixed(2)}`).reverse();
      return this.add("path", { class: "band " + cls, d: `M${[...up, ...down].join("L")}Z` });
    }

    bar(x0, x1, y0, y1, cls, title) {
      const [a, b] = [this.x(x0), this.x(x1)].sort((p, q) => p - q), [c, d] = [this.y(y0), this.y(y1)].sort((p, q) => p - q);
      return this.add("rect", { class: cls, x: a, y: c, width: Math.max(0, b - a), height: Math.max(0, d - c) }, title ? svg("title", null, title) : null);
    }

    dot(x, y, cls = "dot", r = 4, title) {
      return this.add("circle", { class: cls, cx: this.x(x), cy: this.y(y), r }, title ? svg("title", null, title) : null);
    }

    text(x, y, text, attributes) {
      return this.add("text", { x: this.x(x), y: this.y(y), ...attributes }, text);
    }
  }
  Report.Chart = Chart;

  Report.short = (text, most) => (text.length <= most ? text : text.slice(0, Math.ceil(most / 2) - 1) + "…" + text.slice(-Math.floor(most / 2)));

  // The ends of an axis with some room.
  Report.ends = (values, { zero = false, room = 0.06 } = {}) => {
    const known = values.filter((v) => v !== null && Number.isFinite(v));
    let low = Math.min(...known, ...(zero ? [0] : [])), high = Math.max(...known, ...(zero ? [0] : []));
    if (!Number.isFinite(low)) return { low: 0, high: 1 };
    if (low === high) { const half = Math.abs(low) / 10 || 1; return { low: low - half, high: high + half }; }
    const more = (high - low) * room;
    return { low: zero && low === 0 ? 0 : low - more, high: zero && high === 0 ? 0 : high + more };
  };

  // A drawing that comes as a list of elements.
  Report.drawing = (drawn) => svg("svg", { viewBox: drawn.view_box, width: drawn.width, height: drawn.height, role: "img", "aria-label": drawn.label, class: "drawing" },
    drawn.parts.map(([name, attributes, text]) => svg(name, attributes, text)));

  // A bar to the left or right of a middle line, for tables.
  Report.bar = (fraction, width = 88) => {
    const half = width / 2, size = Math.min(1, Math.abs(fraction)) * (half - 1);
    return svg("svg", { viewBox: `0 0 ${width} 12`, width, height: 12, "aria-hidden": "true", class: "minibar" },
      svg("rect", { class: fraction < 0 ? "down" : "up", x: fraction < 0 ? half - size : half, y: 1, width: size, height: 10 }),
      svg("line", { class: "zero", x1: half, x2: half, y1: 0, y2: 12 }));
  };
})();
