import { isAllInjected } from '../../core/injected.js';
import { isObject } from '../../core/message.js';

/** A chat message as it may occur in practice: any JSON value in any field. */
export type UntypedMessage = Readonly<Record<string, unknown>>;

/** Where and when an item was recorded; all undefined for a bare chat message. */
export interface ItemOrigin {
  readonly run: string | undefined;
  readonly call: string | undefined;
  readonly parentCall: string | undefined;
  readonly agent: string | undefined;
  readonly depth: number | undefined;
  /** Milliseconds since 1970; undefined where the record has 0, which means unknown. */
  readonly time: number | undefined;
}

const NO_PLACE: ItemOrigin = {
  run: undefined,
  call: undefined,
  parentCall: undefined,
  agent: undefined,
  depth: undefined,
  time: undefined,
};

const NO_MESSAGE: UntypedMessage = Object.freeze({});

/**
 * The record around a message, or undefined where the item is a bare chat message. A record has a number `seq`
 * and no `role`; entries of a MessageAccumulator are records in this sense.
 */
export function envelopeOf(item: unknown): UntypedMessage | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  const loose = item as UntypedMessage;
  return loose.role === undefined && typeof loose.seq === 'number' ? loose : undefined;
}

/**
 * The message that an item is or carries; undefined for a record of another type. A value that is no object
 * counts as a message without fields, so that no item is missing from a count or an export.
 */
export function messageIn(item: unknown): UntypedMessage | undefined {
  if (typeof item !== 'object' || item === null) return NO_MESSAGE;
  const loose = item as UntypedMessage;
  if (loose.role !== undefined) return loose;
  if (Array.isArray(item)) return NO_MESSAGE;
  if (typeof loose.seq !== 'number') return loose;
  return isObject(loose.message) ? loose.message : undefined;
}

/** Where and when an item was recorded, as far as its record says. */
export function originOf(item: unknown): ItemOrigin {
  const envelope = envelopeOf(item);
  if (!envelope) return NO_PLACE;
  return {
    run: text(envelope.run),
    call: text(envelope.call),
    parentCall: text(envelope.parentCall),
    agent: text(envelope.agent),
    depth: typeof envelope.depth === 'number' ? envelope.depth : undefined,
    time: typeof envelope.time === 'number' && envelope.time > 0 ? envelope.time : undefined,
  };
}

/** What the role of a message without one is called. */
export const UNKNOWN_ROLE = 'unknown';

/** Who speaks where a tool put all of a message there that was sent in a person's name. */
export const INJECTED_ROLE = 'injected';

/**
 * Who speaks in an item: the role of its message, but `INJECTED_ROLE` for what a tool sent as a person; null for a message
 * without a role, undefined for an item without a message.
 */
export function speakerIn(item: unknown): string | null | undefined {
  const message = messageIn(item);
  if (!message) return undefined;
  if (typeof message.role !== 'string') return null;
  return message.role === 'user' && isAllInjected(item) ? INJECTED_ROLE : message.role;
}

/** The role of a message. */
export function roleOf(message: UntypedMessage): string {
  return typeof message.role === 'string' ? message.role : UNKNOWN_ROLE;
}

/** Whether a message with this role is a prompt: what a person says to an agent, or an agent to one that it dispatched. */
export function isPromptRole(role: unknown): boolean {
  return role === 'user' || role === 'human';
}

/** Whether an agent was given a prompt while it worked. */
export function isAbsorbed(record: UntypedMessage): boolean {
  return record.absorbed === true;
}

/** Whether a turn begins with a prompt in an entry call, and in an imported session a run: not with one that was absorbed. */
export function beginsTurn(facts: { readonly role?: unknown; readonly isAbsorbed?: boolean }): boolean {
  return isPromptRole(facts.role) && facts.isAbsorbed !== true;
}

/** The id of the call that a tool message answers (some frameworks put it in a list); '' where there is none. */
export function answeredIdOf({ tool_call_id, tool_call_ids }: UntypedMessage): string {
  const id = idOf(tool_call_id);
  return id === '' && Array.isArray(tool_call_ids) ? idOf(tool_call_ids[0]) : id;
}

/** An id as text: a number is converted, any other value that is no string gives ''. */
export function idOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : '';
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
