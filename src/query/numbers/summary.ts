import { titleTextOf } from '../../core/injected.js';
import { isObject } from '../../core/message.js';
import { promptTitle } from '../../core/promptTitle.js';
import { isInventedTitle, type UnknownRecord } from '../../core/record.js';
import { preview, singleLine } from '../../core/text.js';
import type { CatalogEntry, ConversationState, ReadRecord } from '../../core/ports/transcript.js';
import { addLengths, estimatedTokens, NO_TEXTS, type TextLengths } from './estimatedTokens.js';
import { charactersOf } from './messageSize.js';
import { countRun, NO_RUNS, type RunsSoFar } from './runCount.js';
import { widenSpan, type TimeSpan } from './callTree.js';
import { NO_TOKENS, reportedTokens, reportIn, sumOf, type ReportedBy, type TokenCount } from './tokens.js';
import { isAbsorbed, messageIn, roleOf, speakerIn, type UntypedMessage } from './transcriptItem.js';
import { knownTime, textOr } from './values.js';

/** The length of a title made of the first prompt, in code points. */
const TITLE_LENGTH = 100;
/** How many agents are listed at most. */
const MAX_AGENTS = 100;
/** How much of a prompt is processed for a title, in UTF-16 code units. */
const TITLE_SOURCE = 2000;
/** How long the id of another conversation may be, in UTF-16 code units. */
const MAX_ID = 300;

/** The counts of a conversation, built record by record; plain data, so that the catalog can cache it. */
export interface SummaryData extends TimeSpan, RunsSoFar {
  /** As given by a person, or the beginning of the first prompt. */
  title: string;
  titled: boolean;
  agents: string[];
  /** Records of every type. */
  records: number;
  messages: number;
  /** How the last run ended; `open` where its end is not recorded, `none` without a run. */
  outcome: ConversationState | 'open' | 'none';
  /** The tokens that calls which have ended report, see `reportedTokens`. */
  tokens: number;
  /** Whether any of them was estimated. */
  estimated: boolean;
  /** Whether any record reports tokens; while none does, they are estimated by the lengths of the texts. */
  reported: boolean;
  lengths: TextLengths;
  /** What calls report that have not ended, by call. */
  open: (readonly [call: string, reported: ReportedBy<TokenCount>])[];
  scripted: boolean;
  /** The conversation that it goes on from; '' for none. */
  goesOnFrom: string;
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
    ...NO_RUNS,
    outcome: 'none',
    tokens: 0,
    estimated: false,
    reported: false,
    lengths: { ...NO_TEXTS },
    open: [],
    scripted: false,
    goesOnFrom: '',
  };
}

/** Adds one record, which may come from a hostile file. */
export function addToSummary(summary: SummaryData, read: ReadRecord): void {
  const record = read as UnknownRecord;
  const { agent, type } = record;
  summary.records++;
  if (agent !== '' && summary.agents.length < MAX_AGENTS && !summary.agents.includes(agent))
    summary.agents.push(agent);
  widenSpan(summary, { type, time: knownTime(record.time) ?? 0 });
  addTokens(summary, record);
  const message = messageIn(record);
  countRun(summary, { type, depth: record.depth, role: speakerIn(record), isAbsorbed: isAbsorbed(record) });
  if (message) addMessage(summary, record, message);
  else if (type === 'callStart' && record.depth === 0) {
    summary.outcome = 'open';
    if (record.scripted === true) summary.scripted = true;
    addOrigin(summary, record);
  } else if (type === 'callEnd' && record.depth === 0) summary.outcome = outcomeOf(record.outcome);
  else if (type === 'title' && typeof record.title === 'string' && !isInventedTitle(record)) {
    summary.title = titleFrom(record.title);
    summary.titled = true;
  }
}

/** Where a conversation goes on from, and what was asked there last: that is its title where nothing is asked in it. */
function addOrigin(summary: SummaryData, { from, task }: UnknownRecord): void {
  const origin = isObject(from) ? textOr(from.conversation) : '';
  if (origin === '' || summary.goesOnFrom !== '') return;
  summary.goesOnFrom = origin.slice(0, MAX_ID);
  if (summary.title === '') summary.title = promptTitle(textOr(task), TITLE_LENGTH) ?? '';
}

function addMessage(summary: SummaryData, record: UnknownRecord, message: UntypedMessage): void {
  const { role, reasoning_content: reasoning } = message;
  summary.messages++;
  if (!summary.reported)
    addLengths(summary.lengths, roleOf(message), {
      characters: charactersOf(message),
      reasoning: textOr(reasoning).length,
    });
  if (role === 'user' && summary.title === '')
    summary.title = promptTitle(titleTextOf(record), TITLE_LENGTH) ?? '';
}

function titleFrom(text: string): string {
  return preview(singleLine(text.slice(0, TITLE_SOURCE)), TITLE_LENGTH);
}

/** How many calls that have not ended are kept; of the oldest of more, the tokens so far are taken for all of them. */
const MAX_OPEN = 200;

function addTokens(summary: SummaryData, record: UnknownRecord): void {
  const report = reportIn(record);
  const isEnd = record.type === 'callEnd';
  if (!report && !isEnd) return;
  summary.reported ||= report !== undefined;
  const { open } = summary;
  let at = open.findLastIndex(([known]) => known === record.call);
  if (report) {
    const known = open[at]?.[1];
    const sum = sumOf(known?.[report.reporter] ?? NO_TOKENS, report.tokens);
    const entry = [record.call, { ...known, [report.reporter]: sum }] as const;
    if (at >= 0) open[at] = entry;
    else at = open.push(entry) - 1;
  }
  if (isEnd && at >= 0) settle(summary, at);
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

/** The tokens of all calls, ended or not; where nobody reported any, what is estimated of the texts. */
export function tokensIn(summary: SummaryData): Pick<CatalogEntry, 'tokens' | 'tokensEstimated'> {
  const { tokens, estimated, open, reported, messages, lengths } = summary;
  if (!reported) {
    const { input, output } = estimatedTokens(lengths);
    return { tokens: input + output, tokensEstimated: messages > 0 };
  }
  const counts = open.map(([, told]) => reportedTokens(told) ?? NO_TOKENS);
  return {
    tokens: counts.reduce((all, { input, output }) => all + input + output, tokens),
    tokensEstimated: estimated || counts.some((count) => count.estimated),
  };
}

function outcomeOf(value: unknown): ConversationState {
  return value === 'failed' || value === 'cancelled' || value === 'limited' ? value : 'done';
}
