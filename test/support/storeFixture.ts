import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { LogRecord, MessageBody, RecordBody } from '../../src/core/record.js';
import { silentLog } from '../../src/core/ports/log.js';
import { TranscriptStore } from '../../src/store/transcriptStore.js';
import type { TranscriptStoreOptions } from '../../src/store/write/storeOptions.js';
import type { StoreProblem } from '../../src/store/write/storeProblem.js';

/** A folder that is gone when the test is over. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'logbook-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A store in a folder of its own (or the given one), with the problems that it tells. */
export async function temporaryStore(options: Partial<TranscriptStoreOptions> = {}) {
  const root = options.root ?? join(await temporaryFolder(), '.agent-logbook');
  const problems: StoreProblem[] = [];
  const solved: StoreProblem[] = [];
  const store = await TranscriptStore.open({
    log: silentLog,
    onProblem: (problem) => problems.push(problem),
    onSolved: (problem) => solved.push(problem),
    ...options,
    root,
  });
  onTestFinished(() => store.close());
  return { store, root, problems, solved };
}

/** A record as the recorder makes it. */
export function recordOf(seq: number, body: RecordBody, conversation = 'c1'): LogRecord {
  const header = {
    seq,
    id: `m_${String(seq).padStart(32, '0')}`,
    time: 1_790_000_000_000 + seq,
    conversation,
  };
  return { ...header, run: 'r_1', call: 'k_1', agent: 'Pickle', depth: 0, ...body };
}

export function said(content: string, role: 'user' | 'assistant' | 'tool' = 'assistant'): MessageBody {
  return { type: 'message', message: { role, content } };
}
