import { Worker } from 'node:worker_threads';
import type { Disposable } from '../../core/event.js';
import { PortCalls } from '../../node/portCalls.js';
import type { Log } from '../../core/ports/log.js';
import type { SessionAbout } from './sessionAbout.js';
import type { ToolChange, ToolRequest } from './sessionFinder.js';
import type { ToolId } from '../../import/toolHomes.js';
import type { Machine } from '../../import/tools/home.js';

const SCRIPT = new URL('./workers/discovery.js', import.meta.url);

/** What the thread that looks for sessions answers; see `SessionFinder`. */
export interface DiscoveryCalls {
  changes(requests: readonly ToolRequest[], since: number): Promise<readonly ToolChange[]>;
  workspaces(id: ToolId, paths: readonly string[]): Promise<readonly (string | undefined)[]>;
  about(id: ToolId, paths: readonly string[]): Promise<readonly (SessionAbout | undefined)[]>;
}

/** The thread that looks for sessions of other tools, which may be many thousands. */
export class DiscoveryThread implements Disposable {
  readonly calls: PortCalls<DiscoveryCalls>;
  readonly #worker: Worker;

  /** `script` is the bundle of `discovery.worker.ts`; by default where the build puts it. */
  constructor(machine: Machine, log: Log, script = SCRIPT) {
    this.#worker = new Worker(script, { name: 'discovery', execArgv: [], workerData: machine });
    this.calls = new PortCalls<DiscoveryCalls>(this.#worker, {});
    this.#worker.on('error', (error) => log.error('The thread that looks for sessions ended', error));
    this.#worker.on('exit', () => this.calls.close());
  }

  dispose(): void {
    void this.#worker.terminate();
  }
}
