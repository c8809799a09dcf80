import type { Disposable } from '../core/event.js';
import { messageOf } from '../core/text.js';
import { Thread } from '../node/thread.js';
import type { Log } from '../core/ports/log.js';
import type { CaptureCalls, CaptureHostCalls } from './captureCalls.js';
import type { Growth } from './servers/recordingFiles.js';

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
  readonly calls: Thread<CaptureCalls>;

  constructor({ log, onGrown, onProblem, onEnd, script = SCRIPT }: CaptureThreadOptions) {
    const host: CaptureHostCalls = { grown: onGrown, problem: onProblem };
    this.calls = new Thread({
      name: 'capture',
      script,
      host,
      onEnd: (error) => {
        if (!error) return;
        // What it had opened ended with it: it is not to be asked any more.
        this.calls.dispose();
        log.error('The thread that receives and records ended', error);
        onEnd(messageOf(error));
      },
    });
  }

  /** Ends it, once what was taken is on the disk. */
  dispose(): void {
    if (!this.calls.isRunning) {
      this.calls.dispose();
      return;
    }
    const ends = [
      this.calls.call('stopReceiving'),
      this.calls.call('stopRecording'),
      this.calls.call('stopServing'),
    ];
    void Promise.allSettled(ends).then(() => this.calls.dispose());
  }
}
