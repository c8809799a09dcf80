/** What a page was seen to do, in milliseconds. */
export interface Watched {
  /** When its first rows were there, from its beginning. */
  readonly firstRows?: number;
  /** The times between its frames. */
  readonly frames: readonly number[];
}

/** Runs in the page before its own scripts, and notes in `window.watched` what happens. */
export function watchPage(): void {
  const watched: { firstRows?: number; frames: number[] } = { frames: [] };
  (window as unknown as { watched: typeof watched }).watched = watched;
  const rows = new MutationObserver(() => {
    if (!document.querySelector('.row:not(.row-skeleton)')) return;
    watched.firstRows = performance.now();
    rows.disconnect();
  });
  rows.observe(document, { childList: true, subtree: true });
  let last = performance.now();
  const next = (now: number): void => {
    watched.frames.push(now - last);
    last = now;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}
