import { statSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { isMainThread } from 'node:worker_threads';
import { TimeSlices, yieldToEventLoop } from '../../core/yieldToEventLoop.js';
import { errorCode } from '../../core/errorCode.js';
import type { Disposable } from '../../core/event.js';
import { loadArchiveThread } from './loaders.js';
import { runCommandLine } from './runCommandLine.js';
import { ClosedPipe, EXIT, type TextSink } from './terminal.js';

/** The version of the package; the build puts it here. */
declare const PACKAGE_VERSION: string;

/** How long texts are written one after the other before signals have their turn, in milliseconds: a file takes them at once. */
const SLICE_MS = 40;
const slices = new TimeSlices(SLICE_MS);

/** A stream of the process as something to write to. */
function sinkOf(stream: NodeJS.WriteStream): TextSink {
  // Each write tells its own failure; without a listener, the first would end the process.
  stream.on('error', () => undefined);
  return {
    isTerminal: stream.isTTY,
    columns: stream.isTTY ? stream.columns : undefined,
    async write(text) {
      await new Promise<void>((resolve, reject) => {
        stream.write(text, (error) => {
          if (!error) resolve();
          else reject(isClosed(error) ? new ClosedPipe('Nobody reads on.') : error);
        });
      });
      await slices.whenOver();
    },
  };
}

function isClosed(error: Error): boolean {
  return ['EPIPE', 'ERR_STREAM_DESTROYED', 'EOF', 'ECONNRESET'].includes(errorCode(error));
}

const interrupt = new AbortController();
let wasAsked = false;
let taker: ((signal: NodeJS.Signals) => void) | undefined;
process.on('SIGINT', () => {
  if (taker) {
    // The keyboard interrupts every program in front, the one that was started too.
    if (!process.stdin.isTTY) taker('SIGINT');
    return;
  }
  // Whoever asks twice does not want to wait.
  if (wasAsked) process.exit(EXIT.interrupted);
  wasAsked = true;
  interrupt.abort(new Error('Interrupted.'));
});

/** Hands signals to a listener until that is disposed. */
function takeSignals(listener: (signal: NodeJS.Signals) => void): Disposable {
  const handOn = (signal: NodeJS.Signals) => listener(signal);
  const others = ['SIGTERM', 'SIGHUP'] as const;
  taker = listener;
  for (const signal of others) process.on(signal, handOn);
  return {
    dispose() {
      taker = undefined;
      for (const signal of others) process.off(signal, handOn);
    },
  };
}

/** Asks the person at the keyboard for a line, on standard error. */
async function ask(question: string, signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const gone = new Promise<never>((_, fail) => {
    lines.once('close', () => fail(new Error('Nobody is there any more.')));
  });
  // A keyboard that is read line by line hands an interruption to whoever reads it.
  lines.on('SIGINT', () => process.emit('SIGINT'));
  try {
    return await Promise.race([lines.question(question, { signal }), gone]);
  } finally {
    lines.close();
  }
}

/** The folder in which it was started; of one that somebody has removed, where it was, so that full paths are read all the same. */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return process.env.PWD ?? '/';
  }
}

/** Runs the command line as a process; ends it. */
/** The command line is one file: another one may read or count in another way. */
function programMark(): string {
  const { size, mtimeMs } = statSync(new URL(import.meta.url));
  return `${PACKAGE_VERSION} ${size} ${mtimeMs}`;
}

async function main(): Promise<void> {
  const code = await runCommandLine({
    version: PACKAGE_VERSION,
    program: programMark(),
    args: process.argv.slice(2),
    cwd: workingFolder(),
    env: process.env,
    out: sinkOf(process.stdout),
    err: sinkOf(process.stderr),
    stdin: () => process.stdin,
    ask: process.stdin.isTTY && process.stderr.isTTY ? ask : undefined,
    signal: interrupt.signal,
    takeSignals,
    archiveScript: new URL(import.meta.url),
    now: () => Date.now(),
  });
  // An interruption is heard that came while the last was worked out: it waits for the second turn.
  await yieldToEventLoop();
  await yieldToEventLoop();
  // All that was written is taken; timers and watchers of parts that nobody needs any more would only delay.
  process.exit(wasAsked ? EXIT.interrupted : code);
}

// The command line is one file, which is what its threads run too; there is one kind of them.
if (isMainThread) void main();
else void loadArchiveThread();
