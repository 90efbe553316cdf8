import { $, element } from "./report/elements.js";
import { ask, listen } from "./asking.js";
import { address, place } from "./places.js";
import { notice } from "./notices.js";
import { fileTree } from "./files.js";
import { modelView } from "./model.js";
import { runsView } from "./runs.js";
import { exploreView } from "./explore.js";
import { askView } from "./ask.js";

/* The workbench: which view is shown, which file is open, what runs. Views are made when they are first shown. */
const bench = {
  folder: null, // what the server says about the folder
  file: "", // the file that is open in every view
  runs: new Map(), // by id
  watchers: new Set(), // called when a run changes
  views: {},
  latest() { return [...this.runs.values()].sort((a, b) => b.asked - a.asked); },
  files() { return this.folder?.files ?? []; },
};
const makers = { model: modelView, runs: runsView, explore: exploreView, ask: askView };

async function show() {
  const here = place();
  const view = here.view in makers ? here.view : "model";
  const names = bench.files().map((file) => file.name);
  const named = view === "runs" ? bench.runs.get(here.name)?.name : here.name;
  if (named && named !== bench.file && names.includes(named)) bench.file = named;
  for (const name of Object.keys(makers)) {
    $(`view-${name}`).hidden = name !== view;
    const tab = $(`tab-${name}`);
    tab.href = name === "runs" ? "#runs" : address(name, bench.file);
    if (name === view) tab.setAttribute("aria-current", "page"); else tab.removeAttribute("aria-current");
  }
  tree.mark(bench.file);
  document.title = `${bench.file ? `${bench.file.split("/").at(-1)} · ` : ""}Kripke`;
  $("files").classList.remove("open");
  $("menu").setAttribute("aria-expanded", "false");
  try {
    bench.views[view] ??= makers[view]($(`view-${view}`), bench);
    await bench.views[view].show(here);
  } catch (error) {
    notice(error.message, "bad");
  }
  document.documentElement.dataset.ready = view;
}

function told({ run }) {
  if (!run) return;
  bench.runs.set(run.id, run);
  busy();
  for (const watcher of bench.watchers) watcher(run);
}

function busy() {
  const number = [...bench.runs.values()].filter((run) => run.status === "running" || run.status === "waiting").length;
  $("busy").hidden = !number;
  $("busy").textContent = String(number);
}

bench.refresh = async () => {
  bench.folder = await ask("/api/folder", null, "GET");
  $("folder").textContent = bench.folder.folder;
  $("folder").title = bench.folder.path;
  tree.show(bench.files());
  tree.mark(bench.file);
};

async function readRuns() {
  bench.runs = new Map((await ask("/api/runs", null, "GET")).map((run) => [run.id, run]));
  busy();
  for (const watcher of bench.watchers) watcher(null);
}

/* ---- light and dark, keys ------------------------------------------------------------------------------------------ */
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const applyTheme = () => {
  document.documentElement.dataset.theme = localStorage.getItem("kripke-theme") ?? (dark.matches ? "dark" : "light");
  for (const watcher of bench.watchers) watcher(null, "theme");
};
dark.addEventListener("change", applyTheme);
$("theme").addEventListener("click", () => {
  localStorage.setItem("kripke-theme", document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  applyTheme();
});
applyTheme();

const KEYS = [
  ["Alt+1 … Alt+4", "Model, Runs, Explore, Ask"], ["Ctrl+S", "save"], ["Ctrl+Enter", "check; in Ask: answer"],
  ["Ctrl+Space", "complete a word"], ["F8", "next problem"], ["F12", "go to the declaration of the name at the caret"],
  ["Escape, then Tab", "leave the editor"], ["← →", "in Explore: a step back, a step forward again"],
  ["1 … 9", "in Explore: take a step that is possible"], ["r", "in Explore: a step at random"], ["Space", "in Explore: play or pause"], ["?", "these keys"],
];
function help() {
  const rows = KEYS.map(([keys, does]) => element("tr", {}, element("td", {}, element("kbd", {}, keys)), element("td", {}, does)));
  const box = $("keys");
  box.replaceChildren(element("h2", {}, "Keys"), element("table", {}, element("tbody", {}, ...rows)),
    element("div", { class: "buttons" }, element("button", { onclick: () => box.close() }, "close")));
  box.showModal();
}
$("help").addEventListener("click", help);
$("skip").addEventListener("click", (event) => { event.preventDefault(); $("content").focus(); });
$("menu").addEventListener("click", () => {
  const open = $("files").classList.toggle("open");
  $("menu").setAttribute("aria-expanded", String(open));
  if (open) $("filter").focus();
});
document.addEventListener("keydown", (event) => {
  const number = ["1", "2", "3", "4"].indexOf(event.key);
  if (event.altKey && number >= 0) { event.preventDefault(); $(`tab-${Object.keys(makers)[number]}`).click(); }
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (event.key === "?" && !typing && !$("keys").open) help();
  if (event.key === "Escape" && $("files").classList.contains("open")) { $("menu").click(); $("menu").focus(); }
});

/* ---- start --------------------------------------------------------------------------------------------------------- */
const tree = fileTree($("tree"), $("filter"), $("new"), bench);
try {
  await Promise.all([bench.refresh(), readRuns()]);
  bench.file = place().name || localStorage.getItem(`kripke-file ${bench.folder.path}`) || "";
  if (!bench.files().some((file) => file.name === bench.file)) bench.file = bench.files().find((file) => file.language)?.name ?? "";
} catch (error) {
  notice(error.message, "bad");
}
window.addEventListener("hashchange", show);
listen(told, readRuns);
await show();
