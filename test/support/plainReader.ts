/**
 * A slow and plain reading of records, by the words of docs/query.md and docs/formats.md alone. It imports nothing that the
 * product answers questions with, so that it can be held against it.
 */
export type Raw = Readonly<Record<string, unknown>>;

/** A tool call as it is told over all records. */
export interface PlainCall {
  readonly kind: 'call';
  readonly begin: number;
  end: number;
  readonly time: number;
  endTime: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly args: string;
  readonly place: Raw;
  readonly asked: boolean;
  state: string;
  failed: boolean;
  waited: number;
  took: number | undefined;
  result: Raw | undefined;
  readonly decisions: Set<string>;
  child: string | undefined;
}

/** A record, with the tool calls that it makes or tells of. */
export interface PlainRecord {
  readonly kind: 'record';
  readonly begin: number;
  readonly end: number;
  readonly time: number;
  readonly raw: Raw;
  readonly calls: PlainCall[];
  readonly makes: number;
}

export type Plain = PlainRecord | PlainCall;

/** A session as it is read: its records and tool calls. */
export interface PlainSession {
  readonly records: readonly PlainRecord[];
  readonly calls: readonly PlainCall[];
}

export const object = (value: unknown): Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Raw) : {};
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);
export const string = (value: unknown): string => (typeof value === 'string' ? value : '');

export const messageOf = ({ type, message }: Raw): Raw => (type === 'message' ? object(message) : {});

/** What a message says. */
export function contentOf(raw: Raw): string {
  const { content } = messageOf(raw);
  if (typeof content === 'string') return content;
  return list(content)
    .map(object)
    .filter(({ type }) => type === 'text')
    .map(({ text }) => string(text))
    .join('');
}

/** Who speaks: what a tool sent in a person's name is no person's. */
export function speakerOf(raw: Raw): string {
  const role = string(messageOf(raw).role);
  const spans = list(raw.injected).map(object);
  if (role !== 'user' || spans.length === 0) return role;
  const left = contentOf(raw).split('');
  for (const { from, to } of spans) left.fill('', Number(from), Number(to));
  return left.join('').trim() === '' ? 'injected' : role;
}

/** What `content:` asks: what a message says, and the reason of another record's failure. */
export function saidIn(raw: Raw): string {
  if (raw.type === 'message') return contentOf(raw);
  return [string(object(raw.error).message), string(raw.reason), string(raw.refused)].join('\n');
}

/** Every text in a value. */
function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(texts);
}

/** The texts in JSON as they are read, without what writing them as JSON adds. */
function decoded(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' ? texts(value).join('\n') : '';
  } catch {
    return '';
  }
}

/** Everything that is shown of a record. */
export function shownOf(raw: Raw): string {
  const message = messageOf(raw);
  const calls = list(message.tool_calls).map((call) => object(object(call).function));
  const told =
    raw.type === 'message'
      ? [
          contentOf(raw),
          ...(message.role === 'tool' ? [decoded(contentOf(raw))] : []),
          string(message.reasoning_content),
          string(message.refusal),
          ...calls.flatMap(({ name, arguments: args }) => [
            string(name),
            string(args),
            decoded(string(args)),
          ]),
        ]
      : [
          string(object(raw.error).message),
          ...['reason', 'refused', 'task', 'toolName', 'subject', 'title']
            .filter((key) => key !== 'task' || raw.type === 'dispatch')
            .filter((key) => key !== 'toolName' || raw.type === 'approval')
            .map((key) => string(raw[key])),
          ...(raw.type === 'imported' ? texts(raw.value) : []),
        ];
  return told.join('\n');
}

/** Whether a record is an error: what was denied or stopped is none. */
export function isError(raw: Raw): boolean {
  const stopped = object(raw.error).code === 'cancelled';
  switch (raw.type) {
    case 'message':
      if (raw.state === 'denied' || raw.state === 'cancelled' || raw.state === 'open') return false;
      return (raw.isError === true && raw.partial !== 'cancelled') || raw.partial === 'error';
    case 'request':
    case 'error':
      return raw.error !== undefined && raw.error !== null && !stopped;
    case 'callEnd':
      return raw.outcome === 'failed' || raw.outcome === 'limited';
    case 'dispatch':
      return typeof raw.refused === 'string';
    default:
      return false;
  }
}

/** Reads a session. */
export function readPlainly(raws: readonly Raw[]): PlainSession {
  const reading = new PlainReading();
  raws.forEach((raw, at) => reading.add(raw, at));
  return reading;
}

class PlainReading implements PlainSession {
  readonly records: PlainRecord[] = [];
  readonly calls: PlainCall[] = [];

  add(raw: Raw, at: number): void {
    const message = messageOf(raw);
    const made = list(message.tool_calls).map((call) => this.#make(object(call), raw, at));
    const calls = [...made];
    const id = string(message.tool_call_id) || string(raw.toolCallId);
    const isTold = message.role === 'tool' || raw.type === 'approval' || raw.type === 'dispatch';
    const about = isTold ? this.#find(string(raw.call), id, message.role === 'tool') : undefined;
    if (about) calls.push(about);
    if (message.role === 'tool') {
      const answered = about ?? (id === '' ? this.#unseen(raw, at) : undefined);
      if (answered && !about) calls.push(answered);
      if (answered) answer(answered, raw, at);
    } else if (about && raw.type === 'approval') decide(about, raw);
    else if (about && raw.type === 'dispatch') {
      about.child = string(raw.childCall);
      about.failed ||= isError(raw);
    }
    if (raw.type === 'callEnd' && isError(raw))
      for (const call of this.calls) if (call.child === raw.call) call.failed = true;
    const time = typeof raw.time === 'number' ? raw.time : 0;
    this.records.push({ kind: 'record', begin: at, end: at, time, raw, calls, makes: made.length });
  }

  #make(call: Raw, raw: Raw, at: number): PlainCall {
    const { name, arguments: args } = object(call.function);
    const made = plainCall(raw, at, string(call.id), string(name), string(args), true);
    this.calls.push(made);
    return made;
  }

  #unseen(raw: Raw, at: number): PlainCall | undefined {
    if (string(raw.toolName) === '') return undefined;
    const call = plainCall(raw, at, '', string(raw.toolName), '', false);
    this.calls.push(call);
    return call;
  }

  /** The call of an id, in the same call of an agent: of those that nothing answers the first, else the latest. */
  #find(of: string, id: string, isResult: boolean): PlainCall | undefined {
    const same = this.calls.filter((call) => call.id === id && call.asked && string(call.place.call) === of);
    return (isResult ? same.find(({ result }) => !result) : undefined) ?? same.at(-1);
  }
}

function plainCall(raw: Raw, at: number, id: string, name: string, args: string, asked: boolean): PlainCall {
  return {
    kind: 'call',
    begin: at,
    end: Infinity,
    time: typeof raw.time === 'number' ? raw.time : 0,
    endTime: undefined,
    id,
    name,
    args,
    place: raw,
    asked,
    state: 'open',
    failed: false,
    waited: 0,
    took: undefined,
    result: undefined,
    decisions: new Set(),
    child: undefined,
  };
}

function answer(call: PlainCall, raw: Raw, at: number): void {
  const told = string(raw.state);
  const end =
    told || (raw.isError === true ? (raw.partial === 'cancelled' ? 'cancelled' : 'failed') : 'done');
  const isStopped = call.state === 'denied' || call.state === 'cancelled';
  const isRepeated = call.state === 'denied' && !call.result && end === 'done';
  if (!(isStopped && end === 'failed') && !isRepeated) call.state = end;
  call.failed ||= isError(raw);
  if (call.result) return;
  call.result = raw;
  call.end = at;
  const time = typeof raw.time === 'number' && raw.time > 0 ? raw.time : undefined;
  call.endTime = time;
  const between = time !== undefined && call.time > 0 && call.asked ? time - call.time : undefined;
  const own = typeof raw.durationMs === 'number' ? raw.durationMs : undefined;
  const whole = own ?? (between !== undefined && between > 0 ? between : undefined);
  call.took = whole === undefined ? undefined : Math.max(0, whole - call.waited);
}

function decide(call: PlainCall, raw: Raw): void {
  const by = { user: 'person', cancel: 'stopped' }[string(raw.decidedBy)] ?? string(raw.decidedBy);
  call.decisions.add(string(raw.decision)).add(by);
  if (!call.result && typeof raw.waitedMs === 'number') call.waited = raw.waitedMs;
  if (raw.decision === 'denied') call.state = raw.decidedBy === 'cancel' ? 'cancelled' : 'denied';
  else if ((call.state === 'denied' || call.state === 'cancelled') && !call.result) call.state = 'open';
}

/** Everything that is shown of a record or a tool call. */
export function textOfPlain(one: Plain): string {
  if (one.kind === 'record') return shownOf(one.raw);
  const said = one.result ? contentOf(one.result) : '';
  return [one.name, one.args, decoded(one.args), said, decoded(said)].join('\n');
}

/** The arguments of the calls of one, as far as they are JSON. */
export function argumentsOfPlain(one: Plain): Raw[] {
  return (one.kind === 'record' ? one.calls : [one])
    .filter(({ asked }) => asked)
    .map(({ args }) => {
      try {
        return object(JSON.parse(args));
      } catch {
        return {};
      }
    });
}
