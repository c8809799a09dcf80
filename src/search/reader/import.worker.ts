import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../core/text.js';
import { PortCalls } from '../../node/portCalls.js';
import type { Log } from '../../core/ports/log.js';
import type { ImportCalls, ImportHostCalls, ImportWork } from './importCalls.js';
import { ImportedFiles } from './importedFiles.js';

if (!parentPort) throw new Error('This reads files for an import: it is started as a thread.');
const say = (level: Parameters<ImportHostCalls['log']>[0]) => (message: string, error?: unknown) => {
  const words = error === undefined ? message : `${message} ${messageOf(error)}`;
  // Where nobody is left to hear it, nobody is left to be told.
  host.call('log', level, words).catch(() => undefined);
};
const log: Log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };
const calls: ImportCalls = new ImportedFiles({
  ...(workerData as ImportWork),
  log,
  onProgress: (file, done) => {
    host.call('progress', file, done).catch(() => undefined);
  },
  onFilled: (file, told) => {
    host.call('filled', file, told).catch(() => undefined);
  },
});
const host = new PortCalls<ImportHostCalls>(parentPort, calls);
