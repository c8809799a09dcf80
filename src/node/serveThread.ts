import { parentPort } from 'node:worker_threads';
import type { Log } from '../core/ports/log.js';
import { messageOf } from '../core/text.js';
import { PortCalls } from './portCalls.js';

/** What a thread has of the one that started it. */
export interface ThreadParent<Host extends object> {
  /** Asks it. */
  readonly host: PortCalls<Host>;
  /** Logs there, where the `Thread` was given a log. */
  readonly log: Log;
}

/**
 * Answers the calls of the `Thread` that runs this program, with `calls` or with what it makes of the log; throws where no
 * thread runs it.
 */
export function serveThread<Host extends object = object>(
  calls: object | ((log: Log) => object),
): ThreadParent<Host> {
  if (!parentPort) throw new Error('This is the program of a thread: it is started as one.');
  const logAt = (level: keyof Log) => (message: string, error?: unknown) => {
    const words = error === undefined ? message : `${message} ${messageOf(error)}`;
    logging.tell('log', level, words);
  };
  const log = { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') };
  const local = typeof calls === 'function' ? (calls as (log: Log) => object)(log) : calls;
  const host = new PortCalls<Host>(parentPort, local);
  const logging: PortCalls<LogCalls> = host;
  return { host, log };
}

interface LogCalls {
  log(level: keyof Log, message: string): void;
}
