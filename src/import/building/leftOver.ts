import { appendAll } from '../../core/lists.js';
import type { Problem } from '../../core/agent.js';
import { preview, singleLine } from '../../core/text.js';
import { IMPORTED, type ImportedConversation, type ImportedRecord } from '../reading/importResult.js';
import type { SidecarEntries } from './transcriptFormat.js';
import { lostTexts, type LostText } from '../rest/lostTexts.js';
import type { Entry } from './importSink.js';
import type { Steps } from '../reading/steps.js';
import { StandingTexts } from '../rest/standingTexts.js';

/** The kind of the records that keep what no reader turned into anything. */
export const LEFT_OVER = 'left over';

/** How much text one such record holds at most, in characters, unless a single text is longer. */
const MAX_PIECE = 1_000_000;

/** How much of an example a report quotes, in code points. */
const QUOTED = 60;

/** Conversations to which what was left over has been added, and the report of it. */
export interface WithLeftOver {
  readonly conversations: readonly ImportedConversation[];
  readonly problems: readonly Problem[];
}

/**
 * The last guard against silent loss: looks for every text and large number of the files in the records, keeps those that
 * stand nowhere at the end of the first conversation, and reports how many there are and where. `counts` are numbers that
 * only count what stands in records.
 */
export function* leftOver(
  files: readonly SidecarEntries[],
  conversations: readonly ImportedConversation[],
  counts: ReadonlySet<unknown> = new Set(),
): Steps<WithLeftOver> {
  const lost = yield* lostOf(files, conversations, { counts });
  const [first, ...others] = conversations;
  const problems = lossOf(lost, first !== undefined);
  if (!first || lost.length === 0) return { conversations, problems };
  const records = [...first.records];
  for (const record of keptOf(lost, first.id, { length: records.length, last: records.at(-1) }))
    records.push(record);
  return { conversations: [{ ...first, records }, ...others], problems };
}

/** The report of what stands in no record; none where everything does. `isKept` says whether it is kept nevertheless. */
export function lossOf(lost: readonly LostText[], isKept: boolean): readonly Problem[] {
  const [example] = lost;
  return example ? [{ severity: 'warning', message: report(lost.length, example, isKept) }] : [];
}

/** The records that keep what stands in no other, to follow the records of a conversation. */
export function* keptOf(
  lost: readonly LostText[],
  id: string,
  { length, last }: { readonly length: number; readonly last: ImportedRecord | undefined },
): Generator<ImportedRecord> {
  let seq = length;
  for (const value of pieces(lost)) yield recordOf(value, { id, last, seq: ++seq });
}

/**
 * What of files stands in no record of the conversations that were made of them, or not in that of a record which `view` gives;
 * `counts` are numbers that only count what stands in records.
 */
export function* lostOf(
  files: readonly SidecarEntries[],
  conversations: readonly ImportedConversation[],
  {
    counts = new Set(),
    view = (record) => record,
  }: { readonly counts?: ReadonlySet<unknown>; readonly view?: (record: ImportedRecord) => unknown },
): Steps<readonly LostText[]> {
  const standing = new StandingTexts();
  standing.add([...counts]);
  for (const { title, records } of conversations) {
    standing.add(title);
    for (const record of records) {
      standing.add(view(record));
      yield;
    }
  }
  const lost: LostText[] = [];
  for (const { name, entries } of files) {
    for (const entry of entries) {
      appendAll(lost, lostTexts(entry.raw ?? entry.value, positionOf(name, entry), standing));
      yield;
    }
  }
  return lost;
}

/** Where a value stands, for a person. */
export function positionOf(name: string, { line }: Entry): string {
  return [name, line === undefined ? '' : `line ${line}`].filter((part) => part !== '').join(' ');
}

function report(count: number, { path, value }: LostText, isKept: boolean): string {
  const one = count === 1;
  const what = one ? '1 text or number stands' : `${count} texts or numbers stand`;
  const kept = isKept ? `; ${one ? 'it was' : 'they were'} kept at the end` : '';
  const quoted = preview(singleLine(String(value)), QUOTED);
  return `${what} in no message${kept}. ${one ? 'It' : 'The first'} is at ${path}: ${quoted}`;
}

function* pieces(lost: readonly LostText[]): Generator<LostText[]> {
  let piece: LostText[] = [];
  let length = 0;
  for (const each of lost) {
    const size = each.path.length + String(each.value).length;
    if (piece.length > 0 && length + size > MAX_PIECE) {
      yield piece;
      piece = [];
      length = 0;
    }
    piece.push(each);
    length += size;
  }
  if (piece.length > 0) yield piece;
}

/** The next record of a conversation, at the place and time of its last one. */
function recordOf(
  value: readonly LostText[],
  { id, last, seq }: { readonly id: string; readonly last: ImportedRecord | undefined; readonly seq: number },
): ImportedRecord {
  const { time = 0, run = 'r1', agent = 'unknown' } = last ?? {};
  const header = { seq, id: `m${seq}`, time, conversation: id, run, call: 'k1', agent, depth: 0 };
  return Object.freeze({ ...header, type: IMPORTED, kind: LEFT_OVER, value });
}

/** What is told where there are more files beside a transcript than are looked at; nothing where all were. */
export function leftOf(left: number): readonly Problem[] {
  if (left === 0) return [];
  const files = left.toLocaleString('en-US');
  const message = `${files} more files beside it were not looked at; subagents may be missing.`;
  return [{ severity: 'warning', message }];
}
