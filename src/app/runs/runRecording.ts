import type { Journal } from '../../core/ports/journal.js';
import type { Log } from '../../core/ports/log.js';
import type { MessageAccumulator } from '../../core/record/messageAccumulator.js';
import { Recorder } from '../../core/record/recorder.js';
import type { Settings } from '../ports/settings.js';
import { UserError } from '../userError.js';
import type { PreparedRun } from './preparedRun.js';

/** The recorder of one run, and the journal behind it. */
export interface RunRecording {
  readonly recorder: Recorder;
  /** Stops recording; resolves when the conversation can be continued. */
  close(): Promise<void>;
}

/** Opens the journal of a run; `onFull` is called when too much waits in memory. */
export async function openRecording(
  prepared: PreparedRun,
  parts: {
    readonly accumulator: MessageAccumulator;
    readonly settings: Settings;
    readonly log: Log;
    onFull(): void;
  },
): Promise<RunRecording> {
  const { journal, lastSeq } = await openJournal(prepared);
  const recorder = new Recorder({
    conversation: prepared.conversation,
    lastSeq,
    accumulator: parts.settings.get('recording.accumulator') ? parts.accumulator : undefined,
    onListenerFailure: (error) => parts.log.error('A subscriber of the record failed', error),
  });
  recorder.onDidRecord((record) => journal.append(record));
  recorder.onDidSay((piece) => journal.say?.(piece));
  journal.onDidChange(({ full }) => {
    if (full === true) parts.onFull();
  });
  return {
    recorder,
    close: () => {
      recorder.dispose();
      return closed(journal);
    },
  };
}

async function openJournal({
  store,
  conversation,
  history,
}: PreparedRun): Promise<{ journal: Journal; lastSeq: number }> {
  if (!history) return { journal: await store.createConversation(conversation), lastSeq: 0 };
  const resumed = await store.resumeConversation(conversation);
  if ('refused' in resumed) throw new UserError(resumed.refused);
  return resumed;
}

/** Closes the journal; where the store cannot be written now, resolves at once while the journal keeps waiting. */
async function closed(journal: Journal): Promise<void> {
  const { problem } = await journal.flush();
  const closing = journal.close();
  if (problem === undefined) await closing;
}
