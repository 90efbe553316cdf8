import { element } from "./elements.js";

/* Every line as text and spans: comments, strings, keywords and types, as the language says. */
export function highlighted(lines, rules) {
  return segments(lines, rules).map((parts) =>
    parts.length ? parts.map(([text, kind]) => (kind ? element("span", { class: kind }, text) : text)) : [" "]);
}

/* The same as pairs of text and kind: c comment, s string, k keyword, t type, or nothing. */
export function segments(lines, rules) {
  if (!rules) return lines.map((line) => (line ? [[line, ""]] : []));
  const plain = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const [open, close] = rules.block || ["", ""];
  const strings = rules.quotes.map((quote) => `${quote}(?:\\\\.|[^${quote}\\\\])*${quote}?`);
  const kinds = [...rules.line.map((start) => `${plain(start)}.*`), ...(open ? [plain(open)] : []), ...strings, "[A-Za-z_]\\w*"];
  const token = new RegExp(kinds.join("|"), "g"), ends = open && new RegExp(`${plain(open)}|${plain(close)}`, "g");
  const words = new Map([...rules.keywords.map((word) => [word, "k"]), ...rules.types.map((word) => [word, "t"])]);
  let depth = 0;
  return lines.map((line) => {
    const parts = [];
    const put = (text, kind) => { if (text) parts.push([text, kind ?? ""]); };
    for (let at = 0; at < line.length; ) {
      const looked = depth ? ends : token;
      looked.lastIndex = at;
      const found = looked.exec(line), start = found ? found.index : line.length, text = found ? found[0] : "";
      const opens = open && text === open;
      if (depth) {
        put(line.slice(at, start) + text, "c");
        depth += opens ? (rules.nested ? 1 : 0) : found ? -1 : 0;
      } else {
        put(line.slice(at, start));
        const comment = opens || rules.line.some((each) => text.startsWith(each));
        put(text, comment ? "c" : rules.quotes.includes(text[0]) ? "s" : words.get(text));
        depth = opens ? 1 : 0;
      }
      at = start + text.length;
    }
    return parts;
  });
}
