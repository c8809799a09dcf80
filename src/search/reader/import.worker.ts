import { workerData } from 'node:worker_threads';
import { serveThread } from '../../node/serveThread.js';
import type { Log } from '../../core/ports/log.js';
import type { ImportCalls, ImportHostCalls, ImportWork } from './importCalls.js';
import { ImportedFiles } from './importedFiles.js';

const calls = (log: Log): ImportCalls =>
  new ImportedFiles({
    ...(workerData as ImportWork),
    log,
    onProgress: (file, done) => {
      host.tell('progress', file, done);
    },
    onFilled: (file, told) => {
      host.tell('filled', file, told);
    },
  });
const { host } = serveThread<ImportHostCalls>(calls);
