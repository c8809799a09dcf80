import * as vscode from 'vscode';
import type { FailureWay } from '../../ports/failureWays.js';
import type { Log } from '../../ports/log.js';
import { commandName } from '../../app/manifest.js';
import { showError } from '../surfaces/notices.js';
import { words } from '../../app/text/plainText.js';

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
      return { command: commandName('setEndpointKey'), argument: { endpoint } };
    case 'Change Model…':
      return { command: commandName('selectModel'), argument: undefined };
  }
}

/** Does what a person chose after a failure. */
export async function take(failed: FailedRun, way: FailureWay): Promise<void> {
  const { command, argument } = commandOf(failed, way);
  await vscode.commands.executeCommand(command, argument);
}

const OPEN = 'Open Transcript';

/** Tells that a run has failed, with what can be done, where its transcript is not in front to say so. */
export async function tellFailure(failed: FailedRun, log: Log): Promise<void> {
  const { agent, reason, ways, conversation } = failed;
  const [first, second, third] = ways;
  const pressed = await showError(
    words`${agent}: ${reason}`,
    ...[first, second, third, OPEN].filter((each) => each !== undefined),
  );
  const way = ways.find((each) => each === pressed);
  try {
    if (way !== undefined) await take(failed, way);
    else if (pressed === OPEN)
      await vscode.commands.executeCommand(commandName('openTranscript'), { conversation });
  } catch (error) {
    log.error(`${String(pressed)} failed`, error);
  }
}
