import * as vscode from 'vscode';
import type { FailureWay } from '../../ports/failureWays.js';
import type { Log } from '../../ports/log.js';
import { commandName } from '../../app/manifest.js';
import { commandOf, type FailedRun, type FailureViews } from '../../app/runs/failedRun.js';
import { showError } from '../surfaces/notices.js';
import { words } from '../../app/text/plainText.js';

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

/** How this window tells of failed runs. */
export function failureViews(log: Log): FailureViews {
  return { tell: (failed) => tellFailure(failed, log), take };
}
