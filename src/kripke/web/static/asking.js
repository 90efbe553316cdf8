/* Asking the server. What it refuses is an Error with its sentence. */
export async function ask(path, given, method = "POST") {
  const query = method === "GET" || method === "DELETE";
  const address = query && given ? `${path}?${new URLSearchParams(given)}` : path;
  const options = query ? { method } : { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(given ?? {}) };
  let response;
  try {
    response = await fetch(address, options);
  } catch {
    throw new Error("the workbench does not answer: is kripke serve still running?");
  }
  const answer = await response.json().catch(() => ({ error: `no answer (${response.status})` }));
  if (!response.ok) throw Object.assign(new Error(answer.error), { status: response.status });
  return answer;
}

/* What happens to runs, as it happens. */
export function listen(told, back) {
  const source = new EventSource("/api/news");
  let lost = false;
  source.onmessage = (event) => told(JSON.parse(event.data));
  source.onerror = () => { lost = true; };
  source.onopen = () => { if (lost) back(); lost = false; };
  window.addEventListener("pagehide", () => source.close());
}

/* Only the last of several calls within a pause is made. */
export function calmly(pause, call) {
  let timer = 0;
  return (...given) => { clearTimeout(timer); timer = setTimeout(() => call(...given), pause); };
}
