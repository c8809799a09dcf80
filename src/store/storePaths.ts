import { join } from 'node:path';
import { safeFileName } from './safeFileName.js';

/** What the files and folders of a store are called. */
export const names = {
  marker: '.logbook',
  ignore: '.gitignore',
  conversations: 'conversations',
  state: 'state',
  catalog: 'catalog.json',
  journal: 'messages.jsonl',
  olderJournal: 'messages.json',
  index: 'index.bin',
  lock: 'lock',
  quarantine: 'quarantine',
  /** Between `conversations/` and the rest of the name of a folder whose deletion has begun. */
  deleted: '.deleted-',
  /** The same for one that is being imported. */
  importing: '.importing-',
} as const;

/** The folders below the store's root that lead to the texts kept in files of their own. */
export const SPILL_FOLDERS = [names.state, 'logs', 'tool-results'] as const;

/** The name of a journal's file: `messages.jsonl`, then `messages.2.jsonl` where a journal had to go on elsewhere. */
export function segmentName(segment: number): string {
  return segment === 0 ? names.journal : `messages.${segment + 1}.jsonl`;
}

/** Which segment a file of a conversation's folder is, counted from 0; undefined for other files. */
export function segmentOf(name: string): number | undefined {
  if (name === names.journal) return 0;
  const number = /^messages\.([1-9]\d{0,2})\.jsonl$/.exec(name)?.[1];
  return number === undefined || number === '1' ? undefined : Number(number) - 1;
}

/** Where the parts of one conversation lie. */
export interface ConversationPaths {
  readonly root: string;
  readonly id: string;
  /** The name of its folder below `conversations/` and of its folder of spilled texts. */
  readonly name: string;
  readonly folder: string;
  readonly lock: string;
  readonly index: string;
  segment(segment: number): string;
}

export function pathsOf(root: string, id: string, name = safeFileName(id)): ConversationPaths {
  const folder = join(root, names.conversations, name);
  return {
    root,
    id,
    name,
    folder,
    lock: join(folder, names.lock),
    index: join(folder, names.index),
    segment: (segment) => join(folder, segmentName(segment)),
  };
}
