import { isObject } from '../../../core/message.js';
import { fields, number, text, without } from '../../reading/fields.js';
import { usageOf } from '../../messages/usage.js';
import type { TranscriptFormat } from '../../building/transcriptFormat.js';

/** What Gemini CLI prints with `-o json`: its last answer, and what the session took of each model. */
export const geminiAnswer: TranscriptFormat = {
  name: 'gemini-answer',
  of: 'Gemini CLI',
  files: 'what `gemini -o json` prints',
  carries: ['messages', 'models', 'usage'],
  detect: (head) => head.length > 0 && head.every(isAnswer),
  readLines(lines, sink) {
    for (const value of sink.each(lines)) {
      const { response, stats, session_id } = fields(value);
      const builder = sink.conversation(session_id, 'Gemini');
      const models = Object.entries(fields(fields(stats).models));
      const [only] = models;
      builder.keep(builder.entry, 'session', without(fields(value), 'response'));
      for (const [model, about] of models) {
        const usage = usageIn(fields(about).tokens);
        if (usage) builder.request(builder.entry, usage, model);
      }
      const model = models.length === 1 ? only?.[0] : undefined;
      if (text(response) !== undefined)
        builder.message(builder.entry, { role: 'assistant', content: response }, { model });
    }
  },
};

function isAnswer(value: unknown): boolean {
  if (!isObject(value) || !isObject(value.stats)) return false;
  const { models, tools } = value.stats;
  return (
    (typeof value.response === 'string' || value.response === null) && isObject(models) && isObject(tools)
  );
}

/** The prompt contains what was cached; thoughts and the use of tools are counted apart. */
function usageIn(tokens: unknown) {
  const { prompt, input, candidates, cached, thoughts, tool } = fields(tokens);
  const asked = number(prompt) ?? number(input);
  if (asked === undefined && number(candidates) === undefined) return undefined;
  return usageOf({
    input: (asked ?? 0) + (number(tool) ?? 0),
    output: (number(candidates) ?? 0) + (number(thoughts) ?? 0),
    cached: number(cached),
    reasoning: number(thoughts),
  });
}
