import type { SessionState } from './sessionState.js';

/** Whether a session does the same as before. */
export function isSameState(before: SessionState | undefined, now: SessionState | undefined): boolean {
  return keyOf(before) === keyOf(now);
}

function keyOf(state: SessionState | undefined): string | undefined {
  return (
    state &&
    JSON.stringify([
      state.state,
      state.since,
      state.isLive,
      state.tool,
      state.reason,
      !state.quiet,
      state.marks.length,
    ])
  );
}
