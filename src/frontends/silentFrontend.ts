import type { Frontend } from '../ports/frontend.js';

/** Shows nothing: what the inner talk of a child gets, and whoever runs agents without an audience. */
export class SilentFrontend implements Frontend {
  showDispatchStart(): void {}
  showDispatchResult(): void {}
  showDispatchFailure(): void {}
  showText(): void {}
  showToolActivity(): void {}
  showApproval(): void {}
}
