import * as v from 'valibot';

/** A whole number from 0. */
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const name = v.pipe(v.string(), v.maxLength(1_000));

/** How many agent colours there are; a row's `hue` is below it. */
export const HUES = 8;

/** Some of a text: what a row shows of it, and how much more there is. */
const cutText = v.object({
  text: v.string(),
  /** Characters (UTF-16 units) that `text` leaves out. */
  rest: count,
  /** UTF-8 bytes of the whole text where it lies in a file of its own. */
  spilledBytes: v.exactOptional(count),
});
/** A text, cut to what a row shows. */
export type CutText = v.InferOutput<typeof cutText>;

/** Tokens as the provider told them, or as we counted them. */
export const tokenCount = v.object({ input: count, output: count, estimated: v.boolean() });
/** Tokens in and out, and whether they are estimates. */
export type TokenCount = v.InferOutput<typeof tokenCount>;

const place = {
  /** Stable in its transcript: rows are numbered in the order in which they come to be. */
  id: count,
  /** Where the row's record stands in the transcript. */
  position: count,
  /** Milliseconds since 1970. */
  time: v.number(),
  agent: name,
  hue: v.pipe(count, v.maxValue(HUES - 1)),
  depth: count,
};

/** Pictures among the parts of a content, by the index of their part; `shown`: the page may ask for it. */
const images = v.array(v.object({ part: count, type: name, characters: count, shown: v.boolean() }));
/** The pictures of a row. */
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
  /** Types of the content parts that cannot be shown. */
  otherParts: v.array(name),
  model: v.exactOptional(name),
  tokens: v.exactOptional(tokenCount),
  durationMs: v.exactOptional(v.number()),
  partial: v.exactOptional(v.picklist(['error', 'cancelled', 'length'])),
  /** True for a tool's answer that no tool call asked for. */
  orphan: v.exactOptional(v.boolean()),
});
/** A row for a message. */
export type MessageRow = v.InferOutput<typeof messageRow>;

const stepState = v.picklist(['running', 'done', 'failed', 'unanswered']);
/** How far a tool call or dispatch has come. */
export type StepState = v.InferOutput<typeof stepState>;

const step = {
  ...place,
  /** What the request cost that asked for this step, where the row is the first of its reply. */
  model: v.exactOptional(name),
  tokens: v.exactOptional(tokenCount),
  state: stepState,
  durationMs: v.exactOptional(v.number()),
  result: v.exactOptional(cutText),
  /** The id of the tool call, as the provider gave it. */
  toolCallId: name,
  /** In words, how the call was allowed or refused, where it had to be asked for. */
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
  /** Files that the arguments name, to be opened by their index here. */
  files: v.array(v.object({ label: v.string() })),
});
/** A row for a tool call and its result. */
export type ToolRow = v.InferOutput<typeof toolRow>;

/** What a dispatched call came to so far. */
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
  /** In which session the other agent can be asked again. */
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

/** One thing that the panel's list shows. */
export const row = v.variant('kind', [messageRow, toolRow, dispatchRow, noteRow]);
/** A row of the transcript panel. */
export type Row = v.InferOutput<typeof row>;

/** Which text of a row is meant. */
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
/** A text of a row that can be fetched whole. */
export type RowField = v.InferOutput<typeof rowField>;
