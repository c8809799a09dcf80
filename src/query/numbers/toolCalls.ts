import { isObject } from '../../core/message.js';
import type { CallState } from '../../core/record.js';
import { compactJson, isDeeperThan, MAX_JSON_DEPTH } from './jsonText.js';
import { idOf, type UntypedMessage } from './transcriptItem.js';

/** A tool call as it may occur in practice. */
export interface LooseCall {
  /** '' where there is none. */
  readonly id: string;
  readonly name: string;
  /** The JSON text of the arguments, or the value itself where an endpoint gives one. */
  readonly input: unknown;
}

/** A tool call that a message made, as the items after it refer to it. */
export interface MadeCall {
  /** Its number among all tool calls of the transcript, from 0. */
  readonly number: number;
  readonly tool: string;
  /** The positions of the message that makes it and, once there is one, of the first result that answers it. */
  readonly askedAt: number;
  answeredAt: number | undefined;
  /** When it was made, in milliseconds since 1970; 0 where it is unknown. */
  readonly calledAt: number;
  /** How long a person has been waited for, in milliseconds. */
  waitedMs: number;
  /** Whether it dispatched an agent. */
  isDispatch: boolean;
  /** What became of it so far; one that nothing answers is open. */
  state: CallState | 'done';
  /** Which failures were told of it, as the bits that the transcript's reader gives them; 0 for none. */
  failed: number;
  /** The position of the record by which its failure is counted, where that is one of the agent that it dispatched. */
  failedAt?: number | undefined;
  /** The call of the agent that it dispatched, as far as its failure counts for it; undefined while none is known. */
  child?: { readonly failingSince?: number | undefined };
}

/** Longer arguments, in UTF-16 code units, are not parsed for what a view says of them. */
export const MAX_READ_ARGUMENTS = 20_000;

const NONE: readonly never[] = [];

/** The calls of an assistant message, in order; a call without a name is left out. */
export function callsOf(message: UntypedMessage): readonly LooseCall[] {
  const entries = entriesOf(message);
  if (entries.length === 0) return NONE;
  const calls: LooseCall[] = [];
  for (const entry of entries) {
    const spec = specOf(entry);
    const name = nameOf(spec);
    if (name !== '') calls.push({ id: isObject(entry) ? idOf(entry.id) : '', name, input: spec?.arguments });
  }
  return calls;
}

/** Visits the id and name of each call that `callsOf` would give, without building a list. */
export function eachCall(message: UntypedMessage, visit: (id: string, name: string) => void): void {
  for (const entry of entriesOf(message)) {
    const name = nameOf(specOf(entry));
    if (name !== '') visit(isObject(entry) ? idOf(entry.id) : '', name);
  }
}

/** Whether an assistant message calls one of these tools. */
export function callsOneOf(message: UntypedMessage, names: ReadonlySet<string>): boolean {
  for (const entry of entriesOf(message)) {
    const name = nameOf(specOf(entry));
    if (name !== '' && names.has(name)) return true;
  }
  return false;
}

/** Whether an assistant message has a call with one of these ids. */
export function callsUnder(message: UntypedMessage, ids: Pick<ReadonlySet<string>, 'has'>): boolean {
  for (const entry of entriesOf(message)) {
    if (isObject(entry) && ids.has(idOf(entry.id)) && nameOf(specOf(entry)) !== '') return true;
  }
  return false;
}

function entriesOf(message: UntypedMessage): readonly unknown[] {
  return message.role === 'assistant' && Array.isArray(message.tool_calls) ? message.tool_calls : NONE;
}

/** The object with name and arguments: `function`, or in older shapes the call itself. */
function specOf(entry: unknown): UntypedMessage | undefined {
  if (!isObject(entry)) return undefined;
  if (entry.function === undefined) return entry;
  return isObject(entry.function) ? entry.function : undefined;
}

function nameOf(spec: UntypedMessage | undefined): string {
  return typeof spec?.name === 'string' ? spec.name : '';
}

/**
 * Arguments as an object that can be written as JSON again; `{}` where they are no JSON object or nest deeper than
 * MAX_JSON_DEPTH, see `rawArgumentsOf` for what was written.
 */
export function argumentsOf(input: unknown): Readonly<Record<string, unknown>> {
  if (isObject(input)) return isDeeperThan(input, MAX_JSON_DEPTH) ? {} : input;
  // Without arguments, and where these are not told, the text is empty; an error for each would take long.
  if (typeof input !== 'string' || input === '') return {};
  try {
    const value: unknown = JSON.parse(input);
    return isObject(value) && !(mayBeDeep(input) && isDeeperThan(value, MAX_JSON_DEPTH)) ? value : {};
  } catch {
    // Models do write arguments that are not JSON; callers keep the raw text as well.
    return {};
  }
}

/** Whether a JSON text is long enough to nest too deep, each level taking at least its two brackets. */
function mayBeDeep(text: string): boolean {
  return text.length > 2 * MAX_JSON_DEPTH;
}

/** Arguments exactly as the model wrote them; as JSON where the endpoint gave a value, '' where it gave nothing. */
export function rawArgumentsOf(input: unknown): string {
  if (typeof input === 'string') return input;
  return input === undefined || input === null ? '' : compactJson(input);
}

/** The tool name that a result itself carries: the message's, else its record's, else ''. */
export function resultNameOf(message: UntypedMessage, envelope: UntypedMessage | undefined): string {
  if (typeof message.name === 'string' && message.name !== '') return message.name;
  return typeof envelope?.toolName === 'string' ? envelope.toolName : '';
}
