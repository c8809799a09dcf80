import type { Problem } from '../../core/agent.js';
import { isObject, textOf } from '../../core/message.js';
import { isProse as isProseText } from '../../core/prose.js';
import { IMPORTED, type ImportedConversation, type ImportedRecord } from '../reading/importResult.js';
import { fields, objects, withoutKeys, type Fields } from '../reading/fields.js';
import { soughtTexts, textInside, type LostText } from '../rest/lostTexts.js';
import type { Steps } from '../reading/steps.js';
import { lostOf } from './leftOver.js';
import type { SidecarEntries, TranscriptFormat } from './transcriptFormat.js';

/** Keys below which stands what programs tell models of their tools, and the names of spans, which nobody says. */
const INSTRUCTIONS =
  /spans\[\d*\]\.name$|(?:^|[.→\]])(?:tools?(?!\.call)|functions|tool_?definitions|available_?tools|input_?schema|json_?schema|response_?format|schema)(?=[.[→]|$)/i;

/** Keys below which tools write once more what they show of a message, what a call intends, or what a message is named by. */
const SHOWN_AGAIN =
  /display|description|transformed|rendered|tool_?(?:calls|requests|use_?result)|(?:^|[._\]])u?u?id$|Id$/i;

/** How many places are named. */
const MAX_PLACES = 3;

/** Which part of a file's words may be left out of what was made of it before that is told, unless its tool is not known. */
const ALLOWED = 0.1;

/**
 * Whether a reader is watched for each text that stands in no message: one that takes messages out of files whose tool it does
 * not know. The reader of a tool keeps kinds of records that nobody says, and tells of those that it does not know; what it
 * does not understand within a message is `asideOf` it.
 */
export function isWatched(format: TranscriptFormat | undefined): boolean {
  return format !== undefined && (format.isGeneral === true || format.isOfTraces === true);
}

/** What a record says that its readers are shown: what was said, called, given, decided or what failed, and nothing beside it. */
export function shownOf(record: ImportedRecord): unknown {
  const about: Fields = fields(record);
  if (about.type === IMPORTED) return about.shown === true ? about.value : undefined;
  if (about.type !== 'message') return { ...about, source: undefined };
  const rest = withoutKeys(about, ['message', 'source']);
  const { content, name, reasoning_content, refusal, tool_calls, tool_call_id, role } = fields(about.message);
  const calls = objects(tool_calls).map((call) => [call.id, call.function]);
  return { ...rest, said: [role, name, content, reasoning_content, refusal, tool_call_id, calls] };
}

/**
 * What is kept beside what a person or a model says, as it was written, because its reader has no place for it; beside what a
 * tool gave only where that is nothing: else tools write there once more what it is made of.
 */
function asideOf(record: ImportedRecord): unknown {
  const { type, message, source } = fields(record);
  const { role, content } = fields(message);
  return type === 'message' && (role !== 'tool' || textOf(content).trim() === '') ? source : undefined;
}

/** How many characters of texts that somebody wrote are kept beside what a record says. */
export function proseAside(record: ImportedRecord): number {
  const aside = asideOf(record);
  return aside === undefined ? 0 : proseIn(aside);
}

/** What of a record is shown, or found by a question that is asked of records; only what is kept aside is neither. */
export function foundOf(record: ImportedRecord): unknown {
  return asideOf(record) === undefined ? record : shownOf(record);
}

/** The texts of values that somebody wrote, and that are neither shown nor found in what was made of them. */
export function* hiddenTexts(
  values: readonly unknown[],
  conversations: readonly ImportedConversation[],
): Steps<readonly LostText[]> {
  const entries = values.map((value) => ({ value }));
  return (yield* lostOf([{ name: '', entries }], conversations, { view: foundOf })).filter(isProse);
}

/** Whether a text is something that its tool's reader did not understand, and neither its own view of a message nor its tags. */
function isUnread({ path, value }: LostText): boolean {
  const place = placeOf(path);
  return place !== WHOLE_TEXT && !SHOWN_AGAIN.test(place) && !/^\s*<\w/.test(String(value));
}

/** Whether a text is something that a person or a model wrote, as far as its looks and its place tell. */
export function isProse({ path, value }: LostText): boolean {
  return typeof value === 'string' && isProseText(value) && !INSTRUCTIONS.test(path);
}

/** How many characters of such texts stand in a value, also in JSON within texts. */
export function proseIn(value: unknown, path = ''): number {
  if (!mayHoldProse(value)) return 0;
  let length = 0;
  for (const each of soughtTexts(value, path)) {
    const inside = textInside(each);
    if (inside) length += proseIn(inside.value, inside.path);
    else if (isProse(each)) length += String(each.value).length;
  }
  return length;
}

/** Whether a text in a value may be one, wherever it stands: mostly none is, which is found without a path for each. */
function mayHoldProse(value: unknown): boolean {
  if (typeof value === 'string') return isProseText(value) || textInside({ path: '', value }) !== undefined;
  if (Array.isArray(value)) return value.some(mayHoldProse);
  return isObject(value) && Object.values(value).some(mayHoldProse);
}

/** Whether so many characters kept aside are too few to be told, of as many as a file's words have. */
export function isLittle(aside: number, all: () => number): boolean {
  return aside === 0 || aside < ALLOWED * all();
}

/** Reports what of the words of a file its reader did not understand, as far as that is watched. */
export function* halfRead(
  file: SidecarEntries,
  format: TranscriptFormat | undefined,
  conversations: readonly ImportedConversation[],
  counts: ReadonlySet<unknown>,
): Steps<readonly Problem[]> {
  if (!format) return [];
  const entries = [...file.entries].filter(({ raw }) => raw === undefined);
  const all = () => entries.reduce((sum, { value }) => sum + proseIn(value), 0);
  if (!isWatched(format)) {
    let aside = 0;
    for (const { records } of conversations) {
      for (const record of records) aside += proseAside(record);
      yield;
    }
    if (isLittle(aside, all)) return [];
  }
  const view = isWatched(format) ? shownOf : foundOf;
  const unread = yield* lostOf([{ name: file.name, entries }], conversations, { counts, view });
  return unread.some(isProse) ? halfReadOf(unread, all(), format) : [];
}

/** The report of words that stand in nothing that was made of a file, whose words have so many characters in all. */
export function halfReadOf(
  unread: readonly LostText[],
  all: number,
  format: TranscriptFormat | undefined,
): readonly Problem[] {
  const isOfTool = !isWatched(format);
  const texts = unread.filter((each) => isProse(each) && (!isOfTool || isUnread(each)));
  const length = texts.reduce((sum, { value }) => sum + String(value).length, 0);
  const share = length / Math.max(all, length, 1);
  if (length === 0 || (format?.isGeneral !== true && share < ALLOWED)) return [];
  const percent = Math.max(1, Math.round(share * 100));
  const places = [...new Set(texts.map(({ path }) => placeOf(path)))];
  const more = places.length - MAX_PLACES;
  const named = `${places.slice(0, MAX_PLACES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const how =
    format?.isGeneral === true
      ? 'plain messages'
      : format?.isOfTraces === true
        ? 'spans'
        : (format?.of ?? '?');
  return [
    {
      severity: 'warning',
      message: `Read as ${how}; ${percent} % of its text was not understood (${named}). It is kept as it was.`,
    },
  ];
}

/** What the place of a text is called that is no part of a value. */
const WHOLE_TEXT = 'texts';

/** A place in a file without the numbers of its line and of entries of lists, so that a kind of place is named once. */
function placeOf(path: string): string {
  const keys = path.replace(/^.*?line \d+\.?/, '').replace(/\[\d+\]/g, '[]');
  return keys === '' ? WHOLE_TEXT : keys;
}
