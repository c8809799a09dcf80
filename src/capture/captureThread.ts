import { Worker } from 'node:worker_threads';
import type { Disposable } from '../core/event.js';
import { messageOf } from '../core/text.js';
import { PortCalls } from '../node/portCalls.js';
import type { Log } from '../core/ports/log.js';
import type { CaptureCalls, CaptureHostCalls } from './captureCalls.js';
import type { Growth } from './recordingFiles.js';

const SCRIPT = new URL('./workers/capture.js', import.meta.url);

/** What the thread needs. */
export interface CaptureThreadOptions {
  readonly log: Log;
  readonly onGrown: (growths: readonly Growth[]) => void;
  /** Hears of what was refused or went wrong, in words. */
  readonly onProblem: (words: string) => void;
  /** Called where the thread ends by itself, with why. */
  readonly onEnd: (words: string) => void;
  /** The bundle of `capture.worker.ts`; by default where the build puts it. */
  readonly script?: URL;
}

/** The thread that receives OpenTelemetry and records requests to models, beside the one that draws the editor. */
export class CaptureThread implements Disposable {
  readonly #worker: Worker;
  readonly calls: PortCalls<CaptureCalls>;
  #isDisposed = false;

  constructor({ log, onGrown, onProblem, onEnd, script = SCRIPT }: CaptureThreadOptions) {
    this.#worker = new Worker(script, { name: 'capture', execArgv: [] });
    const host: CaptureHostCalls = { grown: onGrown, problem: onProblem };
    this.calls = new PortCalls<CaptureCalls>(this.#worker, host);
    this.#worker.on('error', (error) => {
      log.error('The thread that receives and records ended', error);
      onEnd(messageOf(error));
    });
    this.#worker.on('exit', () => {
      this.calls.close();
      if (!this.#isDisposed) onEnd('');
    });
  }

  /** Ends it, once what was taken is on the disk. */
  dispose(): void {
    this.#isDisposed = true;
    const ends = [this.calls.call('stopReceiving'), this.calls.call('stopRecording')];
    void Promise.allSettled(ends).then(() => this.#worker.terminate());
  }
}
