import type { SessionAbout } from '../../capture/discovery/sessionAbout.js';
import { isWritten } from '../transcripts/writtenFiles.js';

/** How a session stands, as far as its file tells. */
export type SessionState = 'running' | 'done' | 'failed' | 'interrupted' | 'unknown';

/**
 * How a session stands at a time, in milliseconds since 1970: one that was just written to is running, of the others the
 * last word tells.
 */
export function stateOf(
  { changed }: { readonly changed: number },
  about: Pick<SessionAbout, 'end'> | undefined,
  now: number,
): SessionState {
  if (isWritten(changed, now)) return 'running';
  switch (about?.end) {
    case 'answer':
      return 'done';
    case 'error':
      return 'failed';
    case undefined:
      return 'unknown';
    default:
      return 'interrupted';
  }
}
