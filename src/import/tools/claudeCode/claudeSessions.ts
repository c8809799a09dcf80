import { isObject } from '../../../core/message.js';
import { firstValue } from '../../reading/entries.js';
import { fields, list, objects, text } from '../../reading/fields.js';
import { agentFiles } from '../../messages/agentFiles.js';
import { ClaudeAhead } from './claudeAhead.js';
import { ClaudeLineage, isSibling } from './claudeLineage.js';
import { ClaudeSession, SESSION_LINES } from './claudeSession.js';
import type { Entry, ImportSink } from '../../building/importSink.js';
import {
  most,
  type StreamedFormat,
  type FormatReader,
  type SidecarEntries,
} from '../../building/transcriptFormat.js';

/** Claude Code's sessions: JSONL, with the sessions of subagents in further files, or the web interface's export. */
export const claudeSessions: StreamedFormat = {
  name: 'claude-code',
  of: 'Claude Code',
  files:
    'sessions (`.jsonl`) with those of their subagents in folders or beside them; `--output-format stream-json` and `json`',
  carries: ['messages', 'calls', 'subagents', 'times', 'models', 'usage', 'cost', 'images', 'thinking'],
  detect: (head) =>
    list(fields(head[0]).loglines).some(isLine) || (most(head, isEnvelope) && head.some(isOwn)),
  begin: (sink, sidecars) => new ClaudeReader(sink, sidecars),
};

/** Reads a session: first what its lines say of the whole, then the lines, then the files of its subagents. */
class ClaudeReader implements FormatReader {
  readonly #sink: ImportSink;
  readonly #sidecars: readonly SidecarEntries[];
  readonly #ahead = new ClaudeAhead();
  #session: ClaudeSession | undefined;

  constructor(sink: ImportSink, sidecars: readonly SidecarEntries[]) {
    this.#sink = sink;
    this.#sidecars = sidecars;
    for (const file of sidecars) if (isSibling(file)) sink.leaveOut(file.name);
  }

  look({ value }: Entry): void {
    this.#ahead.look(fields(value));
  }

  /** Without the title, which later lines may change at any time. */
  get readAssumptions(): string {
    return `${this.#ahead.readAssumptions} ${this.#session?.isMisplaced === true}`;
  }

  take(entry: Entry): void {
    const session = this.#begun();
    session.title = this.#ahead.title;
    const loglines = fields(entry.value).loglines;
    if (Array.isArray(loglines)) for (const value of loglines) session.add({ value });
    else session.add(entry);
  }

  readonly growingSidecars = /^(?:subagents|\.\.)\/agent-[^/]+\.(?:jsonl|meta\.json)$/;

  takeSidecars(files: readonly SidecarEntries[], isGiven: boolean): void {
    for (const { agentId, meta, entries } of agentFiles(files)) {
      const agent = text(fields(meta).agentType);
      const file = { agentId, agent, workflow: undefined, entries };
      this.#begun().growSubagent(file, isGiven);
    }
  }

  end(): void {
    const workflows = this.#sidecars.filter(({ name }) => WORKFLOW.test(name));
    const ofWorkflows = workflows.map(({ entries }) => firstValue(entries));
    const files = agentFiles(this.#sidecars).map(({ agentId, workflow, meta, entries }) => {
      const label = labelIn(ofWorkflows, agentId);
      if (label !== undefined && meta !== undefined)
        this.#begun().keep('subagent', { agentId, ...fields(meta) });
      return { agentId, agent: label ?? text(fields(meta).agentType), workflow, entries };
    });
    this.#begun().addSubagents(files);
    for (const value of ofWorkflows) this.#begun().keep('workflow', value);
    for (const { name, entries } of this.#sidecars)
      if (JOURNAL.test(name))
        for (const { value, raw } of this.#sink.taking(entries))
          this.#begun().keep('workflow journal', value ?? raw);
    this.#begun().finish();
  }

  #begun(): ClaudeSession {
    return (this.#session ??= new ClaudeSession(
      this.#sink,
      this.#ahead,
      new ClaudeLineage(this.#ahead, this.#sidecars),
    ));
  }
}

/** The files of a workflow, a script that starts subagents: what it is, and what has come of each. */
const WORKFLOW = /^workflows\/[^/]+\.json$/;
const JOURNAL = /(?:^|\/)workflows\/[^/]+\/journal\.jsonl$/;

/** What a workflow calls an agent that it started; undefined where none does. */
function labelIn(workflows: readonly unknown[], agentId: string): string | undefined {
  const agents = workflows.flatMap((each) => objects(fields(each).workflowProgress));
  return text(agents.find((each) => each.agentId === agentId)?.label);
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
