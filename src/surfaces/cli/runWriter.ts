import type { RunRequest, StartedRun } from '../../app/answers/runRequest.js';
import { formatDuration } from '../../core/duration.js';
import { preview, singleLine } from '../../core/text.js';
import type { Output } from './output.js';

/** Something that happens in a run. */
export type RunEvent = Parameters<NonNullable<RunRequest['onEvent']>>[0];
/** How a run ended. */
export type RunEnd = Awaited<StartedRun['done']>;

/** How much of a task or a result is shown on its line. */
const SHOWN = 160;

/** Writes what happens in a run: for people what the agents do, on standard error, and the answer; for programs each as JSON. */
export class RunWriter {
  readonly #out: Output;
  #writing: Promise<void> = Promise.resolve();

  constructor(out: Output) {
    this.#out = out;
  }

  /** Writes something that has happened, behind what came before. */
  hear(event: RunEvent): void {
    this.#writing = this.#writing.then(() => this.#write(event));
    // Whoever waits for the end is told.
    this.#writing.catch(() => undefined);
  }

  /** Resolves when all is written; rejects as writing does. */
  settled(): Promise<void> {
    return this.#writing;
  }

  /** Writes how the run ended. */
  async end(conversation: string, { outcome, text, error }: RunEnd): Promise<void> {
    const out = this.#out;
    const reason = error?.message;
    if (out.isJson) {
      await out.tell('result', {
        session: conversation,
        outcome,
        text,
        ...(reason !== undefined && { reason }),
      });
      return;
    }
    if (text !== '') await out.say(out.lines(text));
    await out.flush();
    if (outcome !== 'done')
      await out.note(`The run ended as ${outcome}${reason === undefined ? '' : `: ${reason}`}`);
  }

  async #write(event: RunEvent): Promise<void> {
    const out = this.#out;
    const told = toldOf(event);
    if (!told) return;
    const [kind, fields, words] = told;
    if (out.isJson) await out.tell(kind, { agent: event.place.agent, ...fields });
    else if (words !== undefined) await out.note(words);
  }
}

/** What is told of an event: its kind and fields for programs, and a line for people; undefined: nothing. */
function toldOf(event: RunEvent): readonly [kind: string, fields: object, words?: string] | undefined {
  const { agent } = event.place;
  switch (event.type) {
    case 'runStart':
      return ['run', { model: event.model, prompt: event.prompt }];
    case 'toolEnd': {
      const { toolName: tool, isError, durationMs } = event;
      const words = `${agent}: ${tool}${isError ? ' failed' : ''} (${formatDuration(durationMs)})`;
      return ['tool', { tool, isError, durationMs }, words];
    }
    case 'dispatchStart': {
      const { target: to, task } = event;
      return ['dispatch', { to, task }, `${agent} → ${to}: ${preview(singleLine(task), SHOWN)}`];
    }
    case 'dispatchResult': {
      const { target: to, result } = event;
      return ['dispatched', { to, result }, `${to}: ${preview(singleLine(result), SHOWN)}`];
    }
    case 'dispatchFailure': {
      const { target: to, reason: failure } = event;
      return ['dispatched', { to, failure }, `${to} failed: ${failure}`];
    }
    case 'retry': {
      const { attempt, reason } = event;
      return ['retry', { attempt, reason }, `${agent}: another try, because ${reason}`];
    }
    default:
      return undefined;
  }
}
