import { addToSummary, emptySummary, tokensIn, type SummaryData } from '../../query/numbers/summary.js';
import { singleLine } from '../../core/text.js';
import type { CatalogEntry, ConversationSource, ReadRecord } from '../../core/ports/transcript.js';
import { refsOf } from '../format/spillTexts.js';

/** What the catalog caches of a conversation: its counts, and what its texts in files of their own take. */
export interface StoredSummary extends SummaryData {
  /** In bytes. */
  spilled: number;
}

/** The summary of a conversation without records. */
export function emptyStored(): StoredSummary {
  return { ...emptySummary(), spilled: 0 };
}

/** A summary that can be added to without changing this one. */
export function copyOfSummary(summary: StoredSummary): StoredSummary {
  return {
    ...summary,
    agents: [...summary.agents],
    open: [...summary.open],
    lengths: { ...summary.lengths },
  };
}

/** Adds one record, which may come from a hostile file. */
export function addToStored(summary: StoredSummary, record: ReadRecord): void {
  addToSummary(summary, record);
  for (const { bytes } of refsOf(record)) summary.spilled += bytes;
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
export function titleOf(
  summary: Pick<SummaryData, 'title' | 'titled'>,
  source: ConversationSource | undefined,
): string {
  if (summary.titled) return summary.title;
  return singleLine(source?.title ?? '') || summary.title || singleLine(source?.session ?? '');
}

/** The catalog entry of a conversation. */
export function entryOf(summary: StoredSummary, facts: FileFacts): CatalogEntry {
  const { outcome } = summary;
  const unfinished = facts.live ? 'running' : 'interrupted';
  return {
    conversation: facts.conversation,
    title: titleOf(summary, facts.source),
    agents: [...summary.agents],
    startedAt: summary.startedAt,
    endedAt: summary.endedAt,
    messages: summary.messages,
    records: summary.records,
    runs: summary.runs,
    recordedHere: summary.recordedHere,
    ...tokensIn(summary),
    state: outcome === 'none' ? 'done' : outcome === 'open' ? unfinished : outcome,
    scripted: summary.scripted,
    ...(summary.goesOnFrom !== '' && { goesOnFrom: summary.goesOnFrom }),
    damaged: facts.damaged,
    bytes: facts.bytes + summary.spilled,
    ...(facts.source && { source: facts.source.tool, origin: facts.source }),
    ...(facts.source?.project !== undefined && { project: facts.source.project }),
  };
}
