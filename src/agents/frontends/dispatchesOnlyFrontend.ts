import type { Frontend, FrontendPlace } from '../../core/ports/frontend.js';

/**
 * Shows of a dispatched agent only what concerns others: its own dispatches, their outcomes, and its wait for a person.
 * Its answer is not shown here, because it is shown as the result of its own dispatch.
 */
export class DispatchesOnlyFrontend implements Frontend {
  readonly #frontend: Frontend;

  constructor(frontend: Frontend) {
    this.#frontend = frontend;
  }

  showDispatchStart(caller: string, target: string, task: string, place?: FrontendPlace) {
    return this.#frontend.showDispatchStart(caller, target, task, place);
  }

  showDispatchResult(caller: string, target: string, result: string, place?: FrontendPlace) {
    return this.#frontend.showDispatchResult(caller, target, result, place);
  }

  showDispatchFailure(caller: string, target: string, reason: string, place?: FrontendPlace) {
    return this.#frontend.showDispatchFailure(caller, target, reason, place);
  }

  showText(): void {}

  showToolActivity(): void {}

  showApproval(agent: string, title: string, place?: FrontendPlace) {
    return this.#frontend.showApproval(agent, title, place);
  }
}
