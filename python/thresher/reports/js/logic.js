"use strict";
// What the page computes, apart from what it draws; it needs no document.
const Report = { scores: [], parts: {} };

// Formats a number with four significant digits and a true minus sign.
Report.number = (x, digits = 4) => {
  if (x === null || x === undefined || !Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  let text;
  if (size >= 1e7 || size < 1e-4) text = x.toExponential(digits - 1);
  else if (Number.isInteger(x)) text = Math.abs(x).toLocaleString("en-US");
  else {
    const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
    text = size.toLocaleString("en-US", { minimumFractionDigits: 0, maximumFractionDigits: decimals });
  }
  text = text.replace(/^[-−]/, "").replace("e-", "e−");
  return (x < 0 ? "−" : "") + text;
};

// Formats a number of a row: a whole one has all its digits and no commas, for it may be a year or a code.
Report.value = (x) => (Number.isInteger(x) && Math.abs(x) < 1e15 ? String(x).replace("-", "−") : Report.number(x, 5));

// Writes a class or a category as Python does.
Report.label = (x) => (typeof x === "boolean" ? (x ? "True" : "False") : String(x));

// The positions of numbers on an axis: logarithmic far from 0 and linear near it, or linear everywhere where there is no width.
Report.to_axis = (x, width) => (width ? Math.asinh(x / width) : x);
Report.from_axis = (position, width) => (width ? width * Math.sinh(position) : position);

// Powers of ten, and 0, between the ends of such an axis.
Report.skewed_ticks = (low, high, width) => {
  const found = low <= 0 && high >= 0 ? [0] : [];
  const largest = Math.max(-low, high);
  for (let p = Math.ceil(Math.log10(width)); Number(`1e${p}`) <= largest; p++) found.push(-Number(`1e${p}`), Number(`1e${p}`));
  return found.filter((v) => v >= low && v <= high).sort((a, b) => a - b);
};

// Formats numbers of one column with the same number of decimals, chosen by the largest.
Report.aligned = (values, signed = false) => {
  const largest = Math.max(0, ...values.filter(Number.isFinite).map(Math.abs));
  const decimals = largest === 0 ? 0 : Math.min(8, Math.max(0, 3 - Math.floor(Math.log10(largest))));
  return (x) => {
    if (x === null || x === undefined || !Number.isFinite(x)) return "–";
    if (largest >= 1e7) return Report.number(x);
    const text = Math.abs(x).toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
    const isZero = Number(text.replace(/,/g, "")) === 0;
    return (x < 0 && !isZero ? "−" : signed && !isZero ? "+" : "") + text;
  };
};

Report.percent = (x) => {
  if (x === null || x === undefined || !Number.isFinite(x)) return "–";
  if (x > 0 && x < 0.0005) return "<0.1%";
  return Number((100 * x).toPrecision(10)).toLocaleString("en-US", { maximumFractionDigits: 1 }) + "%"; // 26.249999999999996 is 26.25
};

// Round numbers between two ends, about as many as wanted.
Report.ticks = (low, high, wanted = 5) => {
  if (!(high > low)) return [low];
  const raw = (high - low) / wanted, power = 10 ** Math.floor(Math.log10(raw));
  const step = [10, 5, 2.5, 2, 1].map((k) => k * power).find((k) => k <= raw * 1.5);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) {
    found.push(Number((k * step).toPrecision(12)));
  }
  return found;
};

// Formats the ticks of an axis: whole numbers of four digits have no commas, for they may be years.
Report.tick_format = (ticks) => (ticks.every((v) => Number.isInteger(v) && v >= 1000 && v <= 9999) ? String : (v) => Report.number(v, 3));

// Which texts a search finds: those with the searched text at the beginning of a word; where there are none, those with
// each of its words at the beginning of a word, and then those with each of its words anywhere.
Report.search = (texts, text) => {
  const words = text.split(/\s+/).filter(Boolean).map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  const start = (word) => (/^[\p{L}\p{N}]/u.test(word) ? "(?<![\\p{L}\\p{N}]|\\d\\.)" : "") + word; // 3 begins no word of 0.342
  for (const wanted of [[start(words.join("\\s+"))], words.map(start), words]) {
    const patterns = wanted.map((word) => new RegExp(word, "iu"));
    const found = texts.map((each) => patterns.every((pattern) => pattern.test(each)));
    if (found.includes(true)) return found;
  }
  return texts.map(() => false);
};

// Positions of the terms that fit a search text, a kind and an output, in the order of a column.
Report.select = (columns, { text = "", kind = "", output = "", sort = null, descending = true } = {}) => {
  const found = Report.search(columns.term, text);
  const places = columns.term.map((_, k) => k).filter((k) =>
    found[k] &&
    (kind === "" || columns.kind[k] === kind) &&
    (output === "" || columns.output[k] === Number(output)));
  if (sort === null) return places;
  const key = columns[sort], sign = descending ? -1 : 1;
  return places.sort((a, b) => {
    const x = key[a], y = key[b];
    const noX = x === null || x === undefined, noY = y === null || y === undefined;
    if (noX || noY) return noX && noY ? a - b : noX ? 1 : -1; // what is unknown comes last
    const order = typeof x === "string" ? x.localeCompare(y) : Math.abs(x) !== Math.abs(y) ? Math.abs(x) - Math.abs(y) : x - y;
    return sign * order || a - b;
  });
};

// The reasons for one row: contributions minus their means, the largest first; they add up to the decision.
Report.reasons = (data, row, output) => {
  const added = new Map(row.parts.map(([term, value, text]) => [term, [value, text]]));
  let base = data.intercepts[output];
  const found = [];
  data.terms.forEach(([kind, name, own], term) => {
    if (own !== output) return;
    const mean = data.means[term], entry = added.get(term);
    base += mean;
    const value = entry ? entry[0] : 0, difference = value - mean;
    if (difference === 0) return;
    const text = entry && entry[1] !== undefined ? data.texts[entry[1]] : name;
    found.push({ kind, text, value, mean, difference, holds: entry !== undefined });
  });
  found.sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference));
  const total = found.reduce((sum, each) => sum + each.difference, base);
  return { base, found, total, decision: row.decision[output] };
};

// The number at a position of the cutoffs.
Report.cutoff = (data, k) => Number(((data.first + k) * data.step).toPrecision(12));

// Weights and rates of the rows on both sides of a cutoff; weights are those of the event, then of the others.
Report.at_cutoff = (data, k) => {
  const total = [data.events, data.others], sum = (x) => x[0] + x[1];
  const safe = data.safe.map((added, c) => Math.min(total[c], Math.max(0, added.slice(0, k + 1).reduce((s, x) => s + x, 0))));
  const risky = safe.map((x, c) => total[c] - x);
  const rate = (part, whole) => (whole > 0 ? part / whole : null);
  return {
    cutoff: Report.cutoff(data, k), safe, risky, safe_share: rate(sum(safe), sum(total)), safe_rate: rate(safe[0], sum(safe)), risky_rate: rate(risky[0], sum(risky)),
    tpr: rate(risky[0], total[0]), fpr: rate(risky[1], total[1]), accuracy: rate(risky[0] + safe[1], sum(total)),
  };
};

// Parts of a text between separators, except within quotes.
Report.words = (text, between) => Array.from(text.trim().matchAll(new RegExp(`((?:(?<!\\S)\\{?"(?:[^"\\\\]|\\\\.)*"|[^])+?)(?:${between}|$)`, "g")), (found) => found[1]);

// The events of a text, as patterns print them or one a line, and the words that no pattern of the model has.
Report.events = (field, text) => {
  const labels = new Map(field.words), unknown = new Set();
  const read = (word) => {
    const label = labels.get(word) ?? null; // null is in no pattern
    if (label === null) unknown.add(word);
    return label;
  };
  const cleaned = text.replace(/^\s*->(?=\s|$)|(^|\s)->\s*$/g, "").trim();
  const letters = Array.from(cleaned), isWord = labels.has(cleaned) || /\s|->|^\{/.test(cleaned);
  if (!isWord && (field.is_letters || letters.every((letter) => labels.has(letter)))) return { events: letters.map(read), unknown };
  const events = Report.words(cleaned, "\\s+->\\s+|\\s*\\n\\s*").map((word) => {
    const isSet = word.startsWith("{") && word.endsWith("}") && !labels.has(word);
    return (isSet ? Report.words(word.slice(1, -1), ",\\s+") : [word]).map(read);
  });
  return { events, unknown };
};

// The row of a form: the events of a record, or an object without a prototype, so that a column may have any name.
Report.row = (fields, values) => {
  if (fields[0].kind === "events") return Report.events(fields[0], values[0]).events;
  const row = Object.create(null);
  fields.forEach((field, k) => { row[field.name] = values[k]; });
  return row;
};

// The score of a form, or the reason why there is none.
Report.score = (score, fields, values) => {
  try {
    return score(Report.row(fields, values));
  } catch (error) {
    return { error: error.message.replace(/^score: /, "") };
  }
};

// The number of a result that a chart of one field shows.
Report.headline = (result, output) => {
  if (result.error) return null;
  if (result.score !== undefined) return result.score;
  if (result.probabilities) return result.probabilities.length === 2 ? result.probabilities[1] : result.probabilities[output];
  return Array.isArray(result.decision) ? result.decision[output] : result.decision;
};

if (typeof module !== "undefined") module.exports = { Report };
