import * as v from 'valibot';

/** A whole number that is not negative. */
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const name = v.pipe(v.string(), v.maxLength(1_000));

/** The number of agent colours; a `hue` is below it. */
export const HUES = 8;

/** The beginning of a text, and how much more there is. */
const cutText = v.object({
  text: v.string(),
  /** How many UTF-16 code units `text` leaves out. */
  rest: count,
  /** The size of the whole text in UTF-8 bytes, where it is in a file of its own. */
  spilledBytes: v.exactOptional(count),
});
/** See `cutText`. */
export type CutText = v.InferOutput<typeof cutText>;

/** Tokens, as the provider reported them or, if `estimated`, counted locally. */
export const tokenCount = v.object({ input: count, output: count, estimated: v.boolean() });
/** See `tokenCount`. */
export type TokenCount = v.InferOutput<typeof tokenCount>;

const place = {
  /** Stable within its transcript: rows are numbered in the order of their creation. */
  id: count,
  /** The position of the row's record in the transcript. */
  position: count,
  /** Milliseconds since 1970. */
  time: v.number(),
  agent: name,
  hue: v.pipe(count, v.maxValue(HUES - 1)),
  depth: count,
};

/** The pictures of a content, by the index of their part; `shown`: whether the page may request the picture. */
const images = v.array(v.object({ part: count, type: name, characters: count, shown: v.boolean() }));
/** See `images`. */
export type RowImages = v.InferOutput<typeof images>;

/** The role of a message. */
export const role = v.picklist(['system', 'developer', 'user', 'assistant', 'tool']);

const messageRow = v.object({
  kind: v.literal('message'),
  ...place,
  role,
  name: v.exactOptional(name),
  body: cutText,
  reasoning: v.exactOptional(cutText),
  refusal: v.exactOptional(cutText),
  images,
  /** The types of content parts that cannot be shown. */
  otherParts: v.array(name),
  model: v.exactOptional(name),
  tokens: v.exactOptional(tokenCount),
  durationMs: v.exactOptional(v.number()),
  partial: v.exactOptional(v.picklist(['error', 'cancelled', 'length'])),
  /** True for a tool result without a call. */
  orphan: v.exactOptional(v.boolean()),
});
/** A row for a message. */
export type MessageRow = v.InferOutput<typeof messageRow>;

const stepState = v.picklist(['running', 'done', 'failed', 'unanswered']);
/** How far a tool call or dispatch has come. */
export type StepState = v.InferOutput<typeof stepState>;

const step = {
  ...place,
  /** Model and tokens of the request that asked for this step, where the row is the first of its reply. */
  model: v.exactOptional(name),
  tokens: v.exactOptional(tokenCount),
  state: stepState,
  /** Without the time for which a person was waited for, which is `waitedMs`. */
  durationMs: v.exactOptional(v.number()),
  waitedMs: v.exactOptional(v.number()),
  result: v.exactOptional(cutText),
  /** The id of the tool call, as the provider gave it. */
  toolCallId: name,
  /** How the call was approved or denied, for a person, where it had to be asked for. */
  approval: v.exactOptional(v.object({ approved: v.boolean(), text: v.string() })),
};

const toolRow = v.object({
  kind: v.literal('tool'),
  ...step,
  tool: name,
  /** The arguments on one line, to be read at a glance. */
  summary: v.string(),
  arguments: cutText,
  /** Pictures of the result. */
  images: v.exactOptional(images),
  /** The files that the arguments name, to be opened by index. */
  files: v.array(v.object({ label: v.string() })),
});
/** A row for a tool call and its result. */
export type ToolRow = v.InferOutput<typeof toolRow>;

/** The totals of a dispatched call so far. */
const childCall = v.object({
  rows: count,
  messages: count,
  toolCalls: count,
  errors: count,
  tokens: v.exactOptional(tokenCount),
});

const dispatchRow = v.object({
  kind: v.literal('dispatch'),
  ...step,
  target: name,
  targetHue: v.pipe(count, v.maxValue(HUES - 1)),
  task: cutText,
  refused: v.exactOptional(v.string()),
  child: v.exactOptional(childCall),
  /** The session in which the other agent can be asked again. */
  session: v.exactOptional(name),
  /** Whether the child's rows follow this row. */
  expanded: v.boolean(),
});
/** A row for a dispatch and its answer. */
export type DispatchRow = v.InferOutput<typeof dispatchRow>;

const noteRow = v.object({
  kind: v.literal('note'),
  ...place,
  note: v.picklist(['runStart', 'callEnd', 'runEnd', 'approval', 'error', 'request', 'title', 'unknown']),
  level: v.picklist(['plain', 'good', 'warning', 'error']),
  text: v.string(),
  detail: v.exactOptional(cutText),
  durationMs: v.exactOptional(v.number()),
  tokens: v.exactOptional(tokenCount),
});
/** A row for anything else worth a line. */
export type NoteRow = v.InferOutput<typeof noteRow>;

/** A row of the transcript panel's list. */
export const row = v.variant('kind', [messageRow, toolRow, dispatchRow, noteRow]);
/** See `row`. */
export type Row = v.InferOutput<typeof row>;

/** A field of a row whose whole text can be requested. */
export const rowField = v.picklist([
  'body',
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
