import type { TranscriptFormat } from '../../building/transcriptFormat.js';
import { chatMessage, toolCall, toolMessage } from '../../messages/chatMessage.js';
import { asText, fields, list, objects, text, time, type Fields } from '../../reading/fields.js';

/** What a line of a session is. */
const KINDS: ReadonlySet<unknown> = new Set(['Prompt', 'AssistantMessage', 'ToolResults']);

/** The sessions that newer versions of Kiro's command line write: a message a line, in an object that says what it is. */
export const kiroLog: TranscriptFormat = {
  name: 'kiro-log',
  of: 'Kiro',
  files: 'sessions of its command line (`.jsonl`)',
  carries: ['messages', 'calls', 'times'],
  detect: (head) =>
    head.some((value) => KINDS.has(fields(value).kind) && Array.isArray(fields(fields(value).data).content)),
  *readLines(lines, sink) {
    const builder = sink.conversation(undefined, 'Kiro');
    for (const value of sink.each(lines)) {
      const { kind, data } = fields(value);
      const { content, meta } = fields(data);
      const about = { time: time(fields(meta).timestamp), raw: value };
      const parts = objects(content);
      const ofKind = (wanted: string) =>
        parts.filter((part) => part.kind === wanted).map((part) => part.data);
      if (kind === 'ToolResults')
        for (const result of ofKind('toolResult').map(fields))
          builder.message(builder.entry, toolMessage(result.toolUseId, wordsOf(result)), {
            ...about,
            isError: /^error$/i.test(asText(result.status)) || undefined,
          });
      else if (KINDS.has(kind)) {
        const words = ofKind('text').map(asText).join('\n');
        const calls = ofKind('toolUse')
          .map(fields)
          .map(({ toolUseId, name, input }) => toolCall(toolUseId, name, input));
        const role = kind === 'Prompt' ? 'user' : 'assistant';
        builder.message(builder.entry, chatMessage(role, text(words) ?? null, { calls }), about);
      } else {
        sink.unknown(`lines of kind ${asText(kind)}`);
        builder.keep(builder.entry, text(kind) ?? 'line', value);
      }
      yield;
    }
  },
};

function wordsOf({ content }: Fields): string {
  return list(content)
    .map((part) => asText(fields(part).data ?? part))
    .join('\n');
}
