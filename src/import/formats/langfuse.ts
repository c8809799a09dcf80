import { isObject } from '../../core/message.js';
import type { ConversationBuilder } from '../conversationBuilder.js';
import {
  asText,
  fields,
  number,
  objects,
  parsed,
  text,
  time,
  without,
  type Fields,
} from '../reading/fields.js';
import type { ImportSink } from '../importSink.js';
import { ResentHistory } from '../shapes/resentHistory.js';
import type { TranscriptFormat } from '../transcriptFormat.js';
import { usageOf } from '../shapes/usage.js';

/** Langfuse's export of a trace with its observations. */
export const langfuse: TranscriptFormat = {
  name: 'langfuse',
  detect: ([value]) => isObject(value) && objects(value.observations).some(isObservation),
  read(entries, sink) {
    for (const { value } of sink.readable(entries)) readTrace(fields(value), sink);
  },
};

function isObservation(value: Fields): boolean {
  return typeof value.type === 'string' && 'traceId' in value && 'startTime' in value;
}

function readTrace(value: Fields, sink: ImportSink): void {
  const trace = fields(value.trace);
  const builder = sink.conversation(trace.sessionId ?? trace.id, text(trace.name) ?? 'agent');
  builder.keep(builder.entry, 'trace', without(value, 'observations'), time(trace.timestamp));
  const history = new ResentHistory(builder, builder.entry);
  const observations = objects(value.observations).sort(
    (a, b) => (time(a.startTime) ?? 0) - (time(b.startTime) ?? 0),
  );
  const generations = observations.filter(({ type }) => type === 'GENERATION');
  // Generations that contain others repeat them with less detail.
  const outer = new Set(generations.map(({ parentObservationId }) => parentObservationId));
  const requests = new Set(generations.filter(({ id }) => !outer.has(id)));
  for (const observation of observations) {
    builder.keep(
      builder.entry,
      text(observation.type) ?? 'unknown',
      observation,
      time(observation.startTime),
    );
    if (requests.has(observation)) addRequest(observation, builder, history);
  }
  if (requests.size === 0) {
    history.addHistory([{ role: 'user', content: asText(parsed(trace.input)) }], {
      time: time(trace.timestamp),
    });
    history.expect({ role: 'assistant', content: asText(parsed(trace.output)) });
  }
  history.finish();
}

function addRequest(observation: Fields, builder: ConversationBuilder, history: ResentHistory): void {
  const end = time(observation.endTime);
  const model = text(observation.model);
  const input = parsed(observation.input);
  const messages = objects(Array.isArray(input) ? input : fields(input).messages);
  const said = messages.length > 0 ? messages : [{ role: 'user', content: asText(input) }];
  history.addHistory(said, { time: time(observation.startTime) });
  const output = parsed(observation.output);
  const answer =
    isObject(output) && typeof output.role === 'string'
      ? output
      : { role: 'assistant', content: asText(output) };
  history.expect(answer, { time: end, model });
  const { input: sent, output: got, input_cached_tokens: cached } = fields(observation.usageDetails);
  if (number(sent) === undefined && number(got) === undefined) return;
  builder.request(
    builder.entry,
    usageOf({ input: number(sent), output: number(got), cached: number(cached) }),
    model,
    end,
  );
}
