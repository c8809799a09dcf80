import { t } from '../../core/l10n.js';
import type { FailureWay } from '../../core/ports/failureWays.js';
import { commandName } from '../manifest.js';

/** A run that has failed, and what can be done about it. */
export interface FailedRun {
  readonly conversation: string;
  /** The name of the entry agent. */
  readonly agent: string;
  readonly prompt: string;
  /** The name of the model's endpoint. */
  readonly endpoint: string;
  /** Why it has failed, with the address of the model. */
  readonly reason: string;
  /** What can be done, the likeliest first. */
  readonly ways: readonly FailureWay[];
}

/** A command with the one argument that ours take. */
export interface FailureCommand {
  readonly command: string;
  readonly argument: unknown;
}

/** What a button after a failure runs. */
export function commandOf({ conversation, prompt, endpoint }: FailedRun, way: FailureWay): FailureCommand {
  switch (way) {
    case 'Retry':
      return { command: commandName('continueConversation'), argument: { conversation, prompt } };
    case 'Set API Key…':
      return {
        command: commandName('setEndpointKey'),
        argument: { endpoint, retry: { conversation, prompt } },
      };
    case 'Change Model…':
      return { command: commandName('selectModel'), argument: undefined };
  }
}

/** What the button of a way says. */
export function wordsOfWay(way: FailureWay): string {
  switch (way) {
    case 'Retry':
      return t`Retry`;
    case 'Set API Key…':
      return t`Set API Key…`;
    case 'Change Model…':
      return t`Change Model…`;
  }
}

/** How a person learns of a failed run, and does something about it. */
export interface FailureViews {
  /** Shows that a run has failed, with what can be done. Never rejects. */
  show(failed: FailedRun): Promise<void>;
  /** Does what a person chose after a failure. */
  take(failed: FailedRun, way: FailureWay): Promise<void>;
}
