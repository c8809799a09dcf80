import type { ChatMessage } from './message.js';
import type { Usage } from './usage.js';

/** Where in a team something happened. */
export interface CallPlace {
  readonly run: string;
  readonly call: string;
  /** The call that dispatched this one; absent for the entry call. */
  readonly parentCall?: string;
  readonly agent: string;
  /** 0 for the entry call, one more for each dispatch. */
  readonly depth: number;
}

/** What every record begins with, on disk in this order of keys, followed by `type` and the body. */
export interface RecordHeader extends CallPlace {
  /** 1 for the conversation's first record, then without a gap; this, not `time`, is the order. */
  readonly seq: number;
  readonly id: string;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly time: number;
  readonly conversation: string;
}

/** A large text kept in a file of its own; the record itself holds only its beginning. */
export interface SpillRef {
  /** Which text of the record was moved out. */
  readonly field: 'content' | 'arguments' | 'reasoning';
  /** The index in `tool_calls` where the field is `arguments`. */
  readonly index?: number;
  /** Relative to the store's folder, with `/`; never absolute. */
  readonly path: string;
  /** Of the exact content, in UTF-8 bytes. */
  readonly bytes: number;
  /** Of the exact content, hexadecimal. */
  readonly sha256: string;
}

/** Why a message is not the whole of what would have been said. */
export type PartialReason = 'error' | 'cancelled' | 'length';

/** A chat-completions message, final as the model or tool gave it, or partial with the reason. */
export interface MessageBody {
  readonly type: 'message';
  readonly message: ChatMessage;
  /** For role assistant: the model that said it. */
  readonly model?: string;
  /** For role assistant: what the provider said the request cost. */
  readonly usage?: Usage;
  /** For role tool: which tool answered, how long it took and whether it failed. */
  readonly toolName?: string;
  readonly durationMs?: number;
  readonly isError?: boolean;
  readonly partial?: PartialReason;
  readonly spill?: readonly SpillRef[];
}

/** A call begins. At depth 0 this is the begin of the run. */
export interface CallStartBody {
  readonly type: 'callStart';
  readonly task: string;
  readonly model: string;
  /** True where the model answers from a script. */
  readonly scripted?: boolean;
  readonly tools: readonly string[];
  /** The parent's tool call that dispatched this call. */
  readonly toolCallId?: string;
}

export type Outcome = 'done' | 'failed' | 'cancelled' | 'limited';

/** A call ended. At depth 0 this is the end of the run. */
export interface CallEndBody {
  readonly type: 'callEnd';
  readonly outcome: Outcome;
  /** In words; present unless the outcome is `done`. */
  readonly reason?: string;
  readonly durationMs: number;
  /** Tokens of this call alone. */
  readonly ownUsage: Usage;
  /** Tokens of this call and of all it dispatched. */
  readonly totalUsage: Usage;
}

/** The agent asks another agent; recorded by the caller before the child's call starts. */
export interface DispatchBody {
  readonly type: 'dispatch';
  readonly target: string;
  readonly task: string;
  readonly toolCallId: string;
  /** The child's call; absent when the dispatch was refused. */
  readonly childCall?: string;
  readonly refused?: string;
}

/** One request to a model ended, well or not. Retries are requests of their own. */
export interface RequestBody {
  readonly type: 'request';
  readonly model: string;
  readonly endpoint: string;
  /** 1 for the first try. */
  readonly attempt: number;
  readonly durationMs: number;
  readonly firstTokenMs?: number;
  readonly finishReason?: string;
  readonly usage?: Usage;
  readonly error?: Failure;
  /** What the model had said when the request failed, where it was tried again: superseded, never sent on. */
  readonly superseded?: string;
}

/** Somebody, or a rule, allowed or refused a tool call. */
export interface ApprovalBody {
  readonly type: 'approval';
  readonly toolName: string;
  readonly toolCallId: string;
  /** Exactly what was asked for, as shown. */
  readonly subject: string;
  readonly decision: 'approved' | 'denied';
  readonly decidedBy: 'user' | 'policy' | 'remembered' | 'cancel';
  readonly rule?: string;
  readonly reason?: string;
  readonly waitedMs: number;
}

/** A failure as data: what happened in words, and a code to tell kinds apart. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly status?: number;
}

export interface ErrorBody {
  readonly type: 'error';
  readonly where: 'model' | 'tool' | 'runtime' | 'store' | 'limit';
  readonly error: Failure;
}

/** The conversation's title from here on, given by a person. */
export interface TitleBody {
  readonly type: 'title';
  readonly title: string;
}

export type RecordBody =
  | MessageBody
  | CallStartBody
  | CallEndBody
  | DispatchBody
  | RequestBody
  | ApprovalBody
  | ErrorBody
  | TitleBody;

export type RecordType = RecordBody['type'];

/** What is kept of one event: where and when it happened, and what it was. Frozen once it exists. */
export type LogRecord = RecordHeader & RecordBody;

/** A record of a later version whose type this version does not know; kept and shown as it is. */
export type UnknownRecord = RecordHeader & { readonly type: string; readonly [key: string]: unknown };

export type MessageRecord = RecordHeader & MessageBody;

/** What a caller hands to `record()`: everything but what only the recorder can know. */
export type RecordDraft = CallPlace & RecordBody;

/**
 * The draft of what happened at a place. Made at least once in every step of a loop, so the keys of the place are written
 * out: `{ run, call, ...body }` is far cheaper to make than `{ ...place, ...body }`.
 */
export function draftAt({ run, call, parentCall, agent, depth }: CallPlace, body: RecordBody): RecordDraft {
  return parentCall === undefined
    ? { run, call, agent, depth, ...body }
    : { run, call, parentCall, agent, depth, ...body };
}

/** Whether a record carries a chat message. */
export function isMessageRecord(record: LogRecord | UnknownRecord): record is MessageRecord {
  return record.type === 'message';
}
