import { isObject } from '../../src/core/message.js';

type Fields = Readonly<Record<string, unknown>>;

/** A span as it stands in a request of OTLP's JSON encoding, with its attributes by name. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: number;
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Fields;
  readonly events: readonly { readonly name: string; readonly attributes: Fields }[];
  readonly status: Fields;
}

const objects = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? (value as unknown[]).filter(isObject) : [];
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The spans of a request of OTLP in its JSON encoding; throws where a backend would refuse all of it. */
export function receivedSpans(request: unknown): ReceivedSpan[] {
  if (!isObject(request)) throw new Error('not an object');
  return objects(request.resourceSpans).flatMap(({ resource, scopeSpans }) => {
    attributesOf(isObject(resource) ? resource.attributes : []);
    return objects(scopeSpans).flatMap(({ spans }) => objects(spans).map(received));
  });
}

function received(span: Fields): ReceivedSpan {
  return {
    traceId: text(span.traceId),
    spanId: text(span.spanId),
    parentSpanId: text(span.parentSpanId),
    name: text(span.name),
    kind: Number(span.kind),
    start: BigInt(text(span.startTimeUnixNano)),
    end: BigInt(text(span.endTimeUnixNano)),
    attributes: attributesOf(span.attributes),
    events: objects(span.events).map((event) => ({
      name: text(event.name),
      attributes: attributesOf(event.attributes),
    })),
    status: isObject(span.status) ? span.status : {},
  };
}

/** Attributes as Langfuse takes them: a list, or the whole batch is refused. */
function attributesOf(list: unknown): Fields {
  if (list === undefined) return {};
  if (!Array.isArray(list)) throw new Error('attributes are no list');
  const found = new Map<string, unknown>();
  for (const { key, value } of objects(list)) {
    if (found.has(text(key))) throw new Error(`${text(key)} twice`);
    found.set(text(key), plain(value));
  }
  return Object.fromEntries(found);
}

function plain(value: unknown): unknown {
  if (!isObject(value)) throw new Error('a value without a type');
  const [first] = Object.entries(value);
  const [kind, inner] = first ?? ['', undefined];
  switch (kind) {
    case 'stringValue':
    case 'boolValue':
    case 'doubleValue':
      return inner;
    case 'intValue':
      return Number(inner);
    case 'arrayValue':
      return objects((inner as Fields).values).map(plain);
    default:
      throw new Error(`a value of the kind ${kind}`);
  }
}

const OPERATIONS = ['invoke_agent', 'chat', 'execute_tool'];

/** What only spans of requests may say: who adds up every span would count it twice elsewhere. */
const OF_REQUESTS =
  /^(?:gen_ai\.(?:usage|request|response)\.|llm\.|langfuse\.observation\.(?:usage|cost)_details|agent_logbook\.cost)/;

const PARTS: Readonly<Record<string, readonly string[]>> = {
  text: ['content'],
  reasoning: ['content'],
  tool_call: ['name'],
  tool_call_response: ['response'],
  blob: ['content', 'modality'],
  uri: ['uri', 'modality'],
};

/** What one of the backends that our documents name would refuse, misread or count twice in spans that belong together. */
export function spanProblems(spans: readonly ReceivedSpan[], dialect: '1.41' | 'latest' = '1.41'): string[] {
  const problems: string[] = [];
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  if (byId.size < spans.length) problems.push('an id of a span occurs twice');
  for (const span of spans)
    for (const problem of [...idProblems(span, byId), ...attributeProblems(span, dialect)])
      problems.push(`${span.name}: ${problem}`);
  for (const trace of new Set(spans.map(({ traceId }) => traceId))) {
    const roots = spans.filter(({ traceId, parentSpanId }) => traceId === trace && parentSpanId === '');
    if (roots.length !== 1) problems.push(`${roots.length} roots in a trace`);
  }
  return problems;
}

function* idProblems(
  { traceId, spanId, parentSpanId, start, end }: ReceivedSpan,
  byId: ReadonlyMap<string, ReceivedSpan>,
): Generator<string> {
  if (!/^[0-9a-f]{32}$/.test(traceId) || /^0+$/.test(traceId)) yield `trace ${traceId}`;
  if (!/^[0-9a-f]{16}$/.test(spanId) || /^0+$/.test(spanId)) yield `span ${spanId}`;
  if (end < start) yield 'ends before it starts';
  if (end >= 2n ** 64n) yield 'ends after the last nanosecond';
  if (parentSpanId === '') return;
  const parent = byId.get(parentSpanId);
  if (!parent) yield 'its parent is missing';
  else if (parent.traceId !== traceId) yield 'its parent is in another trace';
  const above = new Set([spanId]);
  for (let at = parent; at; at = byId.get(at.parentSpanId)) {
    if (above.has(at.spanId)) {
      yield 'is below itself';
      return;
    }
    above.add(at.spanId);
  }
}

function* attributeProblems(
  { name, kind, attributes, status }: ReceivedSpan,
  dialect: '1.41' | 'latest',
): Generator<string> {
  const operation = text(attributes['gen_ai.operation.name']);
  const isRecords = name === 'agent_logbook.records' && operation === '';
  if (!isRecords && !OPERATIONS.includes(operation)) yield `operation ${operation}`;
  if (!isRecords && name.split(' ')[0] !== operation) yield 'is not named after its operation';
  if (text(attributes['gen_ai.conversation.id']) === '') yield 'names no conversation';
  if (attributes['session.id'] !== attributes['gen_ai.conversation.id']) yield 'names another session';
  if (kind !== (operation === 'chat' ? 3 : 1)) yield `kind ${kind}`;
  if (operation === 'chat' && text(attributes['gen_ai.provider.name']) === '') yield 'names no provider';
  if (operation === 'execute_tool' && attributes['gen_ai.tool.name'] === undefined) yield 'names no tool';
  if (operation === 'invoke_agent' && attributes['gen_ai.agent.name'] === undefined) yield 'names no agent';
  if (status.code === 2 && attributes['error.type'] === undefined) yield 'fails without a type';
  const others = dialect === '1.41' ? 'cache_write' : 'cache_creation';
  for (const [key, value] of Object.entries(attributes)) {
    if (operation !== 'chat' && OF_REQUESTS.test(key)) yield `has ${key}`;
    if (key === `gen_ai.usage.${others}.input_tokens`) yield `has ${key}, which is of another version`;
    if (typeof value === 'number' && key.endsWith('_tokens') && !(Number.isInteger(value) && value >= 0))
      yield `${key} is ${value}`;
    if (/^gen_ai\.(?:input|output)\.messages$/.test(key)) yield* messageProblems(value, key);
    if (
      /^gen_ai\.tool\.definitions$|_details$|^agent_logbook\.(?:records|place)$/.test(key) &&
      !isJson(value)
    )
      yield `${key} is no JSON`;
  }
  if (dialect === 'latest' && operation === 'invoke_agent')
    for (const key of ['gen_ai.agent.id', 'gen_ai.agent.version', 'gen_ai.provider.name'])
      if (key in attributes) yield `has ${key}`;
}

function isJson(value: unknown): boolean {
  try {
    return typeof value === 'string' && typeof JSON.parse(value) === 'object';
  } catch {
    return false;
  }
}

/** One message that is not as the schema says makes Phoenix drop all of them. */
function* messageProblems(value: unknown, key: string): Generator<string> {
  if (!isJson(value)) {
    yield `${key} is no JSON text`;
    return;
  }
  const messages: unknown = JSON.parse(value as string);
  if (!Array.isArray(messages) || messages.length === 0) {
    yield `${key} is no list`;
    return;
  }
  for (const message of messages as unknown[]) {
    if (!isObject(message) || text(message.role) === '' || !Array.isArray(message.parts)) {
      yield `${key} has something that is no message`;
      continue;
    }
    for (const part of message.parts as unknown[]) {
      const kind = isObject(part) ? text(part.type) : '';
      if (kind === '') yield `${key} has a part without a type`;
      const required = Object.hasOwn(PARTS, kind) ? PARTS[kind] : [];
      for (const field of required ?? [])
        if (!Object.hasOwn(part as Fields, field)) yield `${key}: a ${kind} has no ${field}`;
    }
  }
}

/** What Phoenix shows of a span: whose it is, and what it was given and what came of it, with the form of each. */
export function shownByPhoenix({ attributes }: Pick<ReceivedSpan, 'attributes'>): Fields {
  return {
    agent: attributes['agent.name'],
    input: attributes['input.value'],
    inputForm: attributes['input.mime_type'],
    output: attributes['output.value'],
    outputForm: attributes['output.mime_type'],
  };
}

/** The tool calls that Langfuse finds in an observation: those of messages as OpenAI writes them, in what it takes for the output. */
export function toolCallsOfLangfuse({ attributes }: Pick<ReceivedSpan, 'attributes'>): readonly unknown[] {
  const isOwn =
    (attributes['langfuse.observation.input'] ?? attributes['langfuse.observation.output']) !== undefined;
  const output = attributes[isOwn ? 'langfuse.observation.output' : 'gen_ai.output.messages'];
  const messages: unknown = typeof output === 'string' ? JSON.parse(output) : [];
  return objects(messages).flatMap(({ tool_calls: calls }) =>
    objects(calls).map(({ id, function: called }) => {
      const { name, arguments: given } = isObject(called) ? called : ({} as Fields);
      return [id, name, given];
    }),
  );
}
