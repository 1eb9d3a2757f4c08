"""The parts of a JavaScript function that are the same for every model."""

from __future__ import annotations

from .products import ALMOST_ZERO

READ = {
    "number": """
  const number = (row, name, needed) => {
    const x = row[name];
    if (x === undefined) {
      throw new Error("score: the row lacks " + JSON.stringify(name) + "; null is missing");
    }
    if (x === null || Number.isNaN(x)) {
      if (needed) throw new Error("score: " + JSON.stringify(name) + " is missing; the model needs a number");
      return NaN;
    }
    if (typeof x === "boolean") return x ? 1 : 0;
    if (typeof x !== "number" || !Number.isFinite(x)) {
      throw new Error("score: " + JSON.stringify(name) + " must be a finite number, got " + String(x));
    }
    return x;
  };""",
    "category": """
  const category = (row, name, codes, truths, unknown) => {
    const x = row[name];
    if (x === undefined) {
      throw new Error("score: the row lacks " + JSON.stringify(name) + "; null is missing");
    }
    if (x === null || Number.isNaN(x)) return -1;
    let code = codes.get(x);
    if (code === undefined && typeof x === "string") code = truths.get(x.toLowerCase());
    if (code !== undefined) return code;
    if (unknown === "refused") {
      const found = JSON.stringify(name) + " holds " + JSON.stringify(x);
      throw new Error("score: " + found + ", unknown from training");
    }
    return unknown === "missing" ? -1 : -2;
  };""",
    "item": """
  const holds = (row, equal, name) => {
    if (Array.isArray(row)) return equal.some((item) => row.includes(item));
    if (row instanceof Set) return equal.some((item) => row.has(item));
    const flag = Object.prototype.hasOwnProperty.call(row, name) ? row[name] : null;
    if (typeof flag !== "string") return Boolean(flag);
    const text = flag.trim().toLowerCase();
    if (text === "true" || text === "false") return text === "true";
    if (text !== "nan" && Number.isNaN(Number(text))) {
      throw new Error("score: " + JSON.stringify(name) + " holds " + JSON.stringify(flag) + "; give 1 or 0");
    }
    return Boolean(Number(text));
  };""",
    "events": """
  const eventsOf = (row) => {
    if (typeof row !== "string" && !Array.isArray(row)) {
      throw new Error("score: give an array of events, or a text of letters");
    }
    const several = (event) => Array.isArray(event) || event instanceof Set;
    const plain = (item) => typeof item === "boolean" ? Number(item) : item;  // one event in Python
    return Array.from(row, (event) => new Set(Array.from(several(event) ? event : [event], plain)));
  };""",
    "occurs": """
  const occurs = (events, wanted, between) => {
    let ends = null;
    for (const event of wanted) {
      const found = [];
      let last = -1;
      for (let place = 0; place < events.length; place++) {
        const fits = ends === null || (last >= 0 && (between === null || place - last - 1 <= between));
        if (fits && event.every((item) => events[place].has(item))) found.push(place);
        if (ends !== null && ends.has(place)) last = place;
      }
      ends = new Set(found);
    }
    return ends !== null && ends.size > 0;
  };""",
    "step": """
  const step = (x, cuts, values, missing) => {
    if (Number.isNaN(x)) return missing;
    let low = 0, high = cuts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (cuts[middle] < x) low = middle + 1; else high = middle;
    }
    return values[low];
  };""",
    "machine": f"""
  const machine = (sum, order, atoms, signs, places, weights) => {{
    const last = order === null ? 0 : order - 2;
    for (let s = 0; s < signs.length; s++) {{
      const state = new Float64Array(last + 1);
      if (order === null) {{ state[0] = 1; sum += signs[s]; }}
      for (let j = 0; j < places[s].length; j++) {{
        const z = atoms[places[s][j]] * weights[s][j];
        sum += signs[s] * (state[last] * z);
        if (order === null) state[0] *= z === -1 ? {ALMOST_ZERO!r} : 1 + z;
        else {{
          for (let t = last; t > 0; t--) state[t] += state[t - 1] * z;
          state[0] += z;
        }}
      }}
    }}
    return sum;
  }};""",
}
"""Helper functions, included where the model needs them."""

LOG_ODDS = """
  const probabilitiesOf = (decision) => {
    const odds = decision.map((f) => SCALE * f);
    if (odds.length === 1) {
      const tail = Math.exp(-Math.abs(odds[0]));
      const small = tail / (1 + tail), large = 1 / (1 + tail);
      return odds[0] > 0 ? [small, large] : [large, small];
    }
    const logs = odds.map((f) => Math.min(f, 0) - Math.log1p(Math.exp(-Math.abs(f))));
    const largest = Math.max(...logs);
    const shares = logs.map((x) => Math.exp(x - largest));
    const total = shares.reduce((a, b) => a + b, 0);
    return shares.map((x) => x / total);
  };"""

OF_SCORE = """
  const probabilityOf = (points) => {
    const odds = (points - EVEN) / UNIT, tail = Math.exp(-Math.abs(odds));
    return (odds > 0 ? 1 : tail) / (1 + tail);
  };"""

REASONS = """
  const reasonsOf = (costs) => costs
    .map((cost, place) => ({ cost, place }))
    .filter((each) => each.cost > 0)
    .sort((a, b) => b.cost - a.cost || a.place - b.place)
    .slice(0, MOST)
    .map((each) => ({ reason: TEXTS[each.place], points: each.cost / UNIT }));"""

CLIPPED = """
  const probabilitiesOf = (decision) => {
    const shares = decision.map((f) => Math.min(Math.max((1 + f) / 2, 0), 1));
    if (shares.length === 1) return [1 - shares[0], shares[0]];
    const total = shares.reduce((a, b) => a + b, 0);
    return shares.map((x) => total > 0 ? x / total : 1 / shares.length);
  };"""
