import { shape } from "./elements.js";

/* The curve of a search: states over seconds. ``end``: the right edge, where several curves share one. */
export function growthCurve(samples, end = samples.at(-1)[0], most = Math.max(...samples.map((sample) => sample[1]))) {
  const width = 480, height = 150, left = 8, foot = 20;
  const seconds = end || 1, states = most || 1;
  const point = ([time, count]) => `${left + (time / seconds) * (width - 2 * left)},${height - foot - (count / states) * (height - foot - 16)}`;
  const svg = shape("svg", { class: "growth", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img" });
  const line = [[0, 0], ...samples].map(point).join(" ");
  svg.append(shape("polygon", { class: "area", points: `${line} ${width - left},${height - foot} ${left},${height - foot}` }));
  svg.append(shape("line", { class: "axis", x1: left, x2: width - left, y1: height - foot, y2: height - foot }));
  svg.append(shape("polyline", { class: "curve", points: line }));
  svg.append(shape("text", { x: width - left, y: height - 5, "text-anchor": "end" }, `${seconds.toFixed(1)} s`));
  svg.append(shape("text", { x: left, y: 11 }, `${states.toLocaleString("en")} states`));
  return svg;
}
