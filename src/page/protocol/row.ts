import * as v from 'valibot';
import type { InjectedKind } from '../../core/injected.js';
import type { TokenCount } from '../../query/numbers/tokens.js';
import type { Cost } from '../../core/cost.js';
import type { PlanEntry } from '../../query/numbers/deed.js';
import type { DiffLine } from '../../query/numbers/lineDiff.js';

export type { DiffLine, PlanEntry, TokenCount };

/** A whole number that is not negative. */
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** The number of agent colours; a `hue` is below it. */
export const HUES = 8;

/** The beginning of a text, and how much more there is. */
export interface CutText {
  readonly text: string;
  /** How many UTF-16 code units `text` leaves out. */
  readonly rest: number;
  /** The size of the whole text in UTF-8 bytes, where it is in a file of its own. */
  readonly spilledBytes?: number;
}

/** What every row says of its record. */
interface RowPosition {
  /** Stable within its transcript: rows are numbered in the order of their creation. */
  readonly id: number;
  /** The position of the row's record in the transcript. */
  readonly position: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly agent: string;
  readonly hue: number;
  readonly depth: number;
  /** What the person has noted about it. */
  readonly notes?: readonly RowNote[];
}

/** A note as a row shows it; a bookmark where its text is empty. */
export interface RowNote {
  readonly id: string;
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
}

/** The pictures of a content, by the index of their part; `shown`: whether the page may request the picture. */
export type RowImages = readonly {
  readonly part: number;
  readonly type: string;
  readonly characters: number;
  readonly shown: boolean;
}[];

/** The role of a message. */
export const role = v.picklist(['system', 'developer', 'user', 'assistant', 'tool']);
/** See `role`. */
export type Role = v.InferOutput<typeof role>;

/** What a tool put into a message: what that is, in order, and its words. */
export interface InjectedText {
  readonly of: readonly { readonly kind: InjectedKind; readonly by?: string }[];
  readonly text: CutText;
}

/** A row for a message. */
export interface MessageRow extends RowPosition {
  readonly kind: 'message';
  readonly role: Role;
  readonly name?: string;
  /** What the speaker says, without what a tool put there. */
  readonly body: CutText;
  /** True for what the agent was given while it worked. */
  readonly absorbed?: boolean;
  /** True for what the person let say something else than the conversation that this one goes on from. */
  readonly edited?: boolean;
  /** What a tool put into a person's message. */
  readonly injected?: InjectedText;
  readonly reasoning?: CutText;
  readonly refusal?: CutText;
  readonly images: RowImages;
  /** The types of content parts that cannot be shown. */
  readonly otherParts: readonly string[];
  /** What somebody wrote in them, as much as a row has room for. */
  readonly otherWords?: string;
  readonly model?: string;
  readonly tokens?: TokenCount;
  /** What the request cost, where anything is known of it. */
  readonly cost?: Cost;
  readonly durationMs?: number;
  readonly partial?: 'error' | 'cancelled' | 'length';
  /** True for a tool result without a call. */
  readonly orphan?: boolean;
}

/** How far a tool call or dispatch has come. */
export type StepState =
  | 'running'
  | 'done'
  | 'failed'
  | 'denied'
  | 'timedOut'
  | 'stopped'
  | 'open'
  | 'unanswered';

/** What the rows of tool calls and of dispatches have in common. */
interface StepFields extends RowPosition {
  /** Model and tokens of the request that asked for this step, where the row is the first of its reply. */
  readonly model?: string;
  readonly tokens?: TokenCount;
  readonly cost?: Cost;
  readonly state: StepState;
  /** Without the time for which a person was waited for, which is `waitedMs`. */
  readonly durationMs?: number;
  readonly waitedMs?: number;
  readonly result?: CutText;
  /** The id of the tool call, as the provider gave it. */
  readonly toolCallId: string;
  /** How the call was approved or denied, for a person, where it had to be asked for. */
  readonly approval?: {
    readonly approved: boolean;
    readonly text: string;
  };
}

/** What a call changes in a file: the lines of a diff, and how many more there are. */
export interface RowChange {
  /** As untrusted as the arguments; '' where they name none. */
  readonly path: string;
  readonly lines: readonly DiffLine[];
  readonly rest: number;
}

/** A row for a tool call and its result. */
export interface ToolRow extends StepFields {
  readonly kind: 'tool';
  readonly tool: string;
  /** The name to be shown where it is another: of a tool of a server, both names. */
  readonly name?: string;
  /** What the call does on one line, to be read at a glance. */
  readonly summary: string;
  /** What the model says that it is for. */
  readonly about?: string;
  /** How it ended or how much came of it, where that is worth a word. */
  readonly came?: string;
  /** The whole command line, where the row has room for it. */
  readonly script?: string;
  /** What it changes in files, a diff each. */
  readonly changes?: readonly RowChange[];
  /** The list of tasks that it writes. */
  readonly plan?: readonly PlanEntry[];
  /** The arguments that none of these tells, as JSON, where the row has room for them; without it, `arguments` are all. */
  readonly beside?: string;
  readonly arguments: CutText;
  /** Pictures of the result. */
  readonly images?: RowImages;
  /** The files that the arguments name, to be opened by index. */
  readonly files: readonly {
    readonly label: string;
  }[];
}

/** The totals of a dispatched call so far. */
export interface ChildCall {
  readonly rows: number;
  readonly messages: number;
  readonly toolCalls: number;
  readonly errors: number;
  readonly tokens?: TokenCount;
  /** What its own requests cost, and what they cost with those of the calls below it. */
  readonly cost: Cost;
  readonly wholeCost: Cost;
}

/** A row for a dispatch and its answer. */
export interface DispatchRow extends StepFields {
  readonly kind: 'dispatch';
  readonly target: string;
  readonly targetHue: number;
  readonly task: CutText;
  readonly refused?: string;
  readonly child?: ChildCall;
  /** The session in which the other agent can be asked again. */
  readonly session?: string;
  /** Whether the child's rows follow this row. */
  readonly expanded: boolean;
}

/** A row for anything else worth a line. */
export interface NoteRow extends RowPosition {
  readonly kind: 'note';
  readonly note: 'runStart' | 'callEnd' | 'runEnd' | 'approval' | 'error' | 'request' | 'title' | 'unknown';
  readonly level: 'plain' | 'good' | 'warning' | 'error';
  readonly text: string;
  /** True where the conversation goes on from another one here. */
  readonly goesOn?: boolean;
  readonly detail?: CutText;
  readonly durationMs?: number;
  readonly tokens?: TokenCount;
}

/** A row of the transcript panel's list. */
export type Row = MessageRow | ToolRow | DispatchRow | NoteRow;

/** A field of a row whose whole text can be requested. */
export const rowField = v.picklist([
  'body',
  'injected',
  'reasoning',
  'refusal',
  'arguments',
  'result',
  'task',
  'detail',
  'image',
]);
/** See `rowField`. */
export type RowField = v.InferOutput<typeof rowField>;
