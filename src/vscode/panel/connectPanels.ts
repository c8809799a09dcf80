import { t } from '../../core/l10n.js';
import { dirname } from 'node:path';
import type * as vscode from 'vscode';
import type { Drafts, LiveRuns, WaitingApprovals } from '../../panel/ports.js';
import type { WindowReader } from '../../reader/windowReader.js';
import type { Log } from '../../ports/log.js';
import type { Provenance } from '../../protocol/panelState.js';
import type { Stores } from '../../app/stores/stores.js';
import type { SharedTokens } from '../../app/transcripts/sharedTokens.js';
import { exportLedgers } from '../reading/exportLedgers.js';
import { exportTranscript } from '../reading/transcriptExport.js';
import { questionLink } from '../../app/transcripts/questionLink.js';
import { linkTokens } from '../frontends/transcriptLinks.js';
import { copyText } from '../surfaces/clipboard.js';
import { openFile, openLink } from './openOutside.js';
import type { PanelsInView } from '../../app/panel/panelsInView.js';
import { provenanceOf } from '../../app/panel/provenanceOf.js';
import { TranscriptPanels } from './transcriptPanels.js';

/** What the panels work with. */
export interface PanelParts {
  readonly stores: Stores;
  readonly reader: WindowReader;
  readonly tokens: SharedTokens;
  readonly runs: LiveRuns;
  readonly approvals: WaitingApprovals;
  readonly drafts: Drafts;
  readonly inView: PanelsInView;
  readonly log: Log;
}

/** Connects the panels to the stores, the runs and the editor. */
export function connectPanels(context: vscode.ExtensionContext, parts: PanelParts): TranscriptPanels {
  const { stores, reader, runs, approvals, drafts, inView, log } = parts;
  return new TranscriptPanels({
    extensionUri: context.extensionUri,
    openTranscript: async (conversation, options) =>
      reader.open((await stores.find(conversation)).store, conversation, options),
    provenance: (conversation) => provenanceIn(parts, conversation),
    originOf: (conversation) => {
      const origin = stores.known(conversation)?.origin;
      return origin && { source: origin.tool, project: origin.project };
    },
    titleOf: (conversation) => stores.known(conversation)?.title ?? t`Transcript`,
    conversationTitled: async (title) =>
      (await stores.conversations()).find(({ entry }) => entry.title === title)?.entry.conversation,
    conversationAt: (journal) => conversationAt(stores, journal),
    runs,
    approvals,
    drafts,
    inView,
    exportTranscript: (conversation, format, positions, target) =>
      exportTranscript(parts, { conversation, format, positions, target }),
    exportApprovals: async (conversation, format, filter) =>
      exportLedgers([await stores.find(conversation)], format, filter),
    memories: { user: context.globalState, workspace: context.workspaceState },
    copyQuestionLink: async (conversation, question) => {
      const sign = (text: string) => linkTokens(context.globalState, log).signatureOf(text);
      const link = questionLink({ conversation, question }, sign);
      if (link === undefined)
        throw new Error(t`The question is too long for a link. Save it under a name instead.`);
      await copyText(link);
    },
    openFile,
    openLink,
    log,
  });
}

/** Where a conversation comes from, as far as its store knows. */
async function provenanceIn({ stores, log }: PanelParts, conversation: string): Promise<Provenance> {
  try {
    const { root, entry } = await stores.find(conversation);
    return provenanceOf(dirname(root), entry.origin);
  } catch (error) {
    // A conversation that was deleted meanwhile comes from nowhere; reading it tells so.
    log.debug(`Where ${conversation} comes from is not shown: ${String(error)}`);
    return { details: [] };
  }
}

async function conversationAt(stores: Stores, journal: vscode.Uri): Promise<string | undefined> {
  for (const { store } of await stores.all()) {
    const conversation = await store.conversationOf(journal.fsPath);
    if (conversation !== undefined) return conversation;
  }
  return undefined;
}
