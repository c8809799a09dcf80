import * as vscode from 'vscode';
import { t } from '../../../core/l10n.js';
import type { FailureWay } from '../../../core/ports/failureWays.js';
import type { Log } from '../../../core/ports/log.js';
import { commandName } from '../../../app/manifest.js';
import { commandOf, wordsOfWay, type FailedRun, type FailureViews } from '../../../app/runs/failedRun.js';
import type { PanelsInView } from '../../../app/panel/panelsInView.js';
import { showError, hideToasts } from '../ui/notices.js';
import { words } from '../../../app/text/plainText.js';

/** Does what a person chose after a failure. */
export async function take(failed: FailedRun, way: FailureWay): Promise<void> {
  const { command, argument } = commandOf(failed, way);
  await vscode.commands.executeCommand(command, argument);
}

/** Shows that a run has failed, with what can be done, where its transcript is not in front to say so. */
export async function showFailure(failed: FailedRun, inView: PanelsInView, log: Log): Promise<void> {
  const { agent, reason, ways, conversation } = failed;
  const open = t`Open Transcript`;
  const [first, second, third] = ways.map(wordsOfWay);
  const notice = showError(
    words`${agent}: ${reason}`,
    ...[first, second, third, open].filter((each) => each !== undefined),
  );
  let pressed: string | undefined;
  try {
    pressed = await noticeAbout(conversation, inView, notice);
    const way = ways.find((each) => wordsOfWay(each) === pressed);
    if (way !== undefined) await take(failed, way);
    else if (pressed === open)
      await vscode.commands.executeCommand(commandName('openTranscript'), { conversation });
  } catch (error) {
    log.error(`${pressed ?? 'A notice'} failed`, error);
  }
}

/** How this window shows failed runs. */
export function failureViews(inView: PanelsInView, log: Log): FailureViews {
  return { show: (failed) => showFailure(failed, inView, log), take };
}

/**
 * What was pressed in a notice about a conversation. The notice goes out of sight, into VS Code's list of notices, when a
 * panel of the conversation comes to the front, which tells the same.
 */
export async function noticeAbout(
  conversation: string,
  inView: PanelsInView,
  notice: Promise<string | undefined>,
): Promise<string | undefined> {
  let hidden = Promise.resolve();
  const following = inView.onDidChange((changed) => {
    if (changed !== conversation || !inView.isVisible(conversation)) return;
    following.dispose();
    hidden = hideToasts();
  });
  try {
    const pressed = await notice;
    await hidden;
    return pressed;
  } finally {
    following.dispose();
  }
}
