import { dirname } from 'node:path';
import type * as vscode from 'vscode';
import { sourceDetails } from '../../import/sourceDetails.js';
import type { Drafts, LiveRuns, PanelTranscript } from '../../panel/ports.js';
import type { Log } from '../../ports/log.js';
import type { PanelEvent } from '../../protocol/events.js';
import type { Provenance } from '../../protocol/panelState.js';
import { filterCriteria } from '../../protocol/criteria.js';
import type { Logbooks } from '../../app/stores/logbooks.js';
import type { SharedTokens } from '../../app/transcripts/sharedTokens.js';
import { recordsBetween } from '../../app/transcripts/wholeRecords.js';
import { exportTranscript } from '../reading/transcriptExport.js';
import { sharedPatterns } from '../../app/sharedPatterns.js';
import { mementoFilters } from '../../app/panel/mementoFilters.js';
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
    openTranscript: (conversation, send) => openTranscript(parts, conversation, send),
    provenance: (conversation) => provenanceIn(parts, conversation),
    titleOf: (conversation) => logbooks.known(conversation)?.title ?? 'Transcript',
    conversationTitled: async (title) =>
      (await logbooks.conversations()).find(({ entry }) => entry.title === title)?.entry.conversation,
    conversationAt: (journal) => conversationAt(logbooks, journal),
    runs,
    drafts,
    inView,
    exportTranscript: (conversation, format, positions, target) =>
      exportTranscript(parts, { conversation, format, positions, target }),
    savedFilters: mementoFilters(context.globalState),
    openFile,
    openLink,
    log,
  });
}

/** Where a conversation comes from, as far as its store knows. */
async function provenanceIn({ logbooks, log }: PanelParts, conversation: string): Promise<Provenance> {
  try {
    const { root, entry } = await logbooks.find(conversation);
    return provenanceOf(dirname(root), entry.origin);
  } catch (error) {
    // A conversation that was deleted meanwhile comes from nowhere; reading it tells so.
    log.debug(`Where ${conversation} comes from is not shown: ${String(error)}`);
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

/** How many records make it worth having an index ready before a person filters. */
const MIN_PREPARED = 5_000;

async function openTranscript(
  { logbooks, tokens, log }: PanelParts,
  conversation: string,
  send: (event: PanelEvent) => PromiseLike<unknown>,
): Promise<PanelTranscript> {
  const { store } = await logbooks.find(conversation);
  const [{ TranscriptSession }, transcript] = await Promise.all([
    // Loaded lazily, to keep it out of VS Code's startup.
    import('../../panel/transcriptSession.js'),
    store.openTranscript(conversation),
  ]);
  if (transcript.length >= MIN_PREPARED) await store.prepareScan(conversation);
  return new TranscriptSession({
    transcript,
    scan: (criteria, signal, from) => store.scan(conversation, filterCriteria(criteria), signal, from),
    patterns: sharedPatterns,
    countTokens: (counted, start, end, signal) =>
      tokens.countRecords(recordsBetween(counted, start, end, signal), signal),
    details: sourceDetails,
    log,
    send,
  });
}
