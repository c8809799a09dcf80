/** `1 message`, `12,405 messages`. */
export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** `1.2k tokens`, with `~` where they were estimated; '' where there are none. */
export function formatTokens(tokens: number, estimated: boolean): string {
  if (tokens === 0) return '';
  const short =
    tokens < 1000
      ? String(tokens)
      : tokens < 1e6
        ? `${(tokens / 1e3).toFixed(1)}k`
        : `${(tokens / 1e6).toFixed(1)}M`;
  return `${estimated ? '~' : ''}${short} tokens`;
}

/** `340 ms`, `2.5 s`, `3 min 20 s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** `14:05`, in the user's own time zone. */
export function formatTime(time: number): string {
  return new Date(time).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
}

/** `Today`, `Yesterday`, or the date, as seen at `now` in the user's own time zone. */
export function formatDay(time: number, now: number): string {
  const day = new Date(time).toDateString();
  if (day === new Date(now).toDateString()) return 'Today';
  if (day === new Date(now - 86_400_000).toDateString()) return 'Yesterday';
  return new Date(time).toLocaleDateString('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  });
}
