import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from './inspect.js';
import { count, inFolder, lacks, type Recipe } from './recipe.js';
import { Writer } from './writer.js';

/** A call that fails, from which time to which, and on what: the journal, or wherever the process writes. */
const ERRORS = [
  { inject: 'write:error=EIO:when=3..6', on: 'journal' },
  { inject: 'write:error=ENOSPC:when=2..9', on: 'journal' },
  { inject: 'write:error=EDQUOT:when=4..5', on: 'journal' },
  { inject: 'write:error=EFBIG:when=1..2', on: 'journal' },
  { inject: 'write:error=EROFS:when=2..3', on: 'journal' },
  { inject: 'fdatasync:error=EIO:when=2', on: 'any' },
  { inject: 'fdatasync:error=EIO:when=1..3', on: 'any' },
  { inject: 'fdatasync:error=ENOSPC:when=3..5', on: 'any' },
  { inject: 'rename:error=EACCES:when=1..2', on: 'any' },
  { inject: 'fsync:error=EIO:when=1..3', on: 'any' },
  { inject: 'openat:error=EMFILE:when=1..3', on: 'journal' },
  { inject: 'openat:error=ENFILE:when=1..2', on: 'spill' },
  { inject: 'mkdir:error=EACCES:when=1..4', on: 'any' },
] as const;

/** Every error that a disk can give, for a while: the run goes on, the person is told, nothing is lost. */
export const diskErrors: Recipe = {
  name: 'EIO, ENOSPC, EDQUOT, EFBIG, EROFS, EMFILE, EACCES for a while',
  unavailable: () => lacks('strace', '-e', 'inject=write:retval=0:when=65535', 'true'),
  run: async ({ driver, scale }, figures) => {
    const cases = scale > 1 ? ERRORS : ERRORS.filter((_, at) => at % 3 === 0);
    for (let round = 0; round < Math.max(1, scale / 5); round++) {
      for (const { inject, on } of cases) {
        await inFolder(async (folder) => {
          const root = join(folder, '.agent-logbook');
          const spill = join(root, 'state', 'logs', 'tool-results', 'c1');
          const conversation = join(root, 'conversations', 'c1');
          mkdirSync(folder, { recursive: true });
          const journals = ['messages.jsonl', 'messages.2.jsonl'].flatMap((name) => [
            '-P',
            join(conversation, name),
          ]);
          const paths = on === 'journal' ? journals : on === 'spill' ? ['-P', spill] : [];
          const [call = ''] = inject.split(':');
          // strace counts the calls of each thread alone: with one thread for files the n-th is the n-th.
          const strace = [
            'env',
            'UV_THREADPOOL_SIZE=1',
            'strace',
            '-f',
            '-qq',
            '-o',
            '/dev/null',
            ...paths,
            '-e',
            `trace=${call}`,
            '-e',
            `inject=${inject}`,
          ];
          const task = { root, conversation: 'c1', agents: 2, sizes: [300, 60_000], messages: 12 };
          const writer = new Writer(task, driver, strace);
          const { done, problems, errors } = await writer.ended;
          if (!done) figures.faults.push(`${inject}: the writer did not end well: ${errors}`);
          if (problems.length === 0) figures.faults.push(`${inject}: nobody was told`);
          if (writer.acknowledged.size < 24)
            figures.faults.push(`${inject}: ${writer.acknowledged.size} of 24 were saved`);
          count(figures, writer.acknowledged, await inspect(root, 'c1', writer.acknowledged));
        });
      }
    }
  },
};
