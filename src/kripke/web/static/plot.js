import { element, shape } from "./report/elements.js";

/* An answer as a picture: bars, a line or points; which columns is up to who looks. */
export function plot(names, rows, numeric) {
  const values = names.map((_, column) => column).filter((column) => numeric[column]);
  if (!values.length || rows.length < 2) return element("p", { class: "soft" }, rows.length < 2 ? "" : "No column of numbers to plot.");
  const select = (id, label, options, chosen) => {
    const node = element("select", { id, "aria-label": label, onchange: () => draw() }, ...options.map(([value, text]) => element("option", { value }, text)));
    node.value = String(chosen);
    return node;
  };
  const across = names.findIndex((_, column) => column !== values.at(-1));
  const x = select("plot-x", "across", names.map((name, column) => [String(column), name]), across < 0 ? 0 : across);
  const y = select("plot-y", "upwards", values.map((column) => [String(column), names[column]]), values.at(-1));
  const sort = select("plot-sort", "kind of plot", [["bars", "bars"], ["line", "line"], ["points", "points"]], rows.length > 60 && numeric[across] ? "line" : "bars");
  const canvas = element("div", { class: "plot" });

  function draw() {
    const width = 760, height = 300, left = 64, foot = 44, top = 14, right = 14;
    const columnX = Number(x.value), columnY = Number(y.value);
    const points = rows.map((row) => [row[columnX], row[columnY]]).filter(([, value]) => value !== null).slice(0, 2000);
    const onScale = numeric[columnX] && sort.value !== "bars";
    const high = Math.max(0, ...points.map(([, value]) => value)), low = Math.min(0, ...points.map(([, value]) => value));
    const xs = points.map(([value]) => Number(value)), first = Math.min(...xs), last = Math.max(...xs);
    const place = (index) => (onScale ? left + ((xs[index] - first) / (last - first || 1)) * (width - left - right) : left + ((index + 0.5) / points.length) * (width - left - right));
    const up = (value) => height - foot - ((value - low) / (high - low || 1)) * (height - foot - top);
    const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${names[columnY]} over ${names[columnX]}` });
    for (let tick = 0; tick <= 4; ++tick) {
      const value = low + ((high - low) * tick) / 4;
      svg.append(shape("line", { class: "grid", x1: left, x2: width - right, y1: up(value), y2: up(value) }), shape("text", { x: left - 8, y: up(value) + 4, "text-anchor": "end" }, value.toLocaleString("en", { maximumFractionDigits: 2 })));
    }
    if (sort.value === "line") svg.append(shape("polyline", { class: "drawn", points: points.map(([, value], index) => `${place(index)},${up(value)}`).join(" ") }));
    const wide = Math.max(1, ((width - left - right) / points.length) * 0.8);
    points.forEach(([name, value], index) => {
      const node = sort.value === "bars" ? shape("rect", { class: "bar-mark", x: place(index) - wide / 2, y: Math.min(up(value), up(0)), width: wide, height: Math.abs(up(value) - up(0)) })
        : shape("circle", { class: "dot-mark", cx: place(index), cy: up(value), r: sort.value === "points" ? 3.5 : 2 });
      node.append(shape("title", {}, `${names[columnX]} ${name}: ${value}`));
      svg.append(node);
    });
    const every = Math.max(1, Math.ceil(points.length / 10));
    points.forEach(([name], index) => { if (index % every === 0) svg.append(shape("text", { x: place(index), y: height - foot + 18, "text-anchor": "middle" }, String(name).slice(0, 12))); });
    svg.append(shape("text", { class: "title", x: (left + width) / 2, y: height - 6, "text-anchor": "middle" }, names[columnX]));
    canvas.replaceChildren(svg);
  }
  draw();
  return element("div", { class: "panel card" }, element("div", { class: "bar" }, element("h2", {}, "Plot"), sort, element("span", { class: "soft" }, "of"), y, element("span", { class: "soft" }, "over"), x), canvas);
}
