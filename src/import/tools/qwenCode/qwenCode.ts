import { endOfWord, ended, worst, type CallEnd } from '../../messages/callEnd.js';
import { basename, dirname, join } from 'node:path';
import { sessionsBelow, type Tool } from '../tool.js';
import { isObject } from '../../../core/message.js';
import type { CallSite } from '../../../core/record.js';
import { NO_USAGE, type Usage } from '../../../core/usage.js';
import type { ConversationBuilder } from '../../building/conversationBuilder.js';
import type { Entry, ImportSink } from '../../building/importSink.js';
import { fields, objects, text, time, type Fields } from '../../reading/fields.js';
import { agentFiles, type AgentFile } from '../../messages/agentFiles.js';
import { chatMessages } from '../../messages/anyMessage.js';
import { geminiUsage } from '../../general/exchange.js';
import { addFailure } from '../../messages/failures.js';
import { knownFirst, SubagentCalls } from '../../messages/subagentCalls.js';
import { foundIn, parsedValues, type Entries } from '../../reading/entries.js';
import type { StreamedFormat, FormatReader, SidecarEntries } from '../../building/transcriptFormat.js';

/** The lines that hold a content of the model's API. */
const SPOKEN: ReadonlySet<unknown> = new Set(['user', 'assistant', 'tool_result']);

/** The names of the tools that start subagents. */
const STARTS = /^(?:task|agent)$/i;

/** Qwen Code's sessions: lines around contents of Gemini's API, with the sessions of subagents in further files. */
const qwenSessions: StreamedFormat = {
  name: 'qwen-code',
  of: 'Qwen Code',
  files: 'sessions (`chats/*.jsonl`) with those of their subagents',
  carries: ['messages', 'calls', 'subagents', 'times', 'models', 'usage', 'images', 'thinking'],
  detect: (head) => head.some((value) => isSpoken(value) || isSystem(value)),
  begin: (sink, sidecars) => new QwenReader(sink, sidecars),
};

/** Qwen Code, whose subagents have their sessions in a folder beside that of the sessions, `chats`. */
export const qwenCode: Tool = {
  formats: [qwenSessions],
  sidecarFiles(path) {
    const isOurs = path.endsWith('.jsonl') && basename(dirname(path)) === 'chats';
    const folder = join(dirname(dirname(path)), 'subagents', basename(path, '.jsonl'));
    return isOurs ? sessionsBelow(folder) : Promise.resolve([]);
  },
  sessionsOver(path) {
    const [, root, session] = /^(.*)[\\/]subagents[\\/]([^\\/]+)[\\/]/.exec(path) ?? [];
    return root === undefined || session === undefined ? [] : [join(root, 'chats', `${session}.jsonl`)];
  },
  placesBeside: (path) => Promise.resolve(basename(dirname(path)) === 'chats' ? undefined : []),
};

/** What the lines of a session say of the whole. */
interface QwenAhead {
  /** The first line that names the session. */
  known: Pick<Fields, 'sessionId' | 'isSidechain' | 'agentId' | 'agentName'> | undefined;
  /** What the last of the titles says. */
  titled: Fields | undefined;
}

class QwenReader implements FormatReader {
  readonly #sink: ImportSink;
  readonly #sidecars: readonly SidecarEntries[];
  readonly #ahead: QwenAhead = { known: undefined, titled: undefined };
  #session: QwenSession | undefined;

  constructor(sink: ImportSink, sidecars: readonly SidecarEntries[]) {
    this.#sink = sink;
    this.#sidecars = sidecars;
  }

  look({ value }: Entry): void {
    const { sessionId, isSidechain, agentId, agentName, subtype, systemPayload } = fields(value);
    if (sessionId !== undefined) this.#ahead.known ??= { sessionId, isSidechain, agentId, agentName };
    if (subtype === 'custom_title') this.#ahead.titled = fields(systemPayload);
  }

  take({ value }: Entry): void {
    this.#begun().add(value);
  }

  end(): void {
    const files = agentFiles(this.#sidecars);
    if (files.length > 0) this.#begun().addSubagents(files);
  }

  #begun(): QwenSession {
    return (this.#session ??= new QwenSession(this.#sink, this.#ahead));
  }
}

/** Whether a value is a line with a message. */
function isSpoken(value: unknown): boolean {
  if (!isObject(value) || typeof value.uuid !== 'string' || typeof value.sessionId !== 'string') return false;
  return SPOKEN.has(value.type) && Array.isArray(fields(value.message).parts);
}

/** Whether a value is a line about a session; only Qwen Code has the key for what it says. */
function isSystem(value: unknown): boolean {
  if (!isObject(value) || typeof value.sessionId !== 'string') return false;
  return value.type === 'system' && typeof value.subtype === 'string' && isObject(value.systemPayload);
}

/** Reads the lines of a session and of its subagents into one conversation. */
class QwenSession {
  readonly #sink: ImportSink;
  readonly #builder: ConversationBuilder;
  readonly #starting: SubagentCalls;
  /** Subagents whose lines are among those of the session, by agent id. */
  readonly #sidechains = new Map<string, CallSite>();
  /** The subagent whose own file this is, whose lines are no side chain of it. */
  readonly #own: string | undefined;

  constructor(sink: ImportSink, ahead: QwenAhead) {
    const known: Fields = ahead.known ?? {};
    this.#own = known.isSidechain === true ? text(known.agentId) : undefined;
    this.#sink = sink;
    const agent = this.#own === undefined ? 'Qwen' : (text(known.agentName) ?? 'subagent');
    this.#builder = sink.conversation(
      this.#own === undefined ? known.sessionId : `agent-${this.#own}`,
      agent,
    );
    this.#builder.title = text(ahead.titled?.customTitle);
    this.#starting = new SubagentCalls(STARTS);
  }

  add(value: unknown): void {
    const line = fields(value);
    this.#addValue(value, this.#placeOf(line));
  }

  /** Adds the lines of subagents' own files, each after the call that started it. */
  addSubagents(files: readonly AgentFile[]): void {
    const isKnown = ({ entries, meta }: AgentFile) =>
      this.#starting.has(promptOf(entries), text(fields(meta).toolUseId));
    for (const file of knownFirst(files, isKnown)) this.#addSubagent(file);
  }

  #addSubagent({ agentId, meta, entries }: AgentFile): void {
    const builder = this.#builder;
    const about = fields(meta);
    const prompt = promptOf(entries);
    for (const { raw } of entries) if (raw !== undefined) this.#sink.keepUnreadable(raw);
    const first = fields(foundIn(entries, (value) => value));
    const task = this.#starting.take(prompt, text(about.toolUseId));
    const named = text(about.agentType) ?? task?.agent ?? text(first.agentName);
    const from = builder.length;
    const callSite = builder.dispatch(task?.draft.place ?? builder.entry, named ?? `agent-${agentId}`, {
      task: task?.prompt ?? prompt,
      toolCallId: task?.id ?? text(about.toolUseId),
    });
    if (isObject(meta)) builder.keep(callSite, 'subagent', meta, time(about.createdAt));
    for (const { value, raw } of this.#sink.taking(entries))
      if (raw === undefined) this.#addValue(value, callSite);
    if (task) builder.moveBehind(task.draft, from);
  }

  #placeOf({ isSidechain, agentId, agentName, timestamp, message }: Fields): CallSite {
    const id = text(agentId);
    if (isSidechain !== true || id === undefined || id === this.#own) return this.#builder.entry;
    const known = this.#sidechains.get(id);
    if (known) return known;
    const task = this.#starting.take(wordsIn(message));
    const parent = task?.draft.place ?? this.#builder.entry;
    const callSite = this.#builder.dispatch(parent, task?.agent ?? text(agentName) ?? id, {
      task: task?.prompt,
      toolCallId: task?.id,
      time: time(timestamp),
    });
    this.#sidechains.set(id, callSite);
    return callSite;
  }

  #addValue(value: unknown, callSite: CallSite): void {
    const line = fields(value);
    const at = time(line.timestamp);
    if (Array.isArray(fields(line.message).parts)) {
      this.#addMessages(line, callSite, at);
      return;
    }
    if (this.#addFailure(line, callSite, at)) return;
    const type = text(line.type);
    if (type !== 'system') this.#sink.unknown(`lines of type ${type ?? '(none)'}`);
    this.#builder.keep(callSite, text(line.subtype) ?? type ?? 'unknown', value, at);
  }

  /** Adds what a line tells of a request that failed, or of a turn that ended so; false where it tells of neither. */
  #addFailure(line: Fields, callSite: CallSite, at: number | undefined): boolean {
    const { uiEvent, error: ended } = fields(line.systemPayload);
    if (line.subtype === 'turn_result' && ended !== undefined && ended !== null) {
      addFailure(this.#builder, callSite, { kind: 'error', error: ended, time: at, raw: line });
      return true;
    }
    const event = fields(uiEvent);
    if (line.subtype !== 'ui_telemetry' || event['event.name'] !== 'qwen-code.api_error') return false;
    // Whoever stops a request has not made it fail.
    if (event.error_type === 'APIUserAbortError') return false;
    const { error, error_message, status_code, model } = event;
    const message = text(error) ?? text(error_message);
    const status = typeof status_code === 'number' ? { status: status_code } : {};
    const about = { kind: 'request', error: { message, ...status }, model: text(model) } as const;
    addFailure(this.#builder, callSite, { ...about, time: at, raw: line });
    return true;
  }

  #addMessages(line: Fields, callSite: CallSite, at: number | undefined): void {
    const said = fields(line.message);
    const messages = chatMessages(said);
    if (messages.length === 0) this.#builder.keep(callSite, text(line.type) ?? 'unknown', line, at);
    const last = messages.findLast(({ role }) => role === 'assistant');
    for (const message of messages) {
      const isAnswer = message.role === 'assistant';
      const isResult = message.role === 'tool';
      const draft = this.#builder.message(callSite, message, {
        time: at,
        model: isAnswer ? text(line.model) : undefined,
        // The tokens of all that one request was answered stand at the end of it.
        usage: isAnswer ? usedBy(line, message === last) : undefined,
        toolName: isResult ? text(message.name) : undefined,
        ...(isResult && ended(endIn(line, message.tool_call_id))),
        raw: line,
      });
      if (isAnswer) this.#starting.note(draft, message);
    }
  }
}

function usedBy(line: Fields, isLast: boolean): Usage | undefined {
  const whole = geminiUsage(fields(line.usageMetadata));
  return isLast ? whole : whole && NO_USAGE;
}

/** What the first line of a person says. */
function promptOf(entries: Entries): string | undefined {
  for (const value of parsedValues(entries)) if (isPrompt(value)) return wordsIn(fields(value).message);
  return undefined;
}

/** What became of the call that a result is of. */
function endIn({ toolCallResult, message }: Fields, id: unknown): CallEnd | undefined {
  const { status, callId } = fields(toolCallResult);
  const isAbout = callId === undefined || callId === id;
  const hasError = objects(fields(message).parts).some(({ functionResponse }) => {
    const answer = fields(functionResponse);
    return answer.id === id && fields(answer.response).error !== undefined;
  });
  return worst(isAbout ? endOfWord(status) : undefined, hasError ? 'failed' : undefined);
}

function isPrompt(line: unknown): boolean {
  const { type, message } = fields(line);
  return type === 'user' && isObject(message);
}

function wordsIn(message: unknown): string | undefined {
  const words = objects(fields(message).parts).map(({ text: said }) => text(said) ?? '');
  return text(words.join('\n'));
}
