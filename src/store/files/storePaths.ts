import { join } from 'node:path';
import { safeFileName } from './safeFileName.js';

/** The names of the files and folders of a store. */
export const names = {
  marker: '.logbook',
  ignore: '.gitignore',
  conversations: 'conversations',
  state: 'state',
  catalog: 'catalog.json',
  journal: 'messages.jsonl',
  legacyJournal: 'messages.json',
  index: 'index.bin',
  columns: 'columns.bin',
  search: 'search.bin',
  lock: 'lock',
  quarantine: 'quarantine',
  /** The prefix of a conversation folder's name once its deletion has begun. */
  deleted: '.deleted-',
  /** The prefix while it is being imported. */
  importing: '.importing-',
} as const;

/** The steps from the store's root to the folder of spilled texts. */
export const SPILL_FOLDERS = [names.state, 'logs', 'tool-results'] as const;

/** The file name of a segment, from 0: `messages.jsonl`, `messages.2.jsonl`, … */
export function segmentName(segment: number): string {
  return segment === 0 ? names.journal : `messages.${segment + 1}.jsonl`;
}

/** The segment number, from 0, of a file in a conversation's folder; undefined for other files. */
export function segmentOf(name: string): number | undefined {
  if (name === names.journal) return 0;
  const number = /^messages\.([1-9]\d{0,2})\.jsonl$/.exec(name)?.[1];
  return number === undefined || number === '1' ? undefined : Number(number) - 1;
}

/** The paths of one conversation. */
export interface ConversationPaths {
  readonly root: string;
  readonly id: string;
  /** The name of its folder in `conversations/` and of its folder of spilled texts. */
  readonly name: string;
  readonly folder: string;
  readonly lock: string;
  readonly index: string;
  readonly columns: string;
  readonly search: string;
  segment(segment: number): string;
}

/** The paths of a conversation below a store's root; `name` is the name of its folders. */
export function pathsOf(root: string, id: string, name = safeFileName(id)): ConversationPaths {
  const folder = join(root, names.conversations, name);
  return {
    root,
    id,
    name,
    folder,
    lock: join(folder, names.lock),
    index: join(folder, names.index),
    columns: join(folder, names.columns),
    search: join(folder, names.search),
    segment: (segment) => join(folder, segmentName(segment)),
  };
}
