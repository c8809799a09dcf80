import { isObject, textOf } from '../../core/message.js';
import { preview, singleLine } from '../../core/text.js';
import type { CatalogEntry, ConversationState, ReadRecord } from '../../ports/transcript.js';
import { refsOf } from '../format/spillRefs.js';

/** The length of a title made of the first prompt, in code points. */
const TITLE_LENGTH = 100;
/** How many agents are listed at most. */
const MAX_AGENTS = 100;
/** How much of a prompt is processed for a title, in UTF-16 code units. */
const TITLE_SOURCE = 2000;

/** The counts of a conversation, built record by record; plain data, so that the catalog can cache it. */
export interface SummaryData {
  /** As given by a person, or the beginning of the first prompt. */
  title: string;
  titled: boolean;
  agents: string[];
  startedAt: number;
  endedAt: number;
  messages: number;
  runs: number;
  /** How the last run ended; `open` where its end is not recorded, `none` without a run. */
  outcome: ConversationState | 'open' | 'none';
  /** The tokens of all requests. */
  requestTokens: number;
  /** The tokens of all messages, for conversations whose requests are not recorded. */
  messageTokens: number;
  estimated: boolean;
  scripted: boolean;
  /** The bytes of spilled texts. */
  spilled: number;
}

/** The counts of a conversation without records. */
export function emptySummary(): SummaryData {
  return {
    title: '',
    titled: false,
    agents: [],
    startedAt: 0,
    endedAt: 0,
    messages: 0,
    runs: 0,
    outcome: 'none',
    requestTokens: 0,
    messageTokens: 0,
    estimated: false,
    scripted: false,
    spilled: 0,
  };
}

/** Adds one record, which may come from a hostile file. */
export function addToSummary(summary: SummaryData, record: ReadRecord): void {
  const { agent, time } = record;
  if (agent !== '' && summary.agents.length < MAX_AGENTS && !summary.agents.includes(agent))
    summary.agents.push(agent);
  if (time > 0) {
    summary.startedAt = summary.startedAt === 0 ? time : Math.min(summary.startedAt, time);
    summary.endedAt = Math.max(summary.endedAt, time);
  }
  if (record.type === 'message') addMessage(summary, record);
  else if (record.type === 'callStart' && record.depth === 0) {
    summary.runs++;
    summary.outcome = 'open';
    if (record.scripted === true) summary.scripted = true;
  } else if (record.type === 'callEnd' && record.depth === 0) summary.outcome = outcomeOf(record.outcome);
  else if (record.type === 'request') summary.requestTokens += tokensOf(summary, record.usage);
  else if (record.type === 'title' && typeof record.title === 'string') {
    summary.title = titleFrom(record.title);
    summary.titled = true;
  }
}

function addMessage(summary: SummaryData, record: ReadRecord): void {
  const message: unknown = record.type === 'message' ? record.message : undefined;
  if (!isObject(message)) return;
  summary.messages++;
  if (message.role === 'user' && summary.title === '') summary.title = titleFrom(textOf(message.content));
  if ('usage' in record) summary.messageTokens += tokensOf(summary, record.usage);
  for (const { bytes } of refsOf(record)) summary.spilled += bytes;
}

function titleFrom(text: string): string {
  return preview(singleLine(text.slice(0, TITLE_SOURCE)), TITLE_LENGTH);
}

function tokensOf(summary: SummaryData, usage: unknown): number {
  if (!isObject(usage)) return 0;
  if (usage.estimated === true) summary.estimated = true;
  return count(usage.inputTokens) + count(usage.outputTokens);
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

function outcomeOf(value: unknown): ConversationState {
  return value === 'failed' || value === 'cancelled' || value === 'limited' ? value : 'done';
}

/** What is known from the files alone. */
export interface FileFacts {
  readonly conversation: string;
  readonly damaged: number;
  /** The size of the journal, without spilled texts. */
  readonly bytes: number;
  /** Whether a live process writes it. */
  readonly live: boolean;
}

/** The catalog entry of a conversation. */
export function entryOf(summary: SummaryData, facts: FileFacts): CatalogEntry {
  const { outcome } = summary;
  const unfinished = facts.live ? 'running' : 'interrupted';
  return {
    conversation: facts.conversation,
    title: summary.title,
    agents: [...summary.agents],
    startedAt: summary.startedAt,
    endedAt: summary.endedAt,
    messages: summary.messages,
    runs: summary.runs,
    tokens: summary.requestTokens > 0 ? summary.requestTokens : summary.messageTokens,
    tokensEstimated: summary.estimated,
    state: outcome === 'none' ? 'done' : outcome === 'open' ? unfinished : outcome,
    scripted: summary.scripted,
    damaged: facts.damaged,
    bytes: facts.bytes + summary.spilled,
  };
}
