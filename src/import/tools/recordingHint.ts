import { isObject } from '../../core/message.js';
import { spoken, parts, fields, text, type Fields, type SessionHint } from './hint.js';

/** A line of a recording: a request to a model or its answer, or spans, of which the names alone are looked at. */
export function recordingHint(line: Fields): SessionHint | undefined {
  const { messages, input, contents, model } = fields(line.request);
  if (line.endTime !== undefined)
    return { end: 'failure' in line || (Number(line.status) || 0) >= 400 ? 'error' : 'answer' };
  if (isObject(line.request)) {
    const sent = parts(messages ?? input ?? contents);
    const asked = sent.find(({ role }) => role === 'user');
    const prompt = typeof input === 'string' ? input : spoken(asked?.content ?? asked?.parts);
    return { prompt, model: text(model), end: 'prompt' };
  }
  const [first] = parts(line.resourceSpans ?? line.resourceLogs);
  const service = parts(fields(first?.resource).attributes).find(({ key }) => key === 'service.name');
  return { made: text(fields(service?.value).stringValue) };
}
