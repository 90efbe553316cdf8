/* Where we are, as an address that can be sent to somebody: #view/name?key=value. */
export function place() {
  const [path, query = ""] = location.hash.slice(1).split("?");
  const [view = "", ...name] = path.split("/").map(decodeURIComponent);
  return { view: view || "model", name: name.join("/"), given: new URLSearchParams(query) };
}

export function address(view, name = "", given = {}) {
  const path = name.split("/").map(encodeURIComponent).join("/");
  const kept = Object.entries(given).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  const query = kept.map(([key, value]) => `${key}=${encodeURIComponent(value).replaceAll("%2C", ",").replaceAll("%28", "(").replaceAll("%29", ")")}`).join("&");
  return `#${view}${path ? `/${path}` : ""}${query ? `?${query}` : ""}`;
}

export function go(view, name, given) {
  location.hash = address(view, name, given);
}

/* The same place with other details; not a step of the browser's history. */
export function stay(view, name, given) {
  const next = address(view, name, given);
  if (next !== location.hash) history.replaceState(null, "", next);
}

/* N=3, M: macros as somebody types them, and back. */
export function readMacros(text) {
  const found = {};
  for (const part of text.split(/[\s,;]+/).filter(Boolean)) {
    const at = part.indexOf("=");
    found[at < 0 ? part : part.slice(0, at)] = at < 0 ? "1" : part.slice(at + 1);
  }
  return found;
}
