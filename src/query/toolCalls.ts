import { isObject } from '../core/message.js';
import { compactJson } from './jsonText.js';
import { idOf, type LooseMessage } from './queryItem.js';

/** A tool call of an assistant message as it may really come. */
export interface LooseCall {
  /** '' where it has none. */
  readonly id: string;
  readonly name: string;
  /** The JSON text of the arguments, or the value itself where an endpoint gives one. */
  readonly input: unknown;
}

const NONE: readonly never[] = [];

/** The calls that an assistant message makes, in order. What has no name calls nothing and is left out. */
export function callsOf(message: LooseMessage): readonly LooseCall[] {
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

/** Visits id and name of each call that `callsOf` would give. */
export function eachCall(message: LooseMessage, visit: (id: string, name: string) => void): void {
  for (const entry of entriesOf(message)) {
    const name = nameOf(specOf(entry));
    if (name !== '') visit(isObject(entry) ? idOf(entry.id) : '', name);
  }
}

/** Whether an assistant message calls one of these tools; a call without a name calls none. */
export function callsOneOf(message: LooseMessage, names: ReadonlySet<string>): boolean {
  for (const entry of entriesOf(message)) {
    const name = nameOf(specOf(entry));
    if (name !== '' && names.has(name)) return true;
  }
  return false;
}

/** Whether an assistant message makes a call under one of these ids. */
export function callsUnder(message: LooseMessage, ids: Pick<ReadonlySet<string>, 'has'>): boolean {
  for (const entry of entriesOf(message)) {
    if (isObject(entry) && ids.has(idOf(entry.id)) && nameOf(specOf(entry)) !== '') return true;
  }
  return false;
}

function entriesOf(message: LooseMessage): readonly unknown[] {
  return message.role === 'assistant' && Array.isArray(message.tool_calls) ? message.tool_calls : NONE;
}

/** Where name and arguments stand: in `function`, or beside the id in older shapes. */
function specOf(entry: unknown): LooseMessage | undefined {
  if (!isObject(entry)) return undefined;
  if (entry.function === undefined) return entry;
  return isObject(entry.function) ? entry.function : undefined;
}

function nameOf(spec: LooseMessage | undefined): string {
  return typeof spec?.name === 'string' ? spec.name : '';
}

/** Arguments as an object: what is no JSON object is `{}`, see `rawArgumentsOf` for what was really written. */
export function argumentsOf(input: unknown): Readonly<Record<string, unknown>> {
  if (isObject(input)) return input;
  if (typeof input !== 'string') return {};
  try {
    const value: unknown = JSON.parse(input);
    return isObject(value) ? value : {};
  } catch {
    // Models do write arguments that are no JSON; the raw text is kept beside this.
    return {};
  }
}

/** Arguments exactly as the model wrote them; JSON text where the endpoint gave a value, '' where nothing. */
export function rawArgumentsOf(input: unknown): string {
  if (typeof input === 'string') return input;
  return input === undefined || input === null ? '' : compactJson(input);
}

/** The name that a tool result gives itself: the message's own, else its record's; '' without one. */
export function resultNameOf(message: LooseMessage, envelope: LooseMessage | undefined): string {
  if (typeof message.name === 'string' && message.name !== '') return message.name;
  return typeof envelope?.toolName === 'string' ? envelope.toolName : '';
}
