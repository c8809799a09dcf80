/** A duration in milliseconds as people say it: `12 ms`, `2.3 s`, `45 s`, `4 min 05 s`, `1 h 02 min`. */
export function formatDuration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${twoDigits(seconds % 60)} s`;
  return `${Math.floor(minutes / 60).toLocaleString('en')} h ${twoDigits(minutes % 60)} min`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
