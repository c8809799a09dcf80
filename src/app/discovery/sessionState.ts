import type { SessionAbout } from '../../capture/discovery/sessionAbout.js';
import { isWritten } from '../transcripts/writtenFiles.js';

/** How a session stands, as far as its file tells; `waiting`: for what a person answers. */
export type SessionState = 'running' | 'waiting' | 'done' | 'failed' | 'interrupted' | 'unknown';

/**
 * How a session stands at a time, in milliseconds since 1970: one that asks a person is waiting, however long ago it
 * asked, one that was just written to is running, and of the others the last word tells.
 */
export function stateOf(
  { changed }: { readonly changed: number },
  about: Pick<SessionAbout, 'end'> | undefined,
  now: number,
): SessionState {
  if (about?.end === 'question') return 'waiting';
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
