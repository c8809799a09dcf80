import type { Problem } from '../../core/agent.js';
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

/** How many places are named. */
const MAX_PLACES = 3;

/** Which part of a file's words may be left out of what was made of it before that is told, by who reads it. */
const ALLOWED_OF_TRACES = 0.1;

/**
 * Whether a reader is watched for reading by halves: one that takes messages out of files whose tool it does not know. What
 * of a file stands in no message then stands in a record beside, where nobody looks for what was said.
 */
export function isWatched(format: TranscriptFormat | undefined): boolean {
  return format !== undefined && (format.isGeneral === true || format.isOfTraces === true);
}

/** What a record says that its readers are shown: what was said, called, given, decided or what failed, and nothing beside it. */
export function shownOf(record: ImportedRecord): unknown {
  const about: Fields = fields(record);
  if (about.type === IMPORTED) return undefined;
  if (about.type !== 'message') return { ...about, source: undefined };
  const rest = withoutKeys(about, ['message', 'source']);
  const { content, name, reasoning_content, refusal, tool_calls, tool_call_id, role } = fields(about.message);
  const calls = objects(tool_calls).map((call) => [call.id, call.function]);
  return { ...rest, said: [role, name, content, reasoning_content, refusal, tool_call_id, calls] };
}

/** Whether a text is something that a person or a model wrote, as far as its looks and its place tell. */
export function isProse({ path, value }: LostText): boolean {
  return typeof value === 'string' && isProseText(value) && !INSTRUCTIONS.test(path);
}

/** How many characters of such texts stand in a value, also in JSON within texts. */
export function proseIn(value: unknown, path = ''): number {
  let length = 0;
  for (const each of soughtTexts(value, path)) {
    const inside = textInside(each);
    if (inside) length += proseIn(inside.value, inside.path);
    else if (isProse(each)) length += String(each.value).length;
  }
  return length;
}

/** Reports what of the words of a file its reader did not understand, as far as that is watched. */
export function* halfRead(
  file: SidecarEntries,
  format: TranscriptFormat | undefined,
  conversations: readonly ImportedConversation[],
  counts: ReadonlySet<unknown>,
): Steps<readonly Problem[]> {
  if (!isWatched(format)) return [];
  const entries = [...file.entries].filter(({ raw }) => raw === undefined);
  const unread = yield* lostOf([{ name: file.name, entries }], conversations, {
    counts,
    view: shownOf,
  });
  const texts = unread.filter(isProse);
  if (texts.length === 0) return [];
  return halfReadOf(
    texts,
    entries.reduce((sum, { value }) => sum + proseIn(value), 0),
    format,
  );
}

/** The report of words that stand in nothing that was made of a file, whose words have so many characters in all. */
export function halfReadOf(
  unread: readonly LostText[],
  all: number,
  format: TranscriptFormat | undefined,
): readonly Problem[] {
  const texts = unread.filter(isProse);
  const length = texts.reduce((sum, { value }) => sum + String(value).length, 0);
  const share = length / Math.max(all, length, 1);
  if (length === 0 || (format?.isOfTraces === true && share < ALLOWED_OF_TRACES)) return [];
  const percent = Math.max(1, Math.round(share * 100));
  const places = [...new Set(texts.map(({ path }) => placeOf(path)))];
  const more = places.length - MAX_PLACES;
  const named = `${places.slice(0, MAX_PLACES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const how = format?.isGeneral === true ? 'Read as plain messages' : 'Read as spans';
  return [
    {
      severity: 'warning',
      message: `${how}; ${percent} % of its text was not understood (${named}). It is kept as it was.`,
    },
  ];
}

/** A place in a file without the numbers of its line and of entries of lists, so that a kind of place is named once. */
function placeOf(path: string): string {
  const keys = path.replace(/^.*?line \d+\.?/, '').replace(/\[\d+\]/g, '[]');
  return keys === '' ? 'texts' : keys;
}
