import { dirname } from 'node:path';
import type * as vscode from 'vscode';
import type { Drafts, LiveRuns, ScanBatch } from '../../panel/ports.js';
import type { Log } from '../../ports/log.js';
import type { Transcript } from '../../ports/transcript.js';
import type { Provenance } from '../../protocol/panelState.js';
import { filterCriteria, type Criteria } from '../../protocol/criteria.js';
import type { Logbooks } from '../logbooks.js';
import type { SharedTokens } from '../../app/transcripts/sharedTokens.js';
import { recordsBetween } from '../../app/transcripts/wholeRecords.js';
import { exportTranscript } from '../reading/transcriptExport.js';
import { sharedPatterns } from '../../app/sharedPatterns.js';
import { mementoFilters } from './mementoFilters.js';
import { openFile, openLink } from './openOutside.js';
import type { PanelsInView } from './panelsInView.js';
import { provenanceOf } from '../../app/panel/provenanceOf.js';
import { TranscriptPanels } from './transcriptPanels.js';

/** What the panels work with. */
export interface PanelParts {
  readonly logbooks: Logbooks;
  readonly tokens: SharedTokens;
  readonly runs: LiveRuns;
  readonly drafts: Drafts;
  readonly inView: PanelsInView;
  readonly log: Log;
}

/** Connects the panels to the stores, the runs and the editor. */
export function connectPanels(context: vscode.ExtensionContext, parts: PanelParts): TranscriptPanels {
  const { logbooks, runs, drafts, inView, log } = parts;
  return new TranscriptPanels({
    extensionUri: context.extensionUri,
    openTranscript: async (conversation) =>
      (await logbooks.find(conversation)).store.openTranscript(conversation),
    provenance: (transcript) => provenanceIn(parts, transcript),
    titleOf: (conversation) => logbooks.known(conversation)?.title ?? 'Transcript',
    conversationTitled: async (title) =>
      (await logbooks.conversations()).find(({ entry }) => entry.title === title)?.entry.conversation,
    conversationAt: (journal) => conversationAt(logbooks, journal),
    runs,
    drafts,
    inView,
    scan: (conversation, criteria, signal, from) => scan(logbooks, conversation, criteria, signal, from),
    patterns: sharedPatterns,
    prepareScan: (conversation) => void prepareScan(parts, conversation),
    countTokens: (transcript, start, end, signal) =>
      parts.tokens.countRecords(recordsBetween(transcript, start, end, signal), signal),
    exportTranscript: (conversation, format, positions, target) =>
      exportTranscript(parts, { conversation, format, positions, target }),
    savedFilters: mementoFilters(context.globalState),
    openFile,
    openLink,
    log,
  });
}

/** Where a conversation comes from, as far as its store knows. */
async function provenanceIn({ logbooks, log }: PanelParts, transcript: Transcript): Promise<Provenance> {
  try {
    const { root, entry } = await logbooks.find(transcript.conversation);
    return await provenanceOf(transcript, dirname(root), entry.origin);
  } catch (error) {
    // A conversation that was deleted meanwhile comes from nowhere; reading it tells so.
    log.debug(`Where ${transcript.conversation} comes from is not shown: ${String(error)}`);
    return { details: [] };
  }
}

async function conversationAt(logbooks: Logbooks, journal: vscode.Uri): Promise<string | undefined> {
  for (const { store } of await logbooks.all()) {
    const conversation = await store.conversationOf(journal.fsPath);
    if (conversation !== undefined) return conversation;
  }
  return undefined;
}

async function* scan(
  logbooks: Logbooks,
  conversation: string,
  criteria: Criteria,
  signal: AbortSignal,
  from: number,
): AsyncGenerator<ScanBatch, void, undefined> {
  const { store } = await logbooks.find(conversation);
  yield* store.scan(conversation, filterCriteria(criteria), signal, from);
}

async function prepareScan({ logbooks, log }: PanelParts, conversation: string): Promise<void> {
  try {
    await (await logbooks.find(conversation)).store.prepareScan(conversation);
  } catch (error) {
    log.debug(`Nothing is made ready to filter ${conversation}: ${String(error)}`);
  }
}
