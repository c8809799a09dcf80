import type { Environment } from 'vitest/environments';

/** Ends something that a worker has started for all of its files. */
export type End = () => Promise<void>;

declare global {
  /** What is to be done, one after the other, when a worker has run its last file. */
  var endsOfWorker: End[];
}

/** Node, with an end: what files of a worker share is ended, and waited for, when the worker has run the last of them. */
const workerEnvironment: Environment = {
  name: 'worker',
  viteEnvironment: 'ssr',
  setup(global: typeof globalThis) {
    global.endsOfWorker = [];
    return {
      async teardown() {
        for (const end of global.endsOfWorker) await end();
      },
    };
  },
};

export default workerEnvironment;
