import { basename, dirname } from 'node:path';
import { readApprovalLog, type ApprovalLogEntry } from '../../query/numbers/approvalLog.js';
import { firstCodePoints, singleLine } from '../../core/text.js';
import type {
  ApprovalLogProgress,
  ListedDecision,
  ListedApprovalLog,
} from '../../page/panel/approvalLog/approvalLogSession.js';
import type { SearchEngine } from '../../page/panel/search/searchSession.js';
import type { Log } from '../../core/ports/log.js';
import type { SessionLocation } from '../../page/protocol/search.js';
import type { StoredConversation } from '../stores/storedConversation.js';
import { withTranscript } from '../transcripts/withTranscript.js';

/** How much of what was asked is kept, in code points; an export reads it again. */
const MAX_SUBJECT = 300;
/** What every transcript with a decision meets. */
const DECIDED = 'approval:(approved OR denied)';

/** What reading all decisions needs. */
export interface StoredApprovalLogsOptions {
  readonly engine: Pick<SearchEngine, 'ask'>;
  readonly conversations: () => Promise<readonly StoredConversation[]>;
  readonly log: Log;
}

/**
 * Reads the decisions of all transcripts, the newest first. The search says which have any, from what it keeps beside the
 * journals: only those are read. One that cannot be read is counted, and the log says why.
 */
export async function* storedApprovalLogs(
  { engine, conversations, log }: StoredApprovalLogsOptions,
  signal: AbortSignal,
): AsyncGenerator<ApprovalLogProgress, void, undefined> {
  const known = new Map(
    (await conversations()).map((each) => [keyOf(each.root, each.entry.conversation), each]),
  );
  let [looked, of, unread] = [0, known.size, 0];
  const question = {
    ...({ text: DECIDED, rows: 'sessions', order: 'newest', now: Date.now(), timeZone: 'UTC' } as const),
    limits: { sessions: Number.MAX_SAFE_INTEGER, hitsOfSession: 1 },
  };
  for await (const update of engine.ask(question, signal)) {
    const approvalLogs: ListedApprovalLog[] = [];
    for (const { place: location } of update.groups) {
      signal.throwIfAborted();
      const found = known.get(keyOf(location.root, location.conversation));
      if (!found) continue;
      try {
        approvalLogs.push(await listedApprovalLog(location, found, signal));
      } catch (error) {
        signal.throwIfAborted();
        unread++;
        log.warn(`The approvals of ${location.conversation} cannot be read.`, error);
      }
    }
    ({ looked, of } = update.progress);
    yield { looked, of, unread: unread + update.unread.count, approvalLogs };
  }
}

function keyOf(root: string, conversation: string): string {
  return `${root}\0${conversation}`;
}

async function listedApprovalLog(
  location: SessionLocation,
  { store, root, entry: { conversation, title, source, origin } }: StoredConversation,
  signal: AbortSignal,
): Promise<ListedApprovalLog> {
  const { entries } = await withTranscript(store, conversation, (transcript) =>
    readApprovalLog(transcript, undefined, signal),
  );
  return {
    place: location,
    title,
    source: source ?? origin?.tool ?? '',
    folder: folderName(root),
    decisions: entries.map(listed),
  };
}

function listed({ subject, reason, ...approval }: ApprovalLogEntry): ListedDecision {
  return { ...approval, subject: short(subject), reason: short(reason) };
}

function short(text: string): string {
  return firstCodePoints(singleLine(firstCodePoints(text, MAX_SUBJECT * 4)), MAX_SUBJECT);
}

/** The folder of a store is called like that of the workspace which it lies in. */
function folderName(root: string): string {
  const name = basename(root);
  return name.startsWith('.') ? basename(dirname(root)) : name;
}
