import type { Injected } from './injected.js';
import type { ChatMessage } from './message.js';
import type { Usage } from './usage.js';

/** The call in which something happened, and where it stands in its run. */
export interface CallSite {
  readonly run: string;
  readonly call: string;
  /** The call that dispatched this one; absent for the entry call. */
  readonly parentCall?: string;
  readonly agent: string;
  /** 0 for the entry call, one more for each dispatch. */
  readonly depth: number;
}

/** The beginning of every record; on disk its keys come in the order seq, id, time, conversation, place, `type`, body. */
export interface RecordHeader extends CallSite {
  /** Consecutive, 1 for the conversation's first record; records are ordered by it, not by `time`. */
  readonly seq: number;
  readonly id: string;
  /** Milliseconds since 1970-01-01T00:00:00Z; 0 where it is unknown, as in a transcript that tells none. */
  readonly time: number;
  readonly conversation: string;
}

/** A large text kept in a file of its own; the record itself holds only its beginning. */
export interface SpillRef {
  /** Which text of the record was moved. */
  readonly field: 'content' | 'arguments' | 'reasoning';
  /** The index in `tool_calls`, where the field is `arguments`. */
  readonly index?: number;
  /** Relative to the store's folder, separated by `/`. */
  readonly path: string;
  /** Of the exact content, in UTF-8 bytes. */
  readonly bytes: number;
  /** Of the exact content, hexadecimal. */
  readonly sha256: string;
}

/** Why a message is incomplete. */
export type PartialReason = 'error' | 'cancelled' | 'length';

/** What may become of a tool call that does not come to its end as it should. */
export const CALL_STATES = ['failed', 'denied', 'cancelled', 'timedOut', 'open'] as const;
/** What became of a tool call that did not come to its end as it should. */
export type CallState = (typeof CALL_STATES)[number];

/** Where a conversation goes on from in another one, which stays as it is. */
export interface ForkPoint {
  readonly conversation: string;
  /** The last record that stands before: of the entry agent, or of the one call that this record is of. */
  readonly seq: number;
  /** The record up to there in whose place another one stands, which the conversation has itself. */
  readonly without?: number;
}

/** The ids by which a provider knows an answer: with the tool's name they say whose a usage is. */
export interface ProviderIds {
  /** Of the message, as `msg_…` or `resp_…`. */
  readonly message?: string;
  /** Of the request, as `req_…`. */
  readonly request?: string;
}

/** A chat-completions message: complete, or partial with the reason. */
export interface MessageBody {
  readonly type: 'message';
  readonly message: ChatMessage;
  /** For role assistant: the id of the model. */
  readonly model?: string;
  /** For role assistant: the usage of the request, as the provider reported it. */
  readonly usage?: Usage;
  /** For role tool: the tool that answered. */
  readonly toolName?: string;
  /** For role tool: how long the tool took. */
  readonly durationMs?: number;
  /** For role tool: whether the tool failed. */
  readonly isError?: boolean;
  /**
   * For role tool: missing for a call that came to its end, and for one of which `isError` alone says that it failed. `isError`
   * is true for `failed` and `timedOut`, and for others where their source says so.
   */
  readonly state?: CallState;
  readonly partial?: PartialReason;
  readonly spill?: readonly SpillRef[];
  /** Which parts of its text a tool put there, see `Injected`. */
  readonly injected?: readonly Injected[];
  readonly provider?: ProviderIds;
  /** Whether the session got it from the one that it was forked from; its usage is not this session's. */
  readonly inherited?: boolean;
  /** Whether a person changed what the conversation says that this one goes on from. */
  readonly edited?: boolean;
  /** For role user: whether the agent was given it while it worked; no run and no turn begins with it. */
  readonly absorbed?: boolean;
}

/**
 * What arrived of an answer since the piece before. The answer that follows in the same call replaces the pieces of the request
 * that was named last; pieces that no answer follows are its last words.
 */
export interface PieceBody {
  readonly type: 'piece';
  /** A name of the request, of its own within the call. */
  readonly request: string;
  readonly text?: string;
  readonly reasoning?: string;
  readonly toolCall?: ToolCallPiece;
}

/** What arrived of a tool call. */
export interface ToolCallPiece {
  /** Its number in the answer. */
  readonly index: number;
  readonly id?: string;
  readonly name?: string;
  /** Continues the text of its arguments. */
  readonly arguments?: string;
}

/** A call starts. At depth 0 this is the start of the run. */
export interface CallStartBody {
  readonly type: 'callStart';
  readonly task: string;
  readonly model: string;
  /** True where the model answers from a script. */
  readonly scripted?: boolean;
  readonly tools: readonly string[];
  /** About how many tokens the schema of each of `tools` is, as it is sent with every request of the call. */
  readonly toolTokens?: readonly number[];
  /** The specs of those of `tools` that differ from what the run told last of a tool of that name. */
  readonly schemas?: readonly RecordedTool[];
  /** What the agent's file says of how it is run, where it says anything. */
  readonly settings?: CallSettings;
  /** At depth 0, in the first run: where its conversation goes on from. */
  readonly from?: ForkPoint;
  /** At depth 0: the folder in which its agents work, absolute, where that is none of the workspace's. */
  readonly folder?: string;
  /** At depth 0: by which limits the run is ended, times in milliseconds, and how deep calls may nest. */
  readonly limits?: Readonly<Record<string, number>>;
  /** The parent's tool call that dispatched this call. */
  readonly toolCallId?: string;
}

/** A tool as a model is told of it, and whether several calls of one message ran at the same time. */
export interface RecordedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly parallel?: boolean;
}

/** How the file of an agent wants it to be run. */
export interface CallSettings {
  readonly effort?: string;
  readonly maxTurns?: number;
}

/** How a call ended; `limited`: one of its limits was reached. */
export type Outcome = 'done' | 'failed' | 'cancelled' | 'limited';

/** A call ended. At depth 0 this is the end of the run. */
export interface CallEndBody {
  readonly type: 'callEnd';
  readonly outcome: Outcome;
  /** A sentence; present unless the outcome is `done`. */
  readonly reason?: string;
  readonly durationMs: number;
  /** Tokens of this call's own requests. */
  readonly ownUsage: Usage;
  /** Tokens of this call and of all calls below it. */
  readonly totalUsage: Usage;
}

/** An agent asks another agent; recorded in the caller's call before the child's call starts. */
export interface DispatchBody {
  readonly type: 'dispatch';
  readonly target: string;
  readonly task: string;
  readonly toolCallId: string;
  /** The child's call; absent when the dispatch was refused. */
  readonly childCall?: string;
  /** Why the dispatch was refused. */
  readonly refused?: string;
}

/** One request to a model ended, successfully or not. A retry is a request of its own. */
export interface RequestBody {
  readonly type: 'request';
  readonly model: string;
  readonly endpoint: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly durationMs: number;
  readonly firstTokenMs?: number;
  readonly finishReason?: string;
  readonly usage?: Usage;
  readonly error?: Failure;
  /** The text received before a request failed that was then retried; it never becomes part of the history. */
  readonly superseded?: string;
  /** How much arrived of that answer, in UTF-16 code units, where it was more than its text. */
  readonly received?: number;
  readonly provider?: ProviderIds;
  /** SHA-256 of the canonical JSON of what was sent, message by message, hexadecimal; see `RequestDigest`. */
  readonly digest?: string;
}

/**
 * Who or what decides on a tool call: a person; the policy, which includes what only looks; what the person allowed for the
 * rest of the session; an allow rule of the settings; a hook, as in sessions of other tools; or the end of the run.
 */
export type Decider = 'user' | 'policy' | 'remembered' | 'rule' | 'hook' | 'cancel';

/** A person or a rule approved or denied a tool call. */
export interface ApprovalBody {
  readonly type: 'approval';
  readonly toolName: string;
  readonly toolCallId: string;
  /** Exactly the text that was shown for approval. */
  readonly subject: string;
  readonly decision: 'approved' | 'denied';
  readonly decidedBy: Decider;
  /** The policy or rule that decided. */
  readonly rule?: string;
  /** What the person said about the decision. */
  readonly reason?: string;
  /** From the question to the decision. */
  readonly waitedMs: number;
}

/** A failure as data: a code for programs and a message for people. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  /** The HTTP status, where there was one. */
  readonly status?: number;
}

/** Something failed outside of a model's answer or a tool's result. */
export interface ErrorBody {
  readonly type: 'error';
  readonly where: 'model' | 'tool' | 'runtime' | 'store' | 'limit';
  readonly error: Failure;
  /** For the code `compacted`: how many earlier messages are no longer sent, the oldest first. */
  readonly dropped?: number;
  /** For the code `compacted`: the tokens of the context before and after, where they are known. */
  readonly before?: number;
  readonly after?: number;
}

/** A person renamed the conversation. */
export interface TitleBody {
  readonly type: 'title';
  readonly title: string;
}

/** What happened: everything of a record but its header. */
export type RecordBody =
  | MessageBody
  | PieceBody
  | CallStartBody
  | CallEndBody
  | DispatchBody
  | RequestBody
  | ApprovalBody
  | ErrorBody
  | TitleBody;

/** The types of records that this version knows. */
export type RecordType = RecordBody['type'];

/** One event of a conversation: where and when it happened, and what it was. Frozen. */
export type LogRecord = RecordHeader & RecordBody;

/** A record of a type that only a later version knows; kept and shown as it is. */
export type UnknownRecord = RecordHeader & { readonly type: string; readonly [key: string]: unknown };

/** A record that carries a chat message. */
export type MessageRecord = RecordHeader & MessageBody;

/** What was said since the piece before, which is no record yet: its `seq` is that of the record before it. */
export type PieceRecord = RecordHeader & PieceBody;

/** What a caller passes to `record()`, which adds seq, id, time and conversation. */
export type RecordDraft = CallSite & RecordBody;

/** The same of what is being said. */
export type PieceDraft = CallSite & PieceBody;

/**
 * A draft of what happened at a place. Made at least once in every step of a loop, so the keys of the place are written
 * out: `{ run, call, ...body }` is far cheaper than `{ ...place, ...body }`.
 */
export function draftAt<Body extends RecordBody>(
  { run, call, parentCall, agent, depth }: CallSite,
  body: Body,
): CallSite & Body {
  return parentCall === undefined
    ? { run, call, agent, depth, ...body }
    : { run, call, parentCall, agent, depth, ...body };
}

/** What every record begins with, of one that has more. */
export function headerOf(record: RecordHeader): RecordHeader {
  const { seq, id, time, conversation, run, call, parentCall, agent, depth } = record;
  const parent = parentCall !== undefined && { parentCall };
  return { seq, id, time, conversation, run, call, ...parent, agent, depth };
}

/** Whether a record carries a chat message. */
export function isMessageRecord(record: LogRecord | UnknownRecord): record is MessageRecord {
  return record.type === 'message';
}

/**
 * Whether a title was made by an import of an earlier version, which ended each conversation with one: nobody gave it, and
 * nothing was renamed.
 */
export function isInventedTitle({ id, type }: Pick<LogRecord | UnknownRecord, 'id' | 'type'>): boolean {
  return type === 'title' && id.endsWith('-title');
}
