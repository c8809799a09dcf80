import type { Disposable } from '../../core/event.js';

/** Something to write texts to. */
export interface TextSink {
  /** Whether a person looks at it. */
  readonly isTerminal: boolean;
  /** How many columns are seen; undefined where that is not known. */
  readonly columns: number | undefined;
  /** Resolves once the text is taken. Rejects with a `ClosedPipe` where nobody reads on, else with errors of the system. */
  write(text: string): Promise<void>;
}

/** What the command line asks of the process that it runs in. */
export interface Terminal {
  /** The version of the program. */
  readonly version: string;
  /** A mark of the program, another for every build of it, by which what it has worked out is known again; left out: nothing is kept. */
  readonly program?: string | undefined;
  /** The words behind the program's name. */
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: TextSink;
  readonly err: TextSink;
  readonly stdin: () => AsyncIterable<Uint8Array>;
  /**
   * Asks the person at the terminal for a line; undefined where nobody can be asked. Rejects where the signal is aborted
   * or nobody is there any more.
   */
  readonly ask: ((question: string, signal: AbortSignal) => Promise<string>) | undefined;
  /** Aborted where the person interrupts. */
  readonly signal: AbortSignal;
  /**
   * While a program runs that signals are meant for, they are handed to a listener instead of ending this one. An
   * interruption at the keyboard reaches that program by itself, and is not handed on.
   */
  readonly takeSignals: (listener: (signal: NodeJS.Signals) => void) => Disposable;
  /** What is run on threads that push to an archive; undefined where there are none. */
  readonly archiveScript?: URL | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Nobody reads what is written any more, as where `head` has seen enough. */
export class ClosedPipe extends Error {
  override readonly name = 'ClosedPipe';
}

/** The exit codes of its own, where it does not end as a program that it ran: done; something that was asked for does not hold, or a part could not be read; impossible; interrupted. */
export const EXIT = { done: 0, notAll: 1, impossible: 2, interrupted: 130 } as const;
/** Wrong use of the command line: one line that says what to do. */
export class WrongUse extends Error {
  override readonly name = 'WrongUse';
}

/** How wide what is written may be: as the environment says, else as wide as the terminal; undefined where neither is known. */
export function columnsOf({ env, out }: Pick<Terminal, 'env' | 'out'>): number | undefined {
  return env.COLUMNS !== undefined && /^[1-9]\d*$/.test(env.COLUMNS) ? Number(env.COLUMNS) : out.columns;
}

/** The same of what is told besides: whole lines where no person looks, so that programs find each sentence on one. */
export function columnsBeside({ env, err }: Pick<Terminal, 'env' | 'err'>): number | undefined {
  return err.isTerminal ? columnsOf({ env, out: err }) : undefined;
}
