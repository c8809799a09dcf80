import { someTime } from '../../../query/numbers/requestPairing.js';
import { STOPPED_WORDS } from '../../../core/cancelled.js';
import { inLanguage, message, t, type Message } from '../../../core/l10n.js';
import type { Row, MessageRow, NoteRow } from '../../protocol/row.js';
import { ROW } from './rowIndex.js';
import type { RowSources } from './rowSources.js';
import { dispatchRow, toolRow, type RowContext, decisionOf } from './stepRow.js';
import { injectedOf, injectedWords } from '../../../core/injected.js';
import { isObject, textOf } from '../../../core/message.js';
import { proseOfPart } from '../../../core/prose.js';
import { isAbsorbed, messageIn, type UntypedMessage } from '../../../query/numbers/transcriptItem.js';
import { compactionOf, droppedMessages } from '../../../query/numbers/context/compaction.js';
import { clipName, numberOr, textOr } from '../../../query/numbers/values.js';
import { imageUrlOf, MAX_PARTS, partsOf, cutField, fieldOf } from './rowFields.js';
import { imagesOf } from './rowImages.js';
import { MAX_BODY, MAX_FIELD, requestFacts, rowPosition } from './rowPosition.js';
import type { UnknownRecord } from '../../../core/record.js';
import { firstCodePoints, preview, singleLine } from '../../../core/text.js';
import { reasonOf, type CallNode } from '../../../query/numbers/callTree.js';
import { formatDuration } from '../../../core/duration.js';
import { tokensOf } from '../../../query/numbers/tokens.js';
import { isFailedRecord } from '../../../query/numbers/failures.js';

/** How much of what parts of unknown kinds say a row shows, in code points. */
const MAX_OTHER_WORDS = 2_000;

/** So many waits between tries are told. */
const MAX_WAITS = 5;

/** Builds a row from its records, with its texts cut. */
export function buildRow(sources: RowSources, context: RowContext): Row {
  switch (sources.kind) {
    case ROW.message:
      return messageRow(sources, context);
    case ROW.tool:
      return toolRow(sources, context);
    case ROW.dispatch:
      return dispatchRow(sources, context);
    default:
      return noteRow(sources);
  }
}

const ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool']);
const PARTIAL: ReadonlySet<unknown> = new Set(['error', 'cancelled', 'length']);

/** The row of a chat message; its tool calls have rows of their own. */
function messageRow(sources: RowSources, context: RowContext): MessageRow {
  const { record, request } = sources;
  const message = messageIn(record) ?? {};
  const parts = partsOf(message).slice(0, MAX_PARTS);
  const name = clipName(message.role === 'tool' ? (message.name ?? record.toolName) : message.name);
  // No model answers in no time: an importer that knew of none wrote so.
  const durationMs = numberOr(record.durationMs) ?? someTime(numberOr(request?.durationMs));
  return {
    kind: 'message',
    ...rowPosition(sources),
    role: roleOf(message),
    ...(name !== '' && { name }),
    body: cutField(fieldOf(sources, 'body'), MAX_BODY),
    ...(isAbsorbed(record) && { absorbed: true }),
    ...(record.edited === true && { edited: true }),
    ...injectedIn(sources),
    ...optionalTexts(sources, message),
    images: imagesOf(record),
    otherParts: parts.flatMap(otherPartOf),
    ...otherWordsOf(parts),
    ...requestFacts(sources, context),
    ...(durationMs !== undefined && { durationMs }),
    ...(PARTIAL.has(record.partial) && { partial: record.partial as 'error' }),
    ...(message.role === 'tool' && { orphan: true }),
  };
}

/** The role of a message; an unknown one is shown like a user's. */
function roleOf(message: UntypedMessage): MessageRow['role'] {
  return ROLES.has(message.role) ? (message.role as MessageRow['role']) : 'user';
}

/** What a tool put into a message: in one text, with the words for what it is. */
function injectedIn(sources: RowSources): Pick<MessageRow, 'injected'> {
  const words = injectedWords(textOf(messageIn(sources.record)?.content), injectedOf(sources.record));
  if (words.length === 0) return {};
  const of = words
    .slice(0, MAX_PARTS)
    .map(({ kind, by }) => ({ kind, ...(by !== undefined && { by: clipName(by) }) }));
  return { injected: { of, text: cutField(fieldOf(sources, 'injected'), MAX_FIELD) } };
}

function optionalTexts(sources: RowSources, message: UntypedMessage) {
  return {
    ...(textOr(message.reasoning_content) !== '' && {
      reasoning: cutField(fieldOf(sources, 'reasoning'), MAX_FIELD),
    }),
    ...(textOr(message.refusal) !== '' && { refusal: cutField(fieldOf(sources, 'refusal'), MAX_FIELD) }),
  };
}

function otherPartOf(part: unknown): string[] {
  if (isObject(part) && (part.type === 'text' || imageUrlOf(part) !== undefined)) return [];
  return [(isObject(part) && clipName(part.type)) || 'unknown'];
}

/** What was said in parts that cannot be shown. */
function otherWordsOf(parts: readonly unknown[]): Pick<MessageRow, 'otherWords'> {
  const words = parts.map(proseOfPart).filter((said) => said !== '');
  return words.length === 0 ? {} : { otherWords: preview(words.join('\n'), MAX_OTHER_WORDS) };
}

type Note = Pick<NoteRow, 'note' | 'level' | 'text' | 'goesOn'>;

/** The one-line row of a record without a message. */
function noteRow(sources: RowSources): NoteRow {
  const { record } = sources;
  const detail = fieldOf(sources, 'detail');
  const duration = numberOr(record.durationMs ?? record.waitedMs);
  const tokens = tokensOf(record.totalUsage);
  return {
    kind: 'note',
    ...rowPosition(sources),
    ...wording(sources),
    ...(detail.text !== '' && { detail: cutField(detail, MAX_FIELD) }),
    ...(duration !== undefined && { durationMs: duration }),
    ...(tokens && { tokens }),
  };
}

function wording({ record, call, ofFailure = [] }: RowSources): Note {
  switch (record.type) {
    case 'callStart':
      return runStart(record, call);
    case 'callEnd':
      return callEnd(record, call);
    case 'approval': {
      const level = record.decision === 'approved' ? 'good' : 'warning';
      return { note: 'approval', level, text: `${decisionOf(record)} · ${clipName(record.toolName)}` };
    }
    case 'error':
    case 'request':
      return failing([record, ...ofFailure]);
    case 'title':
      return { note: 'title', level: 'plain', text: t`Renamed to “${clipName(record.title)}”` };
    // What an import kept of a file because it is no message; the other tool's own word tells what it is.
    case 'imported': {
      const compacted = compactionWords(record);
      if (compacted !== undefined) return { note: 'unknown', level: 'plain', text: compacted };
      const kind = clipName(record.kind);
      const what = kind === '' || kind === 'unknown' ? t`Imported as it was` : t`Imported as it was: ${kind}`;
      const text = [what, glanceAt(record.value)].filter((words) => words !== '').join(' · ');
      return { note: 'unknown', level: 'plain', text };
    }
    default: {
      const text = t`A record of type “${clipName(record.type)}” that this version does not know`;
      return { note: 'unknown', level: 'plain', text };
    }
  }
}

/** That what was said before is no longer sent; undefined for a record of anything else. */
function compactionWords(record: UnknownRecord): string | undefined {
  const told = compactionOf(record);
  if (!told) return undefined;
  const { before, after } = told;
  const messages = droppedMessages(told);
  const count = (value: number | undefined) => value?.toLocaleString('en') ?? '?';
  const facts = [
    before === undefined && after === undefined ? '' : t`${count(before)} → ${count(after)} tokens`,
    messages === undefined ? '' : t`${count(messages)} messages no longer sent`,
  ].filter((fact) => fact !== '');
  return facts.length === 0 ? t`compacted` : t`compacted: ${facts.join(', ')}`;
}

/** How much is shown of a value that no reader knows: this many fields among the first, and code points of each. */
const GLANCE_FIELDS = 4;
const GLANCE_OF = 60;
const GLANCE_LENGTH = 40;

/** The first facts of a value, so that rows of one kind can be told apart; '' where it has none. */
function glanceAt(value: unknown, depth = 0): string {
  const short = (said: unknown): string =>
    singleLine(firstCodePoints(typeof said === 'string' ? said : JSON.stringify(said), GLANCE_LENGTH)).trim();
  if (typeof value === 'string') return short(value);
  if (!isObject(value) || depth > 2) return '';
  const fields = Object.entries(value).slice(0, GLANCE_OF);
  const facts = fields.filter(
    ([, each]) => (typeof each === 'string' && each.trim() !== '') || typeof each === 'number',
  );
  const inner = fields.find(([, each]) => isObject(each))?.[1];
  // What an envelope holds says more than its id and its time.
  if (facts.length < 2 && inner !== undefined) return glanceAt(inner, depth + 1);
  return facts
    .slice(0, GLANCE_FIELDS)
    .map(([key, each]) => `${clipName(key)}: ${short(each)}`)
    .join(', ');
}

function runStart({ model, scripted, from }: UnknownRecord, { run, agent }: CallNode): Note {
  const goesOn = isObject(from)
    ? t`goes on from message ${numberOr(from.seq) ?? 0} of another conversation`
    : '';
  const words = [
    t`Run ${run}`,
    clipName(agent),
    clipName(model),
    scripted === true ? 'scripted' : '',
    goesOn,
  ];
  const text = words.filter((word) => word !== '').join(' · ');
  return { note: 'runStart', level: 'plain', text, ...(goesOn !== '' && { goesOn: true }) };
}

const ENDINGS = new Map<unknown, { readonly level: Note['level']; readonly text: Message }>([
  ['done', { level: 'good', text: message`finished` }],
  ['failed', { level: 'error', text: message`failed` }],
  ['cancelled', { level: 'warning', text: message`was stopped` }],
  ['limited', { level: 'warning', text: message`hit a limit` }],
]);

function callEnd({ outcome, reason }: UnknownRecord, { parent, run, lastError }: CallNode): Note {
  const { level, text } = ENDINGS.get(outcome) ?? { level: 'plain', text: message`ended` };
  const why = reasonOf(textOr(reason));
  // The row of the error stands above and says it, so it is not said again.
  const isSaid = why === lastError || (outcome === 'cancelled' && why === STOPPED_WORDS);
  const rest = why === '' || isSaid ? '' : `: ${firstCodePoints(textOr(reason), MAX_FIELD)}`;
  const isRun = parent === undefined;
  return {
    note: isRun ? 'runEnd' : 'callEnd',
    level,
    text: `${isRun ? t`Run ${run}` : t`This call`} ${inLanguage(text)}${rest}`,
  };
}

/**
 * The words of a failing model: of its requests and the error that ended them. What several say alike is said once, as the
 * last of them says it.
 */
function failing(records: readonly UnknownRecord[]): Note {
  const isError = records.some(({ type }) => type === 'error');
  if (!records.some((record) => isFailedRecord(record))) {
    return { note: isError ? 'error' : 'request', level: 'warning', text: t`Stopped` };
  }
  const said = new Map<string, string>();
  for (const record of records) {
    const words = failureText(record.error);
    said.delete(words);
    const text =
      record.type === 'error'
        ? errorText(record)
        : t`Request ${numberOr(record.attempt) ?? 1} failed: ${words}`;
    said.set(words, text);
  }
  const text = `${triesIn(records)}${[...said.values()].join(' · ')}`;
  return isError ? { note: 'error', level: 'error', text } : { note: 'request', level: 'warning', text };
}

/** How often a model was asked, how long that took, and how long was waited in between; '' where it was asked once. */
function triesIn(records: readonly UnknownRecord[]): string {
  const tries = records.filter(({ type }) => type === 'request');
  if (tries.length < 2) return '';
  const spans = tries.flatMap(({ time, durationMs }) => {
    const [end, ms] = [numberOr(time) ?? 0, numberOr(durationMs) ?? 0];
    return end > 0 ? [{ start: end - ms, end }] : [];
  });
  const [first, last] = [spans[0], spans.at(-1)];
  const waits = spans
    .slice(1)
    .map(({ start }, at) => start - (spans[at]?.end ?? start))
    .filter((ms) => ms > 0);
  if (!first || !last || last.end <= first.start) return t`Tried ${tries.length} times: `;
  const took = formatDuration(last.end - first.start);
  if (waits.length === 0) return t`Tried ${tries.length} times in ${took}: `;
  const shown = waits.slice(0, MAX_WAITS).map(formatDuration).join(', ');
  const more = waits.length > MAX_WAITS ? ', …' : '';
  return t`Tried ${tries.length} times in ${took}, waited ${shown}${more}: `;
}

function errorText({ where, error }: UnknownRecord): string {
  const place = clipName(where);
  const what = place === '' ? 'Error' : t`${place.slice(0, 1).toUpperCase()}${place.slice(1)} error`;
  return `${what}: ${failureText(error)}`;
}

function failureText(error: unknown): string {
  const { message, code, status } = isObject(error) ? error : {};
  const facts = [clipName(code), numberOr(status)].filter((fact) => fact !== '' && fact !== undefined);
  const text = firstCodePoints(textOr(message), MAX_FIELD) || t`no words were given`;
  return facts.length > 0 ? `${text} (${facts.join(', ')})` : text;
}
