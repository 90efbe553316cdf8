import { element, shape } from "./report/elements.js";
import { ago, count, size, time } from "./words.js";

const FIGURES = [
  ["verdict", (run) => run.found?.verdict ?? run.status], ["reason", (run) => run.found?.reason ?? run.error],
  ["states", (run) => run.found?.states, count], ["transitions", (run) => run.found?.transitions, count], ["depth", (run) => run.found?.depth, count],
  ["errors", (run) => run.found?.errors, count], ["time", (run) => run.found?.seconds, time], ["memory for states", (run) => run.found?.store_bytes, size],
  ["state vector", (run) => run.found?.state_bytes, size], ["complete", (run) => (run.found ? (run.found.complete ? "yes" : "no") : "")],
  ["search", (run) => run.found?.engine?.search], ["store", (run) => run.found?.engine?.store], ["engine", (run) => run.found?.engine?.name],
  ["model", (run) => run.name], ["command", (run) => run.command], ["when", (run) => ago(run.asked)],
];

/* Two runs: every figure of both, what differs in bold with how much, and both curves on the same axes. */
export function comparison([one, two]) {
  const rows = FIGURES.map(([name, value, text = (each) => String(each ?? "")]) => {
    const [a, b] = [value(one), value(two)];
    const differs = a !== b;
    const ratio = typeof a === "number" && typeof b === "number" && a > 0 && differs ? `× ${(b / a).toPrecision(3)}` : "";
    return element("tr", { class: differs ? "differs" : "" }, element("th", { scope: "row" }, name), element("td", {}, a === undefined ? "" : text(a)), element("td", {}, b === undefined ? "" : text(b)), element("td", { class: "soft" }, ratio));
  });
  const changed = one.name === two.name && one.version !== two.version;
  return element("div", { class: "compare panel card" }, element("h1", {}, "Two runs"),
    changed ? element("p", { class: "soft" }, "The text of the model was changed between the two.") : null,
    element("table", {}, element("thead", {}, element("tr", {}, element("th", {}), element("th", { scope: "col" }, element("span", { class: "key first" }), "first"), element("th", { scope: "col" }, element("span", { class: "key second" }), "second"), element("th", {}))), element("tbody", {}, ...rows)),
    curves(one, two));
}

function curves(...runs) {
  const both = runs.map((run) => (run.found?.samples?.length > 2 ? run.found.samples : run.samples)).map((each) => each ?? []);
  if (both.every((samples) => samples.length < 3)) return element("p", { class: "soft" }, "Both were too short for a curve.");
  const width = 720, height = 220, left = 10, foot = 24;
  const seconds = Math.max(...both.flat().map(([at]) => at)), states = Math.max(...both.flat().map(([, number]) => number));
  const svg = shape("svg", { class: "growth tall", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "growth of both searches" });
  svg.append(shape("line", { class: "axis", x1: left, x2: width - left, y1: height - foot, y2: height - foot }));
  both.forEach((samples, index) => {
    const points = [[0, 0], ...samples].map(([at, number]) => `${left + (at / seconds) * (width - 2 * left)},${height - foot - (number / states) * (height - foot - 18)}`);
    svg.append(shape("polyline", { class: `curve ${["first", "second"][index]}`, points: points.join(" ") }));
  });
  svg.append(shape("text", { x: width - left, y: height - 6, "text-anchor": "end" }, `${seconds.toFixed(1)} s`), shape("text", { x: left, y: 12 }, `${states.toLocaleString("en")} states`));
  return svg;
}
