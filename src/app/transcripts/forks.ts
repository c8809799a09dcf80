import { realpath } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import type { GoingOn } from '../../agents/loop/callFrame.js';
import type { AgentDefinition } from '../../core/agent.js';
import { inLanguage, message, t } from '../../core/l10n.js';
import { isObject, textOf, type ChatMessage } from '../../core/message.js';
import type { ReadRecord, Transcript } from '../../core/ports/transcript.js';
import { messageOf } from '../../core/text.js';
import { isMessageRecord, type ForkPoint, type LogRecord, type MessageRecord } from '../../core/record.js';
import { Repository } from '../../provenance/git.js';
import { restoredRecords } from '../../store/read/restoredRecords.js';
import type { TranscriptStore } from '../../store/transcriptStore.js';
import type { ForkRequest, RunRequest } from '../answers/runRequest.js';
import { withTranscript } from './withTranscript.js';
import { UserError } from '../userError.js';

/** Opens the conversation that another one goes on from; rejects with an error for a person where it is not there. */
export type OpenOrigin = (conversation: string) => Promise<Transcript>;

/** A message of a thread: of the entry agent, or of one call. */
export interface Said {
  readonly message: ChatMessage;
  /** The record that it is; 0 where it stands in the conversation that this one goes on from. */
  readonly seq: number;
  readonly toolName?: string;
}

/** What the entry agent of a conversation, or one of its calls, has heard and said, and whom the last of it is of. */
export interface Thread {
  readonly said: readonly Said[];
  /** Undefined where nothing was run. */
  readonly agent: string | undefined;
  /** The folder in which it works, where that is none of the workspace's. */
  readonly folder: string | undefined;
}

/** Where a call says that its conversation goes on from another one; undefined for anything else, as in a hostile file. */
export function forkPointOf(record: ReadRecord | LogRecord): ForkPoint | undefined {
  if (record.type !== 'callStart' || record.depth !== 0 || !('from' in record)) return undefined;
  const { from } = record as { readonly from?: unknown };
  if (!isObject(from) || typeof from.conversation !== 'string' || !isSeq(from.seq)) return undefined;
  const { conversation, seq, without } = from;
  return { conversation, seq, ...(isSeq(without) && { without }) };
}

function isSeq(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

/**
 * What the entry agent of a conversation has heard and said, with what stands before it in the conversations that it goes on
 * from. `of`: the call instead of which that is asked.
 */
export async function readThread(transcript: Transcript, open: OpenOrigin, of?: string): Promise<Thread> {
  return await threadUpTo(transcript, open, { call: of, end: Infinity, without: undefined }, new Set());
}

/** What stands before a conversation in those that it goes on from. */
export async function readBefore(from: ForkPoint, open: OpenOrigin): Promise<readonly ChatMessage[]> {
  return (await before(from, open, new Set())).said.map(({ message }) => message);
}

async function before(from: ForkPoint, open: OpenOrigin, passed: Set<string>): Promise<Thread> {
  const transcript = await open(from.conversation);
  try {
    const { depth, call } = await recordAt(transcript, from.seq);
    const part = { call: depth === 0 ? undefined : call, end: from.seq, without: from.without };
    return await threadUpTo(transcript, open, part, passed);
  } finally {
    await transcript.close();
  }
}

async function threadUpTo(
  transcript: Transcript,
  open: OpenOrigin,
  {
    call,
    end,
    without,
  }: { readonly call: string | undefined; readonly end: number; readonly without?: number | undefined },
  passed: Set<string>,
): Promise<Thread> {
  if (passed.has(transcript.conversation))
    throw new UserError(t`The conversations that this one goes on from go on from each other in a circle.`);
  passed.add(transcript.conversation);
  const said: Said[] = [];
  let agent: string | undefined;
  let folder: string | undefined;
  for await (const record of restoredRecords(transcript)) {
    if (record.seq > end || (call === undefined ? record.depth !== 0 : record.call !== call)) continue;
    const from = forkPointOf(record);
    // Only what a conversation begins with can stand before all of it.
    if (from && agent === undefined)
      for (const { message } of (await before(from, open, passed)).said) said.push({ message, seq: 0 });
    if (record.type === 'callStart') {
      ({ agent } = record);
      const { folder: told } = record as { readonly folder?: unknown };
      folder = typeof told === 'string' ? told : undefined;
    }
    const known = record as LogRecord;
    if (isMessageRecord(known) && known.seq !== without) said.push(saidIn(known));
  }
  return { said, agent, folder };
}

function saidIn({ message, seq, toolName }: MessageRecord): Said {
  return { message, seq, ...(toolName !== undefined && { toolName }) };
}

async function recordAt(transcript: Transcript, seq: number): Promise<ReadRecord> {
  // Mostly records stand where their numbers say.
  const [near] = await transcript.read(seq - 1, seq);
  if (near?.seq === seq) return near;
  for await (const record of restoredRecords(transcript)) if (record.seq === seq) return record;
  throw new UserError(
    t`There is no record ${seq} in ${transcript.conversation}; it has ${transcript.length}.`,
  );
}

/** Why nothing here can go on from a message of an imported conversation. */
export const FOREIGN = message`This transcript was recorded elsewhere: no agent of yours can go on from its messages. Hand it over to a tool, which then can.`;

/** The stores in which conversations are found, and the agents that go on. */
interface Preparing {
  readonly library: { agents(): Promise<readonly AgentDefinition[]> };
  readonly stores: {
    find(conversation: string): Promise<OpenedIn & { readonly entry: { readonly recordedHere: boolean } }>;
    findAll(conversations: ReadonlySet<string>): Promise<readonly OpenedIn[]>;
    isUnlisted(conversation: string): boolean;
  };
}

interface OpenedIn {
  readonly store: TranscriptStore;
  readonly root: string;
}

/** What a conversation is continued with; undefined where nothing was run in it and no agent is named. */
export async function prepareContinued(
  { agent, prompt }: RunRequest,
  conversation: string,
  { library, stores }: Preparing,
) {
  const { store, root } = await stores.find(conversation);
  const thread = await withTranscript(store, conversation, (transcript) =>
    readThread(transcript, opening(stores)),
  );
  const { said, agent: last, folder } = thread;
  if (!agent && last === undefined) return undefined;
  // A record may come from anywhere: agents work where git says that the folder belongs to this one.
  if (folder !== undefined && !(await isWorktree(folder, dirname(root))))
    throw new UserError(
      t`This conversation works in ${folder}, which is no worktree of this folder's repository any more.`,
    );
  const entry = agent ?? (await agentNamed(library, last ?? ''));
  const history = said.map((each) => each.message);
  return {
    store,
    root,
    agent: entry,
    prompt,
    history,
    conversation,
    ...(folder !== undefined && { folder }),
  };
}

/** What a new conversation goes on with from a message of another one, beside it in its store. */
export async function prepareFork(
  { agent, prompt: asked }: RunRequest,
  from: ForkRequest,
  { library, stores }: Preparing,
) {
  const { store, root, entry } = await stores.find(from.conversation);
  if (!entry.recordedHere || stores.isUnlisted(from.conversation)) throw new UserError(inLanguage(FOREIGN));
  const forked = await withTranscript(store, from.conversation, (transcript) =>
    forkedRun(transcript, from, asked, opening(stores)),
  );
  const { prompt, goingOn, agent: name } = forked;
  return { store, root, agent: agent ?? (await agentNamed(library, name)), prompt, goingOn };
}

async function isWorktree(folder: string, workspace: string): Promise<boolean> {
  const [real, repository] = [
    await realpath(folder).catch(() => undefined),
    await Repository.around(workspace),
  ];
  const trees = await repository?.worktrees().catch((error: unknown) => {
    throw new UserError(t`Git could not tell the folders of the repository: ${messageOf(error)}`);
  });
  return (
    real !== undefined && (trees ?? []).some((tree) => real === tree || real.startsWith(`${tree}${sep}`))
  );
}

function opening(stores: Preparing['stores']): OpenOrigin {
  return async (conversation) => {
    const [found] = await stores.findAll(new Set([conversation]));
    if (!found)
      throw new UserError(
        t`The conversation that this one goes on from is not there any more: ${conversation}.`,
      );
    return await found.store.openTranscript(conversation);
  };
}

async function agentNamed(library: Preparing['library'], name: string): Promise<AgentDefinition> {
  const found = (await library.agents()).find((each) => each.name === name);
  if (found) return found;
  throw new UserError(t`The agent ${name} of this conversation is not there any more.`);
}

/** How a run begins that goes on from a message: its prompt, and the agent that said or heard the message. */
export interface ForkedRun {
  readonly prompt: string;
  readonly agent: string;
  readonly goingOn: GoingOn;
}

/**
 * How a run goes on behind a message, or in its place where it says something else. `prompt`: what is said next, '' for nothing.
 * At a prompt of a person another one takes its place; calls of a message that nobody answered there are made again; what other
 * calls of the same message answered stands before, too. Rejects with an error for a person where that cannot be.
 */
export async function forkedRun(
  transcript: Transcript,
  { conversation, seq, text, isError }: ForkRequest,
  prompt: string,
  open: OpenOrigin,
): Promise<ForkedRun> {
  const record = await recordAt(transcript, seq);
  if (!isMessageRecord(record))
    throw new UserError(t`Record ${seq} is no message: choose the number of a message.`);
  const { agent, depth, call } = record;
  const thread = await readThread(transcript, open, depth === 0 ? undefined : call);
  const at = thread.said.findIndex((each) => each.seq === seq);
  const found = thread.said[at];
  if (!found) throw new UserError(t`Record ${seq} cannot be read, so nothing can go on from it.`);
  const cut = cutAt(thread.said, at, found, { text, prompt, isError });
  const { says, own, history, last } = cut;
  if (says === '' && own?.message.role !== 'tool' && isAnswer(own?.message ?? history.at(-1)))
    throw new UserError(t`Message ${seq} is an answer: say what comes next.`);
  const heard = history.findLast(({ role }) => role === 'user');
  if (says === '' && !heard) throw new UserError(t`Nothing was asked before message ${seq}: say what to do.`);
  const from = { conversation, seq: last, ...(cut.isReplaced && { without: seq }) };
  return {
    prompt: says === '' ? textOf(heard?.content) : says,
    agent,
    goingOn: { from, history, isSilent: says === '', ...(own && { own }) },
  };
}

/** Whether nothing follows a message but what a person says. */
function isAnswer(message: ChatMessage | undefined): boolean {
  return message?.role === 'assistant' && (message.tool_calls ?? []).length === 0;
}

interface Cut {
  readonly history: readonly ChatMessage[];
  readonly own?: GoingOn['own'];
  /** What is said next. */
  readonly says: string;
  readonly isReplaced: boolean;
  /** The last record that stands before. */
  readonly last: number;
}

function cutAt(
  said: readonly Said[],
  at: number,
  { message, seq, toolName }: Said,
  { text, prompt, isError }: Pick<ForkRequest, 'text' | 'isError'> & { readonly prompt: string },
): Cut {
  const earlier = said.slice(0, at).map((each) => each.message);
  const only = { last: seq, isReplaced: false, says: prompt, history: [...earlier, message] };
  if (message.role === 'user') {
    const other = text ?? prompt;
    return other === '' ? only : { last: seq, isReplaced: true, says: other, history: earlier };
  }
  const changed = text === undefined ? message : { ...message, content: text };
  const by = toolName !== undefined && { toolName };
  const failed = isError === true && { isError };
  const own = { message: changed, isEdited: text !== undefined, ...by, ...failed };
  if (message.role !== 'tool') {
    const isMadeAgain = !isAnswer(message) && message.role === 'assistant' && prompt === '';
    if (text === undefined && !isMadeAgain) return only;
    return { last: seq, isReplaced: true, says: prompt, history: [...earlier, changed], own };
  }
  const rest = said.slice(at + 1);
  const end = rest.findIndex((each) => each.message.role !== 'tool');
  const beside = end === -1 ? rest : rest.slice(0, end);
  const last = beside.at(-1)?.seq ?? seq;
  const others = beside.map((each) => each.message);
  if (text === undefined) return { ...only, last, history: [...earlier, message, ...others] };
  return { last, isReplaced: true, says: prompt, history: [...earlier, ...others, changed], own };
}

/** How a run goes on from another conversation, as its record says; undefined for one that begins. */
export function goingOnIn(
  records: readonly LogRecord[],
  before: readonly ChatMessage[],
): GoingOn | undefined {
  const [start] = records;
  const from = start && forkPointOf(start);
  if (!from || start.type !== 'callStart') return undefined;
  const [first, second] = records
    .filter(isMessageRecord)
    .filter(({ call, message }) => call === start.call && message.role !== 'system');
  const isOwn = from.without !== undefined && first !== undefined && first.message.role !== 'user';
  const by = first?.toolName !== undefined && { toolName: first.toolName };
  const failed = first?.isError === true && { isError: true };
  const own = isOwn
    ? { message: first.message, isEdited: first.edited === true, ...by, ...failed }
    : undefined;
  const prompt = (isOwn ? second : first)?.message;
  const isSilent = prompt?.role !== 'user';
  return { from, history: own ? [...before, own.message] : before, isSilent, ...(own && { own }) };
}
