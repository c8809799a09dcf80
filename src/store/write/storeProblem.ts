import { messageOf } from '../../core/text.js';

import { errorCode } from '../../core/errorCode.js';
import type { ConversationPaths } from '../files/storePaths.js';

/** A problem with the store, for a person. Its texts may contain paths, never anything that a model wrote. */
export interface StoreProblem {
  /** What is wrong, as a headline without a period. */
  readonly title: string;
  /** What that means for the record. */
  readonly detail: string;
  /** What to do. */
  readonly action?: string;
  /** The conversation concerned, where it is one. */
  readonly conversation?: string;
  /** The system's error code (`ENOSPC`, …) or one of ours; identifies the kind of problem. */
  readonly code: string;
  /** The folder of the store that cannot be read; absent where a problem is about writing. */
  readonly unreadable?: string;
  /** True where the problem persists until it is reported as over, or records are reported as lost. */
  readonly lasts?: true;
}

interface Advice {
  readonly title: string;
  readonly action: string;
}

const byCode = new Map<string, Advice>([
  ['ENOSPC', { title: 'The disk is full', action: 'Free some space on the disk that holds' }],
  [
    'EDQUOT',
    { title: 'Your disk quota is used up', action: 'Free some space, or have the quota raised, for' },
  ],
  [
    'EROFS',
    {
      title: 'The file system is read-only',
      action: 'Make it writable, or let the store lie elsewhere; now it is in',
    },
  ],
  ['EACCES', { title: 'The store may not be written', action: 'Allow your user to write to' }],
  ['EPERM', { title: 'The store may not be written', action: 'Allow your user to write to' }],
  [
    'EMFILE',
    {
      title: 'Too many files are open',
      action: 'Close some programs or windows, or raise the limit of open files, to write to',
    },
  ],
  [
    'ENFILE',
    {
      title: 'Too many files are open',
      action: 'Close some programs or windows, or raise the limit of open files, to write to',
    },
  ],
  ['EIO', { title: 'The disk reports an error', action: 'Check the disk, and save what matters, of' }],
  [
    'EFBIG',
    {
      title: 'The file system takes no larger files',
      action: 'Start a new conversation, or let the store lie elsewhere; now it is in',
    },
  ],
  [
    'ENOENT',
    {
      title: 'Files of the store are not there any more',
      action: 'Restore them, or reload the window to see what is left in',
    },
  ],
  [
    'EGONE',
    {
      title: 'The folder of the transcripts was deleted or moved',
      action: 'Put it back, or open the folder where it is now; the transcripts were in',
    },
  ],
  [
    'EUNSAFE',
    { title: 'A link or another file stands where the store keeps its files', action: 'Remove it from' },
  ],
]);

function adviceFor(error: unknown): Advice {
  return byCode.get(errorCode(error)) ?? { title: 'The conversation cannot be written', action: 'Check' };
}

/** The problem that records cannot be written now and wait in memory. */
export function writingProblem(
  error: unknown,
  about: { readonly conversation: string; readonly root: string; readonly waiting: number },
): StoreProblem {
  const code = errorCode(error);
  const advice = adviceFor(error);
  const records = about.waiting === 1 ? '1 record waits' : `${about.waiting} records wait`;
  return {
    title: advice.title,
    detail: `${records} in memory and will be written as soon as that is possible; until then they are not saved. (${messageOf(error)})`,
    action: `${advice.action} ${about.root}.`,
    conversation: about.conversation,
    code: code || 'EUNKNOWN',
    lasts: true,
  };
}

type About = Pick<ConversationPaths, 'id' | 'folder' | 'root'>;

/** The problem that the conversations of a store cannot be listed. */
export function readingProblem(error: unknown, root: string): StoreProblem {
  const code = errorCode(error);
  const isForbidden = code === 'EACCES' || code === 'EPERM';
  const known = isForbidden ? undefined : byCode.get(code);
  return {
    title: known?.title ?? 'The transcripts cannot be read',
    action: `${isForbidden ? 'Allow your user to read' : (known?.action ?? 'Check')} ${root}.`,
    detail: `Until then ${code === 'EGONE' ? 'none can be opened' : 'stored transcripts are not listed'}. (${messageOf(error)})`,
    code: code || 'EUNKNOWN',
    unreadable: root,
    lasts: true,
  };
}

/** Something that was asked of a store failed in the file system; the message tells a person where and what to do. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: string;

  /** `left` says what that means, as a sentence. */
  constructor(error: unknown, root: string, left: string) {
    const code = errorCode(error);
    const { title, action } = byCode.get(code) ?? {
      title: 'The store does not answer as it should',
      action: 'Check',
    };
    const detail = `${left} (${messageOf(error)})`;
    super(inWords({ title, action: `${action} ${root}.`, detail, code }), { cause: error });
    this.code = code;
  }
}

/** Problems that do not come from a failed write. */
export const problems = {
  hanging: ({ id, root }: About): StoreProblem => ({
    title: 'The disk does not answer',
    detail: 'Records wait in memory; until they are written they are not saved.',
    action: `Check the disk or the network connection of ${root}.`,
    conversation: id,
    code: 'EHANGING',
    lasts: true,
  }),
  restored: ({ id, folder }: About): StoreProblem => ({
    title: 'A conversation was deleted or replaced while it was being recorded',
    detail: `It has been written again to ${folder}. What stood in its place is kept in the folder quarantine.`,
    conversation: id,
    code: 'EMOVED',
  }),
  shrunk: (
    { id, folder }: About,
    { again, lost }: { readonly again: number; readonly lost: number },
  ): StoreProblem => ({
    title: 'The file of a conversation was emptied or cut while it was being recorded',
    detail: `${again === 1 ? '1 record is' : `${again} records are`} still in memory and will be written again to a new file in ${folder}.${
      lost === 0 ? '' : ` Earlier records that stood only in that file are gone: ${lost}.`
    }`,
    conversation: id,
    code: 'ESHRUNK',
  }),
  lockLost: ({ id, folder }: About): StoreProblem => ({
    title: 'Another window has taken over a conversation',
    detail: `This window stood still for too long. What it records goes to a file of its own in ${folder}; nothing is lost.`,
    action: 'Continue the conversation in one window only.',
    conversation: id,
    code: 'ELOCKLOST',
  }),
  refused: ({ id, root }: About, closed: boolean): StoreProblem => ({
    title: 'A record could not be kept',
    detail: closed
      ? 'It came after its conversation was closed.'
      : 'Too much waits in memory, because the store cannot be written.',
    ...(!closed && { action: `Stop the run, and make room or allow writing in ${root}.` }),
    conversation: id,
    code: 'EREFUSED',
  }),
  unsaved: ({ id, root }: About, count: number): StoreProblem => ({
    title: count === 1 ? '1 record was not saved' : `${count} records were not saved`,
    detail: 'The conversation was closed while the store could not be written.',
    action: `Make room or allow writing in ${root} before the next run.`,
    conversation: id,
    code: 'EUNSAVED',
  }),
  truncated: (
    { id }: About,
    { bytes, path }: { readonly bytes: number; readonly path: string },
  ): StoreProblem => ({
    title: 'The end of a conversation was cut off',
    detail: `Its last ${bytes} bytes are no whole record, as after a crash. They are kept in ${path}.`,
    conversation: id,
    code: 'ETRUNCATED',
  }),
  spill: ({ id, root }: About, error: unknown): StoreProblem => ({
    title: 'A large text could not be written to a file of its own',
    detail: `It stays inside its record; nothing is lost. (${messageOf(error)})`,
    action: `${adviceFor(error).action} ${root}.`,
    conversation: id,
    code: 'ESPILL',
  }),
} as const;

/** A problem as one short text; the action comes early, because the end may be cut off. */
export function inWords({ title, detail, action }: StoreProblem): string {
  return [`${title}.`, action, detail].filter((text) => text !== undefined).join(' ');
}

/** What to say when a persistent problem is over. */
export function solvedInWords({ code, unreadable }: StoreProblem): string {
  if (unreadable !== undefined) return `The transcripts in ${unreadable} can be read again.`;
  const hadNoRoom = code === 'ENOSPC' || code === 'EDQUOT';
  const what = hadNoRoom ? 'The disk has space again' : 'The store can be written again';
  return `${what}: all that was waiting is saved.`;
}
