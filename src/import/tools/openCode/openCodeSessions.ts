import { endOfCode, endOfHead, endOfWord, ended, worst, type CallEnd } from '../../messages/callEnd.js';
import { isObject } from '../../../core/message.js';
import type { CallSite } from '../../../core/record.js';
import type { ConversationBuilder, Draft } from '../../building/conversationBuilder.js';
import {
  between,
  asText,
  fields,
  number,
  objects,
  parsed,
  text,
  time,
  without,
  withoutKeys,
  type Fields,
} from '../../reading/fields.js';
import { firstValue, foundIn, type Entries } from '../../reading/entries.js';
import type { ImportSink } from '../../building/importSink.js';
import type { SpeakerMark } from '../../building/whoSpeaks.js';
import { addFailure } from '../../messages/failures.js';
import { chatMessage, linkedPicture, toolCall, toolMessage } from '../../messages/chatMessage.js';
import { most, type SidecarEntries, type TranscriptFormat } from '../../building/transcriptFormat.js';
import { usageOf } from '../../messages/usage.js';
import { OF_OPEN_CODE } from './openCodeHome.js';

/** A message with its parts, as in OpenCode's exports and in its tables. */
interface Spoken {
  readonly session: string;
  readonly info: Fields;
  readonly parts: readonly Fields[];
  readonly at: number | undefined;
  /** The row of a table that the message was, without its data. */
  readonly row: Fields;
}

/** OpenCode: the export of a session, or the table of messages, with the tables of parts and sessions beside it. */
export const openCodeSessions: TranscriptFormat = {
  name: 'opencode',
  of: 'OpenCode',
  files:
    'sessions in `opencode.db`, also in its tables of version 2, and in the folder `storage`, with those of their subagents; exports of a session; `messages.json` with the tables beside it; `opencode run --format json`',
  carries: ['messages', 'calls', 'subagents', 'times', 'models', 'usage', 'cost', 'images', 'thinking'],
  detect: (head) =>
    isExport(head[0]) ||
    (Array.isArray(head[0]) && head[0].length > 0 && most(head[0], isRow)) ||
    (head.length > 0 && most(head, isEvent)),
  readLines(lines, sink, sidecars) {
    if (foundIn(lines, (value) => isEvent(value) || undefined)) {
      readEvents(lines, sink);
      return;
    }
    for (const value of sink.each(lines)) {
      if (isExport(value)) readExport(fields(value), sink);
      else if (objects(value).some(isMessageRow)) readTables(objects(value), sidecars, sink);
      else keepRows(objects(value), sink);
    }
  },
};

/** The sessions of the tools that were made of it, as their databases and folders hold them. */
export const sessionsOfMembers: readonly TranscriptFormat[] = OF_OPEN_CODE.map((member) => ({
  name: member.id,
  of: member.name,
  files: `sessions in its database${'hasFiles' in member ? ' and in the folder `storage`' : ''}, with those of their subagents`,
  carries: openCodeSessions.carries,
  detect: (head) => fields(head[0]).tool === member.id && isExport(head[0]),
  *readLines(lines, sink) {
    for (const value of sink.each(lines)) {
      readExport(fields(value), sink, member.name);
      yield;
    }
  },
}));

function isExport(value: unknown): boolean {
  return objects(fields(value).messages).some(({ info, parts }) => isObject(info) && Array.isArray(parts));
}

/** Whether a value is an event of a run: a part of a message as it became known. */
function isEvent(value: unknown): boolean {
  const { type, sessionID, part } = fields(value);
  return typeof type === 'string' && typeof sessionID === 'string' && (isObject(part) || type === 'error');
}

/** Reads the events of a run: the parts of one message are an answer, whose last step says what it cost. */
function readEvents(lines: Entries, sink: ImportSink): void {
  const session = foundIn(lines, (value) => text(fields(value).sessionID));
  const builder = sink.conversation(session, 'OpenCode');
  let parts: Fields[] = [];
  let at: number | undefined;
  const finish = () => {
    if (parts.length === 0) return;
    const { tokens, cost, messageID } = {
      ...parts[0],
      ...parts.findLast(({ type }) => type === 'step-finish'),
    };
    const info = { id: messageID, role: 'assistant', tokens, cost };
    addMessage({ session: '', info, parts, at, row: {} }, builder, builder.entry, sink);
    parts = [];
  };
  for (const value of sink.each(lines)) {
    const { part, timestamp } = fields(value);
    if (!isObject(part)) {
      finish();
      builder.keep(builder.entry, text(fields(value).type) ?? 'unknown', value, time(timestamp));
      continue;
    }
    if (parts.length > 0 && parts[0]?.messageID !== part.messageID) finish();
    if (parts.length === 0) at = time(timestamp);
    parts.push({ ...part, timestamp });
  }
  finish();
}

function isRow(value: unknown): boolean {
  if (!isObject(value) || !('time_created' in value)) return false;
  return 'session_id' in value || 'project_id' in value;
}

function isMessageRow(row: Fields): boolean {
  return !('message_id' in row) && typeof fields(parsed(row.data)).role === 'string';
}

function readExport(value: Fields, sink: ImportSink, tool = 'OpenCode'): void {
  const about = fields(value.info);
  const builder = sink.conversation(about.id, tool);
  builder.title = text(about.title);
  addSession(value, builder, builder.entry, sink);
}

/** Adds what a session says, and behind each call that started another one what that says. */
function addSession(value: Fields, builder: ConversationBuilder, callSite: CallSite, sink: ImportSink): void {
  const about = fields(value.info);
  builder.keep(callSite, 'session', about, time(fields(about.time).created) ?? time(about.time_created));
  const usage = objects(value.usage);
  const starting = new Map<string, { readonly draft: Draft; readonly call: Fields }>();
  for (const { info, parts, ...row } of objects(value.messages)) {
    const message = fields(info);
    // Rows that say of a session how it goes on are no messages.
    if (message.role === undefined && objects(parts).length === 0 && typeof row.type === 'string') {
      builder.keep(callSite, row.type, row, time(row.time_created));
      continue;
    }
    const at = time(fields(message.time).created);
    const spoken = { session: '', info: countedElsewhere(message, usage), parts: objects(parts), at, row };
    for (const { draft, parts: said } of addMessage(spoken, builder, callSite, sink))
      for (const call of said) {
        const started = startedBy(fields(call.state));
        if (started !== undefined) starting.set(started, { draft, call });
      }
  }
  for (const row of usage) addRequest(row, builder, callSite);
  for (const child of objects(value.children)) addStarted(child, starting, builder, callSite, sink);
}

/** Which session a call started: its details say so, or what it gave says which agent. */
function startedBy({ metadata, output }: Fields): string | undefined {
  const { sessionId, childSessionId } = fields(metadata);
  const [, agent] = /^agentId: (\S+)/m.exec(asText(output)) ?? [];
  return (
    text(sessionId) ?? text(childSessionId) ?? (agent === undefined ? undefined : `sess_subagent_${agent}`)
  );
}

/** What a message says, without its tokens where these are told request by request. */
function countedElsewhere(info: Fields, usage: readonly Fields[]): Fields {
  return usage.length === 0 ? info : withoutKeys(info, ['tokens']);
}

/** A request of ZCode's table: what it read includes what was cached. */
function addRequest(row: Fields, builder: ConversationBuilder, callSite: CallSite): void {
  const usage = usageOf({
    input: number(row.input_tokens),
    output: number(row.output_tokens),
    cached: number(row.cache_read_input_tokens),
    written: number(row.cache_creation_input_tokens),
    reasoning: number(row.reasoning_tokens),
    told: row,
  });
  const draft = builder.request(callSite, usage, text(row.model_id), time(row.started_at));
  draft.raws.push(row);
}

function addStarted(
  child: Fields,
  starting: ReadonlyMap<string, { readonly draft: Draft; readonly call: Fields }>,
  builder: ConversationBuilder,
  parent: CallSite,
  sink: ImportSink,
): void {
  const about = fields(child.info);
  const { draft, call } = starting.get(asText(about.id)) ?? {};
  const { prompt, subagent_type: kind } = fields(fields(call?.state).input);
  const [first] = objects(child.messages);
  const agent = text(kind) ?? text(about.agent) ?? text(fields(first?.info).agent) ?? 'subagent';
  const from = builder.length;
  const callSite = builder.dispatch(parent, agent, {
    task: text(prompt),
    toolCallId: text(call?.callID),
    time: draft?.time,
  });
  addSession(child, builder, callSite, sink);
  if (draft) builder.moveBehind(draft, from);
}

/** Reads the tables: one row per message, whose parts are rows of another table in a file beside it. */
function readTables(rows: readonly Fields[], sidecars: readonly SidecarEntries[], sink: ImportSink): void {
  const parts = new Map<string, Fields[]>();
  for (const row of rowsOf(sidecars, 'parts.json')) {
    const key = asText(row.message_id);
    const known = parts.get(key) ?? [];
    parts.set(key, known);
    known.push({ ...without(row, 'data'), ...fields(parsed(row.data)) });
  }
  if (parts.size === 0)
    sink.problem('warning', 'What the messages say stands in parts.json, which is not here.');
  const sessions = new Map(rowsOf(sidecars, 'sessions.json').map((row) => [asText(row.id), row]));
  const builders = new Map<string, ConversationBuilder>();
  for (const row of rows) {
    const id = asText(row.session_id);
    const builder = builders.get(id) ?? newSession(id, sessions.get(id), sink);
    builders.set(id, builder);
    const info = fields(parsed(row.data));
    const said = parts.get(asText(row.id)) ?? [];
    const at = time(row.time_created);
    const spoken = { session: id, info, parts: said, at, row: without(row, 'data') };
    addMessage(spoken, builder, builder.entry, sink);
  }
}

function newSession(id: string, about: Fields | undefined, sink: ImportSink): ConversationBuilder {
  const builder = sink.conversation(id, 'OpenCode');
  builder.title = text(about?.title);
  if (about) builder.keep(builder.entry, 'session', about, time(about.time_created));
  return builder;
}

function rowsOf(sidecars: readonly SidecarEntries[], name: string): Fields[] {
  return objects(firstValue(sidecars.find((sidecar) => sidecar.name === name)?.entries ?? []));
}

function keepRows(rows: readonly Fields[], sink: ImportSink): void {
  const builder = sink.conversation(undefined, 'OpenCode');
  for (const row of rows) builder.keep(builder.entry, 'row', row, time(row.time_created));
  sink.problem('warning', 'These rows belong to a messages.json and say nothing without it.');
}

/** Adds what a message says, and gives its drafts with the parts of each: what was said behind a call is one behind its result. */
function addMessage(
  spoken: Spoken,
  builder: ConversationBuilder,
  callSite: CallSite,
  sink: ImportSink,
): readonly { readonly draft: Draft; readonly parts: readonly Fields[] }[] {
  const { info, parts, at } = spoken;
  const raw = { ...spoken.row, info, parts: parts.filter(({ type }) => isMessagePart(type)) };
  const turns = turnsIn(parts);
  const drafts = turns.map((said, index) => {
    const draft = addTurn(spoken, said, index === turns.length - 1, raw, builder, callSite);
    return { draft, parts: said };
  });
  const { name } = fields(info.error);
  // Whoever stopped a run made no error.
  if (typeof name === 'string' && name !== 'MessageAbortedError')
    addFailure(builder, callSite, { kind: 'error', error: errorOf(info.error), time: at, raw: info.error });
  for (const part of parts) {
    const type = String(part.type);
    if (isMessagePart(type)) continue;
    if (type === 'retry') {
      const { error, attempt } = part;
      addFailure(builder, callSite, { kind: 'request', error: errorOf(error), attempt, time: at, raw: part });
      continue;
    }
    if (!/^(?:step-\w+|snapshot|patch|agent|retry|compaction|subtask)$/.test(type))
      sink.unknown(`parts of type ${type}`);
    builder.keep(callSite, type, part, at);
  }
  return drafts;
}

/** The parts of a message up to its calls, and those behind these; at least one list. */
function turnsIn(parts: readonly Fields[]): readonly (readonly Fields[])[] {
  const turns: Fields[][] = [[]];
  for (const part of parts.filter(({ type }) => isMessagePart(type))) {
    const last = turns.at(-1) ?? [];
    if (part.type !== 'tool' && last.some(({ type }) => type === 'tool')) turns.push([part]);
    else last.push(part);
  }
  return turns;
}

/** Adds a part of a message that ends with calls, or with the message; tokens stand at the last. */
function addTurn(
  { info, at }: Spoken,
  parts: readonly Fields[],
  isLast: boolean,
  raw: Fields,
  builder: ConversationBuilder,
  callSite: CallSite,
): Draft {
  const tools = parts.filter(({ type }) => type === 'tool');
  const spokenParts = parts.filter(({ type }) => type === 'text' || type === 'file');
  const said = spokenParts.map((part) => contentPart(part));
  const reasoning = parts.filter(({ type }) => type === 'reasoning').map((part) => asText(part.text));
  const [only] = said;
  const isPlain = said.length === 1 && only?.type === 'text';
  const message = chatMessage(info.role, said.length === 0 ? null : isPlain ? only.text : said, {
    reasoning: reasoning.join('\n'),
    calls: tools.map(({ callID, tool, state }) => toolCall(callID, tool, fields(state).input)),
  });
  const tokens = fields(info.tokens);
  const cache = fields(tokens.cache);
  const hasUsage = isLast && number(tokens.input) !== undefined;
  const usage = usageOf({
    input: (number(tokens.input) ?? 0) + (number(cache.read) ?? 0) + (number(cache.write) ?? 0),
    output: (number(tokens.output) ?? 0) + (number(tokens.reasoning) ?? 0),
    cached: number(cache.read),
    written: number(cache.write),
    reasoning: number(tokens.reasoning),
    cost: info.cost,
    told: tokens,
  });
  const draft = builder.message(callSite, message, {
    time: at,
    agent: text(info.agent) ?? text(info.mode),
    model: modelOf(info),
    usage: hasUsage ? usage : undefined,
    marks: marksOf(spokenParts, info),
    raw,
  });
  for (const tool of tools) addResult(tool, raw, builder, callSite, at);
  return draft;
}

/** The model of an answer; what a person sent names the one that was to answer. */
function modelOf({ role, modelID, modelId, model }: Fields): string | undefined {
  const { modelID: inner, id } = fields(role === 'assistant' ? model : undefined);
  return text(modelID) ?? text(modelId) ?? text(inner) ?? text(id);
}

/** Of each text, whether OpenCode put it there; of a message that is the summary of a compaction, each. */
function marksOf(parts: readonly Fields[], info: Fields): readonly (SpeakerMark | undefined)[] {
  const isSummary = info.role === 'user' && info.summary === true;
  const texts = parts.filter(({ type, text: words }) => type === 'text' && typeof words === 'string');
  return texts.map(({ synthetic, ignored, injected }) => {
    if (isSummary || injected === 'summary') return { kind: 'summary' };
    return synthetic === true || ignored === true ? { kind: 'reminder' } : undefined;
  });
}

/** An error of OpenCode's, which has its words among its data. */
function errorOf(error: unknown): Fields {
  const { name, data } = fields(error);
  const { message, statusCode } = fields(data);
  return { code: name, message, ...(statusCode !== undefined && { status: statusCode }) };
}

function isMessagePart(type: unknown): boolean {
  return ['tool', 'text', 'file', 'reasoning'].includes(String(type));
}

function contentPart(part: Fields): Fields {
  if (part.type === 'text' && typeof part.text === 'string') return { type: 'text', text: part.text };
  return isPicture(part) ? linkedPicture(part.url) : part;
}

/** Whether a file is a picture that stands in the part itself or on the web. */
function isPicture(part: Fields): part is Fields & { readonly url: string } {
  const { mime, url } = part;
  return asText(mime).startsWith('image/') && typeof url === 'string' && /^(?:data|https?):/.test(url);
}

/** What became of a call: a command may end badly, or be stopped by a limit, and its state be that it is completed. */
function endOfState({ status, error, metadata }: Fields, tool: string | undefined): CallEnd | undefined {
  const { exit, timeout } = fields(metadata);
  return worst(
    endOfWord(status),
    endOfHead(error),
    endOfCode(exit),
    timeout === true ? 'timedOut' : undefined,
    tool === 'invalid' ? 'failed' : undefined,
  );
}

function addResult(
  { callID, tool, state }: Fields,
  raw: Fields,
  builder: ConversationBuilder,
  callSite: CallSite,
  at: number | undefined,
): void {
  const about = fields(state);
  if (about.output === undefined && about.error === undefined) return;
  const { start, end } = fields(about.time);
  const words = asText(about.output ?? about.error);
  const pictures = objects(about.attachments).filter(isPicture);
  const content =
    pictures.length === 0
      ? words
      : [{ type: 'text', text: words }, ...pictures.map(({ url }) => linkedPicture(url))];
  builder.message(callSite, toolMessage(callID, content), {
    time: time(end) ?? at,
    toolName: text(tool),
    ...ended(endOfState(about, text(tool))),
    durationMs: between(number(start) ?? 0, number(end)),
    raw,
  });
}
