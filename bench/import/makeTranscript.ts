import { closeSync, openSync, writeSync } from 'node:fs';

/** The forms in which a large transcript lies on the disk. */
export type TranscriptForm =
  | 'messages a line'
  | 'session of Claude Code'
  | 'spans of many traces'
  | 'one value';

/**
 * Writes a conversation of at least `bytes` bytes to a file: prompts, calls of a tool, and long results. Gives the number of
 * its values.
 */
export function makeTranscript(path: string, form: TranscriptForm, bytes: number): number {
  const file = openSync(path, 'w');
  const isLines = form !== 'one value';
  try {
    let written = isLines ? 0 : writeSync(file, '{"messages":[');
    let at = 0;
    for (; written < bytes; at++) {
      const json = JSON.stringify(VALUES[form](at));
      written += writeSync(file, isLines ? `${json}\n` : `${at === 0 ? '' : ','}${json}`);
    }
    if (!isLines) writeSync(file, ']}');
    return at;
  } finally {
    closeSync(file);
  }
}

const VALUES: Readonly<Record<TranscriptForm, (at: number) => object>> = {
  'messages a line': messageAt,
  'session of Claude Code': lineAt,
  'spans of many traces': spanAt,
  'one value': messageAt,
};

/** How many traces stand through each other, and how many spans each has. */
const TRACES_AT_ONCE = 50;
const SPANS_OF_A_TRACE = 21;

/** A span of one of many traces that stand through each other: an agent, its requests with the whole history, its tools. */
function spanAt(at: number): object {
  const lap = TRACES_AT_ONCE * SPANS_OF_A_TRACE;
  const trace = Math.floor(at / lap) * TRACES_AT_ONCE + (at % TRACES_AT_ONCE);
  const step = Math.floor((at % lap) / TRACES_AT_ONCE);
  const traceId = String(trace).padStart(32, '0');
  const idOf = (of: number) => `${String(trace).padStart(12, '0')}${String(of).padStart(4, '0')}`;
  const started = 1_790_000_000_000 + trace * 60_000 + step * 1_000;
  const span = (name: string, attributes: object) => ({
    traceId,
    spanId: idOf(step),
    name,
    attributes,
    ...(step > 0 && { parentSpanId: idOf(0) }),
    startTimeUnixNano: `${started}000000`,
    endTimeUnixNano: `${started + 900}000000`,
  });
  if (step === 0) return span('invoke_agent Cook', { 'gen_ai.agent.name': 'Cook' });
  if (step % 2 === 0)
    return span('execute_tool look', {
      'gen_ai.tool.name': 'look',
      'gen_ai.tool.call.result': prose(trace * SPANS_OF_A_TRACE + step, 40),
    });
  const history = Array.from({ length: step }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    parts: [{ type: 'text', content: prose(trace * SPANS_OF_A_TRACE + index, 8) }],
  }));
  return span('chat a-model', {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'a-model',
    'gen_ai.input.messages': JSON.stringify(history),
    'gen_ai.usage.input_tokens': 10_000 + step,
    'gen_ai.usage.output_tokens': 50,
  });
}

const prose = (at: number, times: number) =>
  `Note ${at}: the lid is closed, the label says when. `.repeat(times);

function messageAt(at: number): object {
  if (at % 3 === 0) return { role: 'user', content: prose(at, 8) };
  const id = `call_${at - (at % 3)}`;
  if (at % 3 === 2) return { role: 'tool', tool_call_id: id, content: prose(at, 40) };
  const call = { name: 'read_file', arguments: JSON.stringify({ path: `notes/${at}.md` }) };
  return { role: 'assistant', content: prose(at, 8), tool_calls: [{ id, type: 'function', function: call }] };
}

/** A line of a session: of each answer the thoughts, the words and the call are lines of their own, as Claude Code writes them. */
export function lineAt(at: number): object {
  const about = {
    parentUuid: at === 0 ? null : uuidOf(at - 1),
    isSidechain: false,
    cwd: '/home/me/oven',
    sessionId: 'session-1',
    uuid: uuidOf(at),
    timestamp: new Date(1_790_000_000_000 + at * 1_000).toISOString(),
  };
  const kind = at % 5;
  const answer = at - kind;
  const id = `toolu_${answer}`;
  const file_path = `/home/me/oven/notes/${answer}.md`;
  const said = (part: object) => ({
    type: 'assistant',
    requestId: `req_${answer}`,
    ...about,
    message: {
      id: `msg_${answer}`,
      role: 'assistant',
      model: 'a-model',
      content: [part],
      usage: { input_tokens: 10, cache_read_input_tokens: 20_000 + at, output_tokens: 50 },
    },
  });
  if (kind === 0) return { type: 'user', ...about, message: { role: 'user', content: prose(at, 8) } };
  if (kind === 1) return said({ type: 'thinking', thinking: prose(at, 4), signature: uuidOf(at).repeat(5) });
  if (kind === 2) return said({ type: 'text', text: prose(at, 6) });
  if (kind === 3) return said({ type: 'tool_use', id, name: 'Read', input: { file_path } });
  const content = prose(at, 60);
  return {
    type: 'user',
    ...about,
    toolUseResult: { type: 'text', file: { file_path, content } },
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] },
  };
}

const uuidOf = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
