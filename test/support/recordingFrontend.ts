import type { Frontend } from '../../src/core/ports/frontend.js';

/** Keeps what it is shown as lines like `start Pickle Cookie bake`; `answer` decides what each method returns. */
export class RecordingFrontend implements Frontend {
  readonly lines: string[] = [];
  readonly #answer: (line: string) => void | Promise<void>;

  constructor(answer: (line: string) => void | Promise<void> = () => undefined) {
    this.#answer = answer;
  }

  showDispatchStart = (caller: string, target: string, task: string) =>
    this.#show('start', caller, target, task);
  showDispatchResult = (caller: string, target: string, result: string) =>
    this.#show('result', caller, target, result);
  showDispatchFailure = (caller: string, target: string, reason: string) =>
    this.#show('failure', caller, target, reason);
  showText = (agent: string, text: string) => this.#show('text', agent, text);
  showToolActivity = (agent: string, toolName: string, phase: string, detail: string) =>
    this.#show('tool', agent, toolName, phase, detail);
  showApproval = (agent: string, title: string) => this.#show('approval', agent, title);

  #show(...words: string[]): void | Promise<void> {
    const line = words.join(' ');
    this.lines.push(line);
    return this.#answer(line);
  }
}
