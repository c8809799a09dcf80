import { isObject } from '../../../core/message.js';
import { LooseReader } from '../../messages/looseReader.js';
import { asText, fields, text, without, type Fields } from '../../reading/fields.js';
import { most, type TranscriptFormat } from '../../building/transcriptFormat.js';

/**
 * Transcripts that Windsurf's hooks are given: a step a line, `{status, type, <type>: {…}}`, without times or ids. Who asks and
 * what is answered are messages; any other step is a call of the tool that it is named after.
 */
export const windsurf: TranscriptFormat = {
  name: 'windsurf',
  of: 'Windsurf',
  files: 'transcripts that its hooks are given (`.windsurf/transcripts/*.jsonl`)',
  carries: ['messages', 'calls', 'thinking'],
  detect: (head) => most(head, isStep) && head.some(isSpoken),
  *readLines(lines, sink) {
    const builder = sink.conversation(undefined, 'Windsurf');
    const reader = new LooseReader(builder, builder.entry);
    for (const { value, line } of sink.readable(lines)) {
      const read = isStep(value) && reader.add(usualForm(fields(value)), value);
      if (!read) {
        if (!isStep(value)) builder.keep(builder.entry, text(fields(value).type) ?? 'unknown', value);
        sink.problem('warning', 'This line is no step of a kind that is known.', line);
      }
      yield;
    }
  },
};

/** Whether a value is a step: what it is stands under the key that its type names. */
function isStep(value: unknown): value is Fields {
  const { type, status, ...rest } = fields(value);
  return typeof type === 'string' && typeof status === 'string' && isObject(rest[type]);
}

function isSpoken(value: unknown): boolean {
  return /^(?:user_input|planner_response)$/.test(asText(fields(value).type));
}

/** A step in a form that is read from any tool. */
function usualForm(step: Fields): Fields {
  const type = asText(step.type);
  const body = fields(step[type]);
  const about = without(step, 'type', 'status', type);
  if (type === 'user_input')
    return { ...about, role: 'user', content: body.user_response ?? body.query ?? body.text };
  if (type === 'planner_response') {
    const thought = text(body.thinking) ?? text(body.reasoning);
    return {
      ...about,
      role: 'assistant',
      content: body.response ?? body.text,
      ...(thought !== undefined && { reasoning_content: thought }),
    };
  }
  const given = RESULTS.find((key) => body[key] !== undefined && body[key] !== null);
  const isRejected = body.user_rejected === true || asText(body.acknowledgement_type).includes('REJECT');
  const output = given === undefined ? undefined : body[given];
  return {
    ...about,
    type: 'tool_call',
    name: type,
    arguments: without(body, ...(given === undefined ? [] : [given])),
    output: output ?? (isRejected ? 'The person rejected it.' : step.status),
    status: isRejected ? 'denied' : step.status,
    exit_code: body.exit_code,
  };
}

/** The keys under which a step has what it gave. What was written to a file is an argument of the step. */
const RESULTS = ['output', 'result', 'results', 'content', 'response', 'error'] as const;
