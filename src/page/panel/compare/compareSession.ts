import { messageOf } from '../../../core/text.js';
import type { Log } from '../../../core/ports/log.js';
import {
  compareRequests,
  type CompareChoices,
  type CompareContract,
  type CompareFormat,
  type CompareFound,
  type CompareRow,
  type CompareState,
  type CompareView,
  type KeptComparison,
} from '../../protocol/comparePage.js';
import type { FromHost } from '../../protocol/protocol.js';
import { RequestHandlers, RequestServer } from '../../protocol/requestServer.js';

/** The texts of a row as they were said. */
export interface CompareBodies {
  readonly title: string;
  readonly left: string;
  readonly right: string;
}

/** A place that can be opened: a run of those that are compared, and a record of it. */
export interface ComparePlace {
  readonly run: number;
  readonly position: number;
}

/** What compares. What it answers besides is of what was compared last. */
export interface CompareEngine {
  /** Rejects with an error for a person, and with the signal's reason as soon as that is aborted. */
  compare(
    choices: CompareChoices,
    signal: AbortSignal,
    onProgress: (run: string, done: number, of: number) => void,
  ): Promise<CompareView>;
  rows(from: number, count: number): Promise<readonly CompareRow[]>;
  ask(text: string): Promise<CompareFound>;
  bodies(row: number): Promise<CompareBodies>;
  place(row: number, side: 'left' | 'right'): Promise<ComparePlace>;
  text(format: CompareFormat): Promise<string>;
}

/** What the session of a page needs. */
export interface CompareSessionOptions {
  readonly engine: CompareEngine;
  /** What is compared, and how at first; the page keeps both. */
  readonly compared: KeptComparison;
  readonly open: (place: ComparePlace) => Promise<void>;
  /** Compares a run of several with the baseline, by their numbers. */
  readonly compareTwo: (baseline: number, run: number) => void;
  readonly showBodies: (bodies: CompareBodies) => Promise<void>;
  readonly exportAs: (format: CompareFormat, text: string) => Promise<void>;
  /** Told what was compared, as for the title of a tab. */
  readonly onCompared: (view: CompareView) => void;
  readonly log: Log;
  /** Sends a message to the page; resolves when the page's side has taken it. */
  post(message: FromHost<CompareContract>): PromiseLike<unknown>;
}

/** How often a page is told how far it is, in milliseconds. */
const TELL_MS = 100;

/** The host's side of the page of a comparison. Knows no editor. */
export class CompareSession {
  readonly #options: CompareSessionOptions;
  readonly #server: RequestServer<CompareContract>;
  #state: CompareState = { state: 'cancelled' };
  #choices: CompareChoices;
  #work: AbortController | undefined;
  #toldAt = 0;

  constructor(options: CompareSessionOptions) {
    this.#options = options;
    const { engine, compared } = options;
    this.#choices = compared.choices;
    const handlers = new RequestHandlers<CompareContract>(compareRequests);
    this.#server = new RequestServer({
      handlers,
      post: (message) => this.#post(message),
      onProblem: (why, error) => options.log.warn(why, error),
    });
    handlers.add('ready', () => {
      if (!this.#work) this.#begin(this.#choices);
      return { state: this.#state, choices: this.#choices, places: compared.places };
    });
    handlers.add('again', (choices) => {
      this.#begin(choices);
      return {};
    });
    handlers.add('cancel', () => {
      this.#work?.abort();
      return {};
    });
    handlers.add('rows', async ({ from, count }) => ({ rows: await engine.rows(from, count) }));
    handlers.add('ask', async ({ text }) => {
      try {
        return await engine.ask(text);
      } catch (error) {
        // Most questions are wrong while they are written.
        return { rows: [], left: 0, right: 0, problem: messageOf(error) };
      }
    });
    handlers.add('bodies', async ({ row }) => {
      await options.showBodies(await engine.bodies(row));
      return {};
    });
    handlers.add('open', async ({ row, side }) => {
      await options.open(await engine.place(row, side));
      return {};
    });
    handlers.add('openRun', async ({ run, as }) => {
      if (as === 'transcript') await options.open({ run, position: 0 });
      else if (this.#state.state === 'done') options.compareTwo(this.#state.view.baseline, run);
      return {};
    });
    handlers.add('export', async ({ format }) => {
      await options.exportAs(format, await engine.text(format));
      return {};
    });
    if (handlers.missing.length > 0) throw new Error(`Nobody answers ${handlers.missing.join(', ')}.`);
  }

  /** Takes a message from the page. */
  async receive(message: unknown): Promise<void> {
    await this.#server.receive(message);
  }

  /** Ends the comparing. */
  dispose(): void {
    this.#work?.abort();
  }

  #begin(choices: CompareChoices): void {
    this.#choices = choices;
    this.#work?.abort();
    const work = new AbortController();
    this.#work = work;
    this.#tell({ state: 'comparing', run: '', done: 0, of: 0 });
    void this.#compare(choices, work);
  }

  async #compare(choices: CompareChoices, work: AbortController): Promise<void> {
    const { engine, log, onCompared } = this.#options;
    try {
      const view = await engine.compare(choices, work.signal, (run, done, of) => {
        if (this.#work === work && Date.now() - this.#toldAt >= TELL_MS)
          this.#tell({ state: 'comparing', run, done, of });
      });
      if (this.#work !== work) return;
      this.#tell({ state: 'done', view });
      onCompared(view);
    } catch (error) {
      if (this.#work !== work) return;
      if (!work.signal.aborted) log.warn('Runs could not be compared.', error);
      this.#tell(
        work.signal.aborted ? { state: 'cancelled' } : { state: 'failed', message: messageOf(error) },
      );
    }
  }

  #tell(state: CompareState): void {
    this.#state = state;
    this.#toldAt = Date.now();
    void this.#server.notify('state', state);
  }

  async #post(message: FromHost<CompareContract>): Promise<void> {
    try {
      await this.#options.post(message);
    } catch (error) {
      this.#options.log.warn('A message to the page of a comparison was lost.', error);
    }
  }
}
