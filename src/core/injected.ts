import { isObject, textOf } from './message.js';

/** What a tool put into a text that a person sent, or that was sent in a person's name. The same words for every tool. */
export const INJECTED_KINDS = [
  'instructions',
  'environment',
  'context',
  'reminder',
  'command',
  'output',
  'notification',
  'agent',
  'hook',
  'summary',
  'interruption',
] as const;

/** One of `INJECTED_KINDS`; `command` is the envelope around what a person chose, `agent` the words of another agent. */
export type InjectedKind = (typeof INJECTED_KINDS)[number];

/** A part of the text of a message (`textOf(content)`) that a tool put there. */
export interface Injected {
  /** Where it begins, and where it ends (exclusive), in UTF-16 code units of the text. */
  readonly from: number;
  readonly to: number;
  readonly kind: InjectedKind;
  /** The agent or program that speaks, where one does. */
  readonly by?: string;
}

const KINDS: ReadonlySet<unknown> = new Set(INJECTED_KINDS);

const NONE: readonly Injected[] = [];

/**
 * What a record says a tool put into its text, in order and without overlaps; what does not have that shape is left out,
 * because a journal may come from elsewhere. Empty for bare messages.
 */
export function injectedOf(record: unknown): readonly Injected[] {
  if (!isObject(record) || !Array.isArray(record.injected)) return NONE;
  const spans: Injected[] = [];
  let end = 0;
  for (const span of record.injected as unknown[]) {
    if (!isObject(span) || !KINDS.has(span.kind)) continue;
    const { from, to, by } = span;
    if (!isPlace(from) || !isPlace(to) || from < end || to <= from) continue;
    const kind = span.kind as InjectedKind;
    spans.push(typeof by === 'string' && by !== '' ? { from, to, kind, by } : { from, to, kind });
    end = to;
  }
  return spans;
}

/** The text of a record's message without what a tool put there: the words of whoever is said to speak. */
export function ownTextOf(record: unknown): string {
  if (!isObject(record)) return '';
  const message = isObject(record.message) ? record.message : record;
  const { text, spans } = inParts(message.content, injectedOf(record));
  return withoutInjected(text, spans);
}

/**
 * The text of a content as it is read: parts that were sent apart stand on lines of their own, where neither ends nor begins
 * with a space. The spans are those of `textOf`, and become those of this text.
 */
export function inParts(
  content: unknown,
  spans: readonly Injected[] = NONE,
): { readonly text: string; readonly spans: readonly Injected[] } {
  if (!Array.isArray(content)) return { text: textOf(content), spans };
  let text = '';
  let last = '';
  // Where a line was begun, in the text as it was sent.
  const begun: number[] = [];
  for (const part of content as unknown[]) {
    const said = textOf([part]);
    if (said === '') continue;
    if (/\S/.test(last) && /^\S/.test(said)) {
      begun.push(text.length - begun.length);
      text += '\n';
    }
    text += said;
    last = said.slice(-1);
  }
  if (begun.length === 0) return { text, spans };
  let before = 0;
  const moved = spans.map((span) => {
    while ((begun[before] ?? Infinity) <= span.from) before++;
    const from = span.from + before;
    while ((begun[before] ?? Infinity) < span.to) before++;
    return { ...span, from, to: span.to + before };
  });
  return { text, spans: moved };
}

/** What a record's message can be called by: its own words, but not the command that a person chose, which sets something. */
export function titleTextOf(record: unknown): string {
  return injectedOf(record).some(({ kind }) => kind === 'command') ? '' : ownTextOf(record);
}

/**
 * A text without these parts. What was apart stays apart; the words in one envelope, as a command and its arguments, stand on a
 * line.
 */
export function withoutInjected(text: string, spans: readonly Injected[]): string {
  if (spans.length === 0) return text;
  let own = '';
  let at = 0;
  let gap = '';
  const add = (part: string) => {
    if (part.trim() === '') return;
    own += own === '' ? part.trim() : `${gap}${part.trim()}`;
    gap = '';
  };
  for (const { from, to, kind } of spans) {
    add(text.slice(at, from));
    gap = kind === 'command' && gap !== '\n\n' ? ' ' : '\n\n';
    at = to;
  }
  add(text.slice(at));
  return own;
}

/** Words that a tool put into a text, to be shown beside it. */
export interface InjectedWords {
  readonly kind: InjectedKind;
  readonly by?: string;
  readonly text: string;
}

/** What a tool put into a text, without the tags around it; nothing for what is only an envelope. */
export function injectedWords(text: string, spans: readonly Injected[]): readonly InjectedWords[] {
  return spans.flatMap(({ from, to, kind, by }) => {
    const words = withoutTags(text.slice(from, to), kind);
    const isEnvelope = kind === 'command' || /^(?:<[^<>]*>\s*)*$/.test(words);
    return isEnvelope ? [] : [{ kind, ...(by !== undefined && { by }), text: words }];
  });
}

/** A text without the element around all of it, and without the line before that which says whose it is; of what a command printed, its tool wrote entities for the characters of tags. */
function withoutTags(text: string, kind: InjectedKind): string {
  const whole = text.trim().replace(kind === 'agent' ? /^[A-Z][^\n<]*:\s*(?=<)/ : '', '');
  const [, , inner = whole] = /^<([A-Za-z][\w-]*)(?:\s(?:[^<>"]|"[^"<]*")*)?>([^]*)<\/\1>$/.exec(whole) ?? [];
  const rest = inner.replace(/^\s*\n/, '').trimEnd();
  return kind === 'output'
    ? rest.replace(/&(amp|lt|gt|quot);/g, (_, name: string) => ENTITIES[name] ?? '')
    : rest;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/** Whether a tool put all of a message there that is sent in a person's name: no word and no picture of it is that person's. */
export function isAllInjected(record: unknown): boolean {
  const spans = injectedOf(record);
  if (spans.length === 0 || !isObject(record) || !isObject(record.message)) return false;
  const { role, content } = record.message;
  if (role !== 'user' || withoutInjected(textOf(content), spans) !== '') return false;
  return !Array.isArray(content) || content.every((part) => isObject(part) && part.type === 'text');
}

function isPlace(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
