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
  return withoutInjected(textOf(message.content), injectedOf(record));
}

/** A text without these parts, and without the blank lines that stood between. */
export function withoutInjected(text: string, spans: readonly Injected[]): string {
  if (spans.length === 0) return text;
  const parts: string[] = [];
  let at = 0;
  for (const { from, to } of spans) {
    parts.push(text.slice(at, from).trim());
    at = to;
  }
  parts.push(text.slice(at).trim());
  return parts.filter((part) => part !== '').join('\n\n');
}

function isPlace(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
