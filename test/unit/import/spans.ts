import type { ImportResult } from '../../../src/import/reading/importResult.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { records } from './reading.js';

/** A span as an SDK prints it, with plain attributes; it begins at this second and takes `took` seconds. */
export const span = (
  id: string,
  parent: string,
  name: string,
  second: number,
  took: number,
  attributes: object,
  more = {},
) => ({
  traceId: 'f'.repeat(32),
  spanId: id,
  parentSpanId: parent,
  name,
  startTimeUnixNano: String((1_760_000_000 + second) * 1e9),
  endTimeUnixNano: String((1_760_000_000 + second + took) * 1e9),
  attributes,
  ...more,
});
/** Attributes of an agent's span. */
export const agent = (name: string) => ({
  'gen_ai.operation.name': 'invoke_agent',
  'gen_ai.agent.name': name,
});
/** Attributes of a request with this history. */
export const asks = (...messages: object[]) => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'm',
  'gen_ai.input.messages': JSON.stringify(messages),
});
/** The attribute for what a request was answered. */
export const answers = (message: object) => ({ 'gen_ai.output.messages': JSON.stringify([message]) });
/** What a person says. */
export const user = (content: string) => ({ role: 'user', content });
/** A message that calls a tool. */
export const calls = (id: string | undefined, name: string, input: object) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(input) } }],
});
/** Attributes of a tool's span. */
export const tool = (name: string, more: object = {}) => ({
  'gen_ai.operation.name': 'execute_tool',
  'gen_ai.tool.name': name,
  ...more,
});
/** The records of one type. */
export const ofType = (result: ImportResult, type: string) =>
  records(result).filter((record) => record.type === type);
/** Reads a value as a file of JSON. */
export const read = (value: unknown) => importTranscript(JSON.stringify(value), 'trace.json');
