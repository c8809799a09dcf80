import type { Frontend, FrontendLocation } from '../../core/ports/frontend.js';

/**
 * Shows of a dispatched agent only what concerns others: its own dispatches, their outcomes, and its wait for a person.
 * Its answer is not shown here, because it is shown as the result of its own dispatch.
 */
export class DispatchesOnlyFrontend implements Frontend {
  readonly #frontend: Frontend;

  constructor(frontend: Frontend) {
    this.#frontend = frontend;
  }

  showDispatchStart(caller: string, target: string, task: string, location?: FrontendLocation) {
    return this.#frontend.showDispatchStart(caller, target, task, location);
  }

  showDispatchResult(caller: string, target: string, result: string, location?: FrontendLocation) {
    return this.#frontend.showDispatchResult(caller, target, result, location);
  }

  showDispatchFailure(caller: string, target: string, reason: string, location?: FrontendLocation) {
    return this.#frontend.showDispatchFailure(caller, target, reason, location);
  }

  showText(): void {}

  showToolActivity(): void {}

  showApproval(agent: string, title: string, location?: FrontendLocation) {
    return this.#frontend.showApproval(agent, title, location);
  }
}

/** Shows nothing, for agents that run without an audience. */
export class SilentFrontend implements Frontend {
  showDispatchStart(): void {}
  showDispatchResult(): void {}
  showDispatchFailure(): void {}
  showText(): void {}
  showToolActivity(): void {}
  showApproval(): void {}
}
