import * as vscode from 'vscode';
import type { RunResult } from '../../runtime/agentSession.js';
import type { Log } from '../../ports/log.js';
import { commandName } from '../../app/manifest.js';
import { showError } from '../surfaces/notices.js';
import { words } from '../../app/text/plainText.js';
import { failureWords, waysOn, type WayAfter } from './failureWords.js';
import type { StartedRun } from '../../app/runs/runRequest.js';

/** A run that has failed, and what can be done about it. */
export interface FailedRun {
  /** The agent, or the title of the conversation. */
  readonly name: string;
  readonly prompt: string;
  readonly started: Pick<StartedRun, 'conversation' | 'model'>;
  readonly result: RunResult;
  /** The address of the model's endpoint, where the settings have one. */
  readonly address: string | undefined;
  /** Whether the transcript, which says what has happened, is in front of the person. */
  readonly isShown: boolean;
}

/** Tells that a run has failed, once, with what can be done; `run` continues the conversation. */
export async function tellFailure(failed: FailedRun, log: Log): Promise<void> {
  const { name, prompt, started, result, address, isShown } = failed;
  const { conversation, model } = started;
  const message = isShown
    ? words`${name} could not finish.`
    : words`${failureWords(name, result, model, address)}`;
  const ways = waysOn(result, model.kind).filter((way) => !isShown || way !== 'Open Transcript');
  const [first, second, third, fourth] = ways;
  const pressed = await showError(
    message,
    ...[first, second, third, fourth].filter((way) => way !== undefined),
  );
  const chosen = ways.find((way) => way === pressed);
  if (chosen === undefined) return;
  const commands: Record<WayAfter, () => Thenable<unknown>> = {
    Retry: () => run('continueConversation', { conversation, prompt }),
    'Set API Key…': () => run('setEndpointKey', { endpoint: model.endpoint }),
    'Change Model…': () => run('selectModel'),
    'Open Transcript': () => run('openTranscript', { conversation }),
  };
  try {
    await commands[chosen]();
  } catch (error) {
    log.error(`${chosen} failed`, error);
  }
}

function run(command: Parameters<typeof commandName>[0], argument?: unknown): Thenable<unknown> {
  return vscode.commands.executeCommand(commandName(command), argument);
}
