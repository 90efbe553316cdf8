/* Figures in words. */
export const count = (number) => Number(number ?? 0).toLocaleString("en");
export const plural = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;

export function time(seconds) {
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${Math.round(seconds % 60)} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function size(bytes) {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let at = 0;
  for (; bytes >= 1000 && at < units.length - 1; ++at) bytes /= 1000;
  return `${bytes.toFixed(at && bytes < 10 ? 1 : 0)} ${units[at]}`;
}

export const rate = (states, seconds) => (seconds > 0.001 ? `${short(states / seconds)} states/s` : "");
const short = (number) => (number >= 1e6 ? `${(number / 1e6).toFixed(2)} M` : number >= 1e3 ? `${(number / 1e3).toFixed(0)} k` : number.toFixed(0));

export function ago(moment) {
  const seconds = Date.now() / 1000 - moment;
  if (seconds < 60) return "just now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ago`;
  return new Date(moment * 1000).toLocaleDateString();
}
