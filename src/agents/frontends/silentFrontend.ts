import type { Frontend } from '../../core/ports/frontend.js';

/** Shows nothing, for agents that run without an audience. */
export class SilentFrontend implements Frontend {
  showDispatchStart(): void {}
  showDispatchResult(): void {}
  showDispatchFailure(): void {}
  showText(): void {}
  showToolActivity(): void {}
  showApproval(): void {}
}
