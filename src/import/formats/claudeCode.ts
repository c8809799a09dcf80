import { isObject } from '../../core/message.js';
import { fields, list, text } from '../reading/fields.js';
import { agentFiles } from '../shapes/agentFiles.js';
import { ClaudeAhead, ClaudeSession, SESSION_LINES } from '../shapes/claudeSession.js';
import type { Entry, ImportSink } from '../importSink.js';
import { most, type FedFormat, type FedReader, type FileBeside } from '../transcriptFormat.js';

/** Claude Code's sessions: JSONL, with the sessions of subagents in further files, or the web interface's export. */
export const claudeCode: FedFormat = {
  name: 'claude-code',
  of: 'Claude Code',
  files:
    'sessions (`.jsonl`) with those of their subagents beside them; `--output-format stream-json` and `json`',
  carries: ['messages', 'calls', 'subagents', 'times', 'models', 'usage', 'cost', 'images', 'thinking'],
  detect: (head) =>
    list(fields(head[0]).loglines).some(isLine) || (most(head, isEnvelope) && head.some(isOwn)),
  begin: (sink, beside) => new ClaudeReader(sink, beside),
};

/** Reads a session: first what its lines say of the whole, then the lines, then the files of its subagents. */
class ClaudeReader implements FedReader {
  readonly #sink: ImportSink;
  readonly #beside: readonly FileBeside[];
  readonly #ahead = new ClaudeAhead();
  #session: ClaudeSession | undefined;

  constructor(sink: ImportSink, beside: readonly FileBeside[]) {
    this.#sink = sink;
    this.#beside = beside;
  }

  look({ value }: Entry): void {
    this.#ahead.look(fields(value));
  }

  take(entry: Entry): void {
    const session = this.#begun();
    const loglines = fields(entry.value).loglines;
    if (Array.isArray(loglines)) for (const value of loglines) session.add({ value });
    else session.add(entry);
  }

  end(): void {
    for (const { agentId, meta, entries } of agentFiles(this.#beside))
      this.#begun().addSubagent(agentId, text(fields(meta).agentType), entries);
  }

  #begun(): ClaudeSession {
    return (this.#session ??= new ClaudeSession(this.#sink, this.#ahead));
  }
}

/** Whether a value looks like a line of a session. */
function isEnvelope(value: unknown): boolean {
  return isObject(value) && typeof value.type === 'string' && (isLine(value) || !('role' in value));
}

/** Whether a value occurs in no other tool's files: a message in its envelope, or a line about a session. */
function isOwn(value: unknown): boolean {
  if (isLine(value)) return true;
  const { type, leafUuid, sessionId, messageId, snapshot } = fields(value);
  if (type === 'result') return isText(fields(value).session_id) && isText(fields(value).subtype);
  if (type === 'summary') return typeof leafUuid === 'string';
  if (type === 'file-history-snapshot') return typeof messageId === 'string' && isObject(snapshot);
  return typeof sessionId === 'string' && typeof type === 'string' && SESSION_LINES.has(type);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isLine(value: unknown): boolean {
  if (!isObject(value) || !isObject(value.message)) return false;
  return (value.type === 'user' || value.type === 'assistant') && value.message.content !== undefined;
}
