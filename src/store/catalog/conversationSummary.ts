import {
  NO_TOKENS,
  reportedTokens,
  reporterOf,
  tokensOf,
  type ReportedBy,
  type TokenCount,
} from '../../analysis/tokens.js';
import { isObject, textOf } from '../../core/message.js';
import { promptTitle } from '../../core/promptTitle.js';
import { isInventedTitle, type LogRecord, type UnknownRecord } from '../../core/record.js';
import { preview, singleLine } from '../../core/text.js';
import type {
  CatalogEntry,
  ConversationSource,
  ConversationState,
  ReadRecord,
} from '../../ports/transcript.js';
import { refsOf } from '../format/spillRefs.js';

/** The length of a title made of the first prompt, in code points. */
const TITLE_LENGTH = 100;
/** How many agents are listed at most. */
const MAX_AGENTS = 100;
/** How much of a prompt is processed for a title, in UTF-16 code units. */
const TITLE_SOURCE = 2000;

type TitleRecord = Extract<LogRecord, { type: 'title' }>;

/** The counts of a conversation, built record by record; plain data, so that the catalog can cache it. */
export interface SummaryData {
  /** As given by a person, or the beginning of the first prompt. */
  title: string;
  titled: boolean;
  agents: string[];
  startedAt: number;
  endedAt: number;
  /** Records of every type. */
  records: number;
  messages: number;
  runs: number;
  /** How the last run ended; `open` where its end is not recorded, `none` without a run. */
  outcome: ConversationState | 'open' | 'none';
  /** The tokens that calls which have ended report, see `reportedTokens`. */
  tokens: number;
  /** Whether any of them was estimated. */
  estimated: boolean;
  /** What calls report that have not ended, by call. */
  open: (readonly [call: string, reported: ReportedBy<TokenCount>])[];
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
    records: 0,
    messages: 0,
    runs: 0,
    outcome: 'none',
    tokens: 0,
    estimated: false,
    open: [],
    scripted: false,
    spilled: 0,
  };
}

/** A summary that can be added to without changing this one. */
export function copyOfSummary(summary: SummaryData): SummaryData {
  return { ...summary, agents: [...summary.agents], open: [...summary.open] };
}

/** Adds one record, which may come from a hostile file. */
export function addToSummary(summary: SummaryData, record: ReadRecord): void {
  const { agent, time } = record;
  summary.records++;
  if (agent !== '' && summary.agents.length < MAX_AGENTS && !summary.agents.includes(agent))
    summary.agents.push(agent);
  if (time > 0) {
    summary.startedAt = summary.startedAt === 0 ? time : Math.min(summary.startedAt, time);
    summary.endedAt = Math.max(summary.endedAt, time);
  }
  addTokens(summary, record as UnknownRecord);
  if (record.type === 'message') addMessage(summary, record);
  else if (record.type === 'callStart' && record.depth === 0) {
    summary.runs++;
    summary.outcome = 'open';
    if (record.scripted === true) summary.scripted = true;
  } else if (record.type === 'callEnd' && record.depth === 0) summary.outcome = outcomeOf(record.outcome);
  else if (isTitle(record)) {
    summary.title = titleFrom(record.title);
    summary.titled = true;
  }
}

function addMessage(summary: SummaryData, record: ReadRecord): void {
  const message: unknown = record.type === 'message' ? record.message : undefined;
  if (!isObject(message)) return;
  summary.messages++;
  if (message.role === 'user' && summary.title === '')
    summary.title = promptTitle(textOf(message.content).slice(0, TITLE_SOURCE), TITLE_LENGTH) ?? '';
  for (const { bytes } of refsOf(record)) summary.spilled += bytes;
}

/** Whether a person gave a title. */
function isTitle(record: ReadRecord): record is TitleRecord {
  return record.type === 'title' && typeof record.title === 'string' && !isInventedTitle(record);
}

function titleFrom(text: string): string {
  return preview(singleLine(text.slice(0, TITLE_SOURCE)), TITLE_LENGTH);
}

/** How many calls that have not ended are kept; of the oldest of more, the tokens so far are taken for all of them. */
const MAX_OPEN = 200;

function addTokens(summary: SummaryData, record: UnknownRecord): void {
  const { call, type } = record;
  const reporter = reporterOf(record);
  const tokens = reporter && tokensOf(reporter === 'end' ? record.ownUsage : record.usage);
  const { open } = summary;
  let at = open.findLastIndex(([known]) => known === call);
  if (tokens) {
    const known = open[at]?.[1];
    const entry = [call, { ...known, [reporter]: sum(known?.[reporter], tokens) }] as const;
    if (at >= 0) open[at] = entry;
    else at = open.push(entry) - 1;
  }
  if (type === 'callEnd' && at >= 0) settle(summary, at);
  else if (open.length > MAX_OPEN) settle(summary, 0);
}

/** Adds what an open call reports to what is settled. */
function settle(summary: SummaryData, at: number): void {
  for (const [, reported] of summary.open.splice(at, 1)) {
    const tokens = reportedTokens(reported) ?? NO_TOKENS;
    summary.tokens += tokens.input + tokens.output;
    summary.estimated ||= tokens.estimated;
  }
}

function sum(a: TokenCount = NO_TOKENS, b: TokenCount): TokenCount {
  return { input: a.input + b.input, output: a.output + b.output, estimated: a.estimated || b.estimated };
}

/** The tokens of all calls, ended or not. */
function tokensIn({ tokens, estimated, open }: SummaryData): { tokens: number; estimated: boolean } {
  const counts = open.map(([, reported]) => reportedTokens(reported) ?? NO_TOKENS);
  return {
    tokens: counts.reduce((all, { input, output }) => all + input + output, tokens),
    estimated: estimated || counts.some((count) => count.estimated),
  };
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
  readonly source?: ConversationSource | undefined;
}

/** What a person called it, else what its source says, else its first prompt, else the source's id of it. */
function titleOf(summary: SummaryData, source: ConversationSource | undefined): string {
  if (summary.titled) return summary.title;
  return singleLine(source?.title ?? '') || summary.title || singleLine(source?.session ?? '');
}

/** The catalog entry of a conversation. */
export function entryOf(summary: SummaryData, facts: FileFacts): CatalogEntry {
  const { outcome } = summary;
  const { tokens, estimated } = tokensIn(summary);
  const unfinished = facts.live ? 'running' : 'interrupted';
  return {
    conversation: facts.conversation,
    title: titleOf(summary, facts.source),
    agents: [...summary.agents],
    startedAt: summary.startedAt,
    endedAt: summary.endedAt,
    messages: summary.messages,
    runs: summary.runs,
    tokens,
    tokensEstimated: estimated,
    state: outcome === 'none' ? 'done' : outcome === 'open' ? unfinished : outcome,
    scripted: summary.scripted,
    damaged: facts.damaged,
    bytes: facts.bytes + summary.spilled,
    ...(facts.source && { source: facts.source.tool, origin: facts.source }),
  };
}
