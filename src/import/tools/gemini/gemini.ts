import type { Tool } from '../tool.js';
import { geminiInteractions } from './geminiInteractions.js';
import { geminiCli } from './geminiCli.js';
import { geminiTelemetry } from './geminiTelemetry.js';
import { isObject } from '../../../core/message.js';
import { fields, number, text, without, asText } from '../../reading/fields.js';
import { usageOf } from '../../messages/usage.js';
import type { TranscriptFormat, LinesFormat } from '../../building/transcriptFormat.js';
import { readLog } from '../../general/anyMessages.js';

/** What `gemini --output-format stream-json` prints: messages as the general reader understands them, by an agent with a name. */
const geminiStream: LinesFormat = {
  name: 'gemini-stream',
  of: 'Gemini CLI',
  files: '`gemini --output-format stream-json`',
  carries: ['messages', 'calls', 'times', 'models', 'usage'],
  detect: ([first]) => {
    const { type, session_id, model } = fields(first);
    return type === 'init' && text(session_id) !== undefined && /gemini/i.test(asText(model));
  },
  readLines(lines, sink) {
    return readLog(lines, sink, 'Gemini');
  },
};

/** What Gemini CLI prints with `-o json`: its last answer, and what the session took of each model. */
const geminiAnswer: TranscriptFormat = {
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
    told: { prompt, input, output: candidates, cached, thoughts },
  });
}

/** Gemini CLI: sessions, what it prints as JSON, and telemetry; interactions of Gemini's API. */
export const gemini: Tool = {
  formats: [geminiCli, geminiAnswer, geminiStream, geminiInteractions],
  telemetry: [geminiTelemetry],
};
