import { asText, fields, text } from '../../reading/fields.js';
import type { LinesFormat } from '../../building/transcriptFormat.js';
import { readLog } from '../../general/anyMessages.js';

/** What `gemini --output-format stream-json` prints: messages as the general reader understands them, by an agent with a name. */
export const geminiStream: LinesFormat = {
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
