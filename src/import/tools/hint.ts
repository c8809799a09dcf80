import { isObject } from '../../core/message.js';
import type { ContextFill, LifeSign, QuotaReading, SessionEnd } from './life.js';

export type { SessionEnd } from './life.js';

/** What one value of a session's file tells of the session; what it does not tell is undefined. */
export interface SessionHint {
  /** What the tool itself calls it. */
  readonly id?: string | undefined;
  /** A title that a person gave it; of several the last holds. */
  readonly named?: string | undefined;
  /** One that the tool made of it; of several the last holds. */
  readonly made?: string | undefined;
  /** What the tool sums it up as; of several the first holds. */
  readonly summary?: string | undefined;
  /** What a person asked; the first is the title where there is no other. */
  readonly prompt?: string | undefined;
  /** The folder in which it was held, absolute. */
  readonly workspace?: string | undefined;
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  readonly end?: SessionEnd | undefined;
  /** What it says of what the session does, where that is more than `end` tells; none where it says nothing of it. */
  readonly life?: readonly LifeSign[];
  readonly context?: ContextFill | undefined;
  readonly quotas?: readonly QuotaReading[];
  /** How many messages it stands for. */
  readonly messages?: number;
  /** Whether what is read of it may be one message with what stands before it. */
  readonly isUncertain?: boolean;
  /** What the values of one message have in common; undefined where each value is its own. */
  readonly message?: string | undefined;
}

/** An object in a file. */
export type Fields = Readonly<Record<string, unknown>>;
/** Tells what a value of a session of one tool tells of it. */
export type HintsOf = (value: Fields) => SessionHint | undefined;

/** The words of a content of any of the usual shapes. */
export function spoken(content: unknown): string | undefined {
  const all =
    typeof content === 'string'
      ? content
      : parts(content)
          .map((part) => text(part.text) ?? '')
          .join('');
  return all === '' ? undefined : all;
}

/** Whether a content has a part of a type. */
export function has(content: unknown, type: string): boolean {
  return parts(content).some((part) => part.type === type);
}

/** Tools by which a model asks a person, or waits for what that person says of a plan. */
const ASKING =
  /(?:^|__|\.)(?:vscode_)?(?:ask_?(?:user|human|followup|the_user)?_?questions?|ask_?(?:user|human)|request_?user_?input|exit_?plan_?mode|plan_mode_respond|question)$/i;

/** Whether a tool of this name asks a person. */
export function isAsking(name: unknown): boolean {
  return ASKING.test(text(name) ?? '');
}

/** What an answer ends with, by the names of the tools that it calls. */
export function endOfCalls(names: readonly unknown[]): SessionEnd {
  if (names.length === 0) return 'answer';
  return names.some(isAsking) ? 'question' : 'call';
}

/** The names of the tools that the parts of a type call. */
export function namesIn(content: unknown, type: string): readonly unknown[] {
  return parts(content)
    .filter((part) => part.type === type)
    .map((part) => part.name);
}

/** The objects in a list; none where it is none. */
export function parts(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The fields of an object; none of anything else. */
export function fields(value: unknown): Fields {
  return isObject(value) ? value : {};
}

/** A text that is not empty. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** What a value tells that is a message with a role and a content, or a line before these that tells of the session. */
export function chatLogHint(value: Fields): SessionHint | undefined {
  const { role, content, kind, data } = value;
  // Kiro puts each message into an object that says what it is.
  if (kind === 'Prompt') return { messages: 1, prompt: saidIn(fields(data).content), end: 'prompt' };
  if (kind === 'AssistantMessage') return { messages: 1, end: 'answer' };
  if (kind === 'ToolResults') return { messages: 1, end: 'call' };
  if (role === 'user') return { messages: 1, prompt: spoken(content), end: 'prompt' };
  if (role === 'tool') return { messages: 1, end: 'call' };
  if (role === 'assistant')
    return {
      messages: 1,
      model: text(value.model),
      end: parts(value.tool_calls).length > 0 ? 'call' : 'answer',
    };
  return { model: text(value.model), workspace: text(value.cwd), named: text(value.title) };
}

/** The words of Kiro's parts. */
function saidIn(content: unknown): string | undefined {
  return text(
    parts(content)
      .map(({ data }) => text(data) ?? '')
      .join(''),
  );
}
