import type { SessionState } from './sessionState.js';

/** Whether a session does the same as before. */
export function isSameState(before: SessionState | undefined, now: SessionState | undefined): boolean {
  return (
    before?.state === now?.state &&
    before?.since === now?.since &&
    before?.isLive === now?.isLive &&
    before?.tool === now?.tool &&
    before?.reason === now?.reason &&
    before?.marks.length === now?.marks.length
  );
}
