import * as vscode from 'vscode';
import { features } from '../../../app/features/features.js';
import { iconText, plain, words } from '../../../app/text/plainText.js';
import type { SendOutcome } from '../../../app/telemetry/openTelemetry.js';
import type { TelemetryOut } from '../../../app/services/telemetryOut.js';
import type { Settings, Secrets } from '../../../app/ports/settings.js';
import { commandName } from '../../../app/manifest.js';
import { formatCount } from '../../../app/text/format.js';
import { chosen } from '../../../app/userError.js';
import { t } from '../../../core/l10n.js';
import { messageOf } from '../../../core/text.js';
import type { ConversationChoice } from '../commands/chooseConversation.js';
import { showInformation, showWarning } from '../ui/notices.js';
import { askForText, choose } from '../ui/pickers.js';
import { withProgress } from '../ui/progress.js';

/** What the commands that send to a collector need. */
export interface TelemetryCommandsOptions {
  readonly telemetry: TelemetryOut;
  readonly choice: ConversationChoice;
  readonly settings: Settings;
  readonly secrets: Secrets;
}

/** The commands that send transcripts to a collector of OpenTelemetry. */
export function telemetryCommands({ telemetry, choice, settings, secrets }: TelemetryCommandsOptions) {
  const sendWaiting = async () => {
    const title = words`Sending what waits to the collector`;
    const sent = await withProgress(title, async (signal) => (await telemetry.open()).sendWaiting(signal));
    const { takenWords } = await features.telemetry();
    await tell(takenWords(sent).join(' '), sent);
  };
  return {
    async sendToCollector(argument?: unknown, selection?: unknown): Promise<void> {
      if (argument === undefined && (await isWaitingMeant(telemetry))) {
        await sendWaiting();
        return;
      }
      const kept = await choice.several(argument, selection, t`Send to OpenTelemetry Collector`);
      if (settings.get('openTelemetry.endpoint') === '') await askForEndpoint(settings);
      const title = words`Sending ${formatCount(kept.length, 'transcript')} to the collector`;
      const outcome = await withProgress(title, async (signal) =>
        (await telemetry.open()).send(kept, signal),
      );
      const { sendWords } = await features.telemetry();
      await tell(sendWords(outcome), outcome.sent);
    },

    sendWaitingSpans: sendWaiting,

    async setCollectorHeaders() {
      const { keepHeaders } = await features.telemetry();
      const written = chosen(
        await askForText({
          title: words`Set OpenTelemetry Headers`,
          prompt: words`Sent to the collector with every request, kept with your secrets. Empty takes them away.`,
          placeHolder: words`Authorization=Bearer abc,x-tenant=bakery`,
          password: true,
          ignoreFocusOut: true,
        }),
      );
      const count = await keepHeaders(secrets, written);
      void showInformation(
        count === 0
          ? words`The collector gets no headers of yours.`
          : words`${formatCount(count, 'header')} kept for the collector.`,
      );
    },
  };
}

/** Whether what waits is to be sent, and no other transcript: asked only where something waits. */
async function isWaitingMeant(telemetry: TelemetryOut): Promise<boolean> {
  const { spans } = (await telemetry.open()).waiting;
  if (spans === 0) return false;
  const items = [
    { label: iconText(t`What Waits`), description: iconText(formatCount(spans, 'span')), isWaiting: true },
    { label: iconText(t`A Transcript…`), isWaiting: false },
  ];
  const options = { title: words`Send to OpenTelemetry Collector`, placeHolder: words`What to send` };
  return chosen(await choose(items, options)).isWaiting;
}

/** Asks for the address of the collector, and keeps it with the person's settings. */
async function askForEndpoint(settings: Settings): Promise<void> {
  const { collectorAddress } = await features.telemetry();
  const address = chosen(
    await askForText({
      title: words`Send to OpenTelemetry Collector`,
      prompt: words`The address of the collector`,
      placeHolder: words`http://localhost:4318`,
      ignoreFocusOut: true,
      validateInput: (text) => {
        try {
          collectorAddress(text, settings.get('openTelemetry.allowUnencrypted'));
          return undefined;
        } catch (error) {
          return plain(messageOf(error));
        }
      },
    }),
  );
  await settings.change('openTelemetry.endpoint', address.trim());
}

/** Tells what came of it; where it did not go out, with what can be done. */
async function tell(told: string, { stopped, lost }: SendOutcome['sent']): Promise<void> {
  if (!stopped && lost === 0) {
    void showInformation(plain(told));
    return;
  }
  const [again, headers, open] = [t`Try Again`, t`Set Headers…`, t`Open Settings`];
  const pressed = !stopped
    ? await showWarning(plain(told))
    : stopped.kind === 'later'
      ? await showWarning(plain(told), again)
      : await showWarning(plain(told), again, headers, open);
  if (pressed === again) await vscode.commands.executeCommand(commandName('sendWaitingSpans'));
  if (pressed === headers) await vscode.commands.executeCommand(commandName('setCollectorHeaders'));
  if (pressed === open) await openSettings();
}

/** Shows the settings, which are the machine's: with a window that is elsewhere, those of that machine. */
async function openSettings(): Promise<void> {
  const isElsewhere = vscode.env.remoteName !== undefined;
  const command = isElsewhere ? 'workbench.action.openRemoteSettings' : 'workbench.action.openSettings';
  await vscode.commands.executeCommand(command, { query: 'agentLogbook.openTelemetry' });
}
