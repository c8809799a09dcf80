import {
  choosesApproval,
  readApprovalLog,
  type DecidedCall,
  type ApprovalLogFilter,
} from '../../query/numbers/approvalLog.js';
import type { ConversationApprovalLog } from '../../export/approvalLogText.js';
import type { Report } from '../ports/dialogs.js';
import type { CatalogEntry } from '../../core/ports/transcript.js';
import type { TranscriptStore } from '../../store/transcriptStore.js';
import { plain } from '../text/plainText.js';
import { withTranscript } from '../transcripts/withTranscript.js';

/** The decisions of a conversation, and the calls that were asked for with them. */
export interface ReadApprovalLogOf extends ConversationApprovalLog {
  readonly calls: readonly DecidedCall[];
  /** How many calls are left out, because there are more than can be kept. */
  readonly leftOut: number;
}

/** The positions of decisions, by the folder of a store and the id of a conversation. */
export type PositionsOf = (root: string, conversation: string) => ReadonlySet<number>;

/**
 * Reads the decisions of conversations, one after the other, those that `filter` chooses; `wanted` says of which tools the calls
 * are read, too. Rejects where the signal is aborted, and with the error of the first that cannot be read.
 */
export async function approvalLogsOf(
  conversations: readonly {
    readonly store: TranscriptStore;
    readonly root: string;
    readonly entry: CatalogEntry;
  }[],
  options: {
    readonly filter?: ApprovalLogFilter;
    /** The positions of the decisions of a conversation, where not all of them are wanted. */
    readonly positions?: PositionsOf | undefined;
    readonly wanted?: (tool: string) => boolean;
    readonly signal: AbortSignal;
    readonly report: Report;
  },
): Promise<ReadApprovalLogOf[]> {
  const { filter = {}, positions, wanted, signal, report } = options;
  const approvalLogs: ReadApprovalLogOf[] = [];
  for (const { store, root, entry } of conversations) {
    signal.throwIfAborted();
    const { conversation, title, origin } = entry;
    report(plain(title), 100 / conversations.length);
    const read = await withTranscript(store, conversation, (transcript) =>
      readApprovalLog(transcript, wanted, signal),
    );
    const only = positions?.(root, conversation);
    const entries = read.entries.filter(
      (each) => choosesApproval(filter, each) && only?.has(each.position) !== false,
    );
    approvalLogs.push({ conversation, title, importedFrom: origin?.tool, ...read, entries });
  }
  return approvalLogs;
}
