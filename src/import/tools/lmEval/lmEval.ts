import { isObject } from '../../../core/message.js';
import type { ImportSink } from '../../building/importSink.js';
import { asText, fields, list, number, objects, parsed, text, type Fields } from '../../reading/fields.js';
import { most, type TranscriptFormat } from '../../building/transcriptFormat.js';

/** The samples of lm-evaluation-harness (`--log_samples`): what a model was asked and answered, one conversation each. */
export const lmEval: TranscriptFormat = {
  name: 'lm-eval',
  of: 'lm-evaluation-harness',
  files: 'samples (`samples_….jsonl`)',
  carries: ['messages'],
  detect: (head) => {
    const samples = samplesIn(head);
    return samples.length > 0 && most(samples, isSample);
  },
  *readLines(lines, sink) {
    for (const value of sink.each(lines)) {
      for (const sample of samplesIn([value])) readSample(sample, sink);
      yield;
    }
  },
};

function samplesIn(values: readonly unknown[]): readonly unknown[] {
  return values.flatMap((value): readonly unknown[] =>
    Array.isArray(value) ? (value as unknown[]) : [value],
  );
}

function isSample(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { doc_id, doc, resps } = value;
  return number(doc_id) !== undefined && doc !== undefined && 'arguments' in value && Array.isArray(resps);
}

function readSample(value: unknown, sink: ImportSink): void {
  const sample = fields(value);
  const builder = sink.conversation(`sample ${asText(sample.doc_id)}`, 'model');
  for (const message of askedIn(sample)) builder.message(builder.entry, message);
  // Where a model only rated given answers, there is nothing that it said.
  for (const answer of new Set(list(sample.resps).flatMap((each) => list(each))))
    if (typeof answer === 'string') builder.message(builder.entry, { role: 'assistant', content: answer });
  if (typeof sample.target === 'string' || typeof sample.target === 'number')
    builder.facts.set('Target', String(sample.target));
  for (const name of list(sample.metrics).map((each) => asText(each))) {
    const score = number(sample[name]);
    if (score !== undefined) builder.facts.set(`Score (${name})`, String(score));
  }
  builder.keepRest(builder.entry, 'sample', value, { beside: builder.since(0) });
}

/** What the model was sent: a text, or a JSON text of messages for models that chat. */
function askedIn(sample: Fields): readonly Fields[] {
  const given = sample.arguments;
  const [first] = Array.isArray(given) ? (given as unknown[]) : Object.values(fields(given));
  const prompt = Array.isArray(first) ? (first[0] as unknown) : fields(first).arg_0;
  const messages = objects(parsed(prompt)).filter(
    ({ role, content }) => typeof role === 'string' && typeof content === 'string',
  );
  if (messages.length > 0) return messages.map(({ role, content }) => ({ role, content }));
  return text(prompt) === undefined ? [] : [{ role: 'user', content: prompt }];
}
