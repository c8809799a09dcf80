import { join, sep } from 'node:path';
import { safeFileName } from './safeFileName.js';

/** The names of the files and folders of a store. */
export const names = {
  marker: '.logbook',
  ignore: '.gitignore',
  conversations: 'conversations',
  state: 'state',
  catalog: 'catalog.json',
  journal: 'messages.jsonl',
  /** What agents are saying, until it is in the journal. */
  pieces: 'pieces.jsonl',
  legacyJournal: 'messages.json',
  index: 'index.bin',
  columns: 'columns.bin',
  search: 'search.bin',
  views: 'views.bin',
  notes: 'notes.jsonl',
  importReport: 'import.json',
  lock: 'lock',
  /** The folder of the locks of sessions that are being imported, in `state`. */
  imports: 'imports',
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
  readonly pieces: string;
  readonly index: string;
  readonly columns: string;
  readonly search: string;
  readonly views: string;
  /** What a person has noted about its messages. */
  readonly notes: string;
  /** What its import has told. */
  readonly importReport: string;
  segment(segment: number): string;
}

/**
 * The paths of a conversation below a store's root. `name` is the name of its folders, `all` the folder of all
 * conversations: whoever lists thousands has it, and what is joined already is not taken apart again.
 */
export function pathsOf(
  root: string,
  id: string,
  name = safeFileName(id),
  all = join(root, names.conversations),
): ConversationPaths {
  const folder = all + sep + name;
  const inside = (file: string) => folder + sep + file;
  return {
    root,
    id,
    name,
    folder,
    lock: inside(names.lock),
    pieces: inside(names.pieces),
    index: inside(names.index),
    columns: inside(names.columns),
    search: inside(names.search),
    views: inside(names.views),
    notes: inside(names.notes),
    importReport: inside(names.importReport),
    segment: (segment) => inside(segmentName(segment)),
  };
}
