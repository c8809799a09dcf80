import * as vscode from 'vscode';
import type { CaptureService } from '../../../app/services/captureService.js';
import { telemetryEnvironment } from '../../../app/capture/recordingOptions.js';
import type { Recording } from '../../../app/capture/recordings.js';
import { features } from '../../../app/features/features.js';
import { commandName, type CommandId } from '../../../app/manifest.js';
import { formatBytes, formatShortMoment } from '../../../app/text/format.js';
import { iconText, plain, words } from '../../../app/text/plainText.js';
import { chosen, UserError } from '../../../app/userError.js';
import { message, t } from '../../../core/l10n.js';
import { messageOf } from '../../../core/text.js';
import { FILE_VIEW_TYPE } from '../panel/fileEditors.js';
import { copyText, showText } from '../ui/clipboard.js';
import { showInformation } from '../ui/notices.js';
import { choose, chooseMany, type Choice } from '../ui/pickers.js';
import { stateWords } from '../../../app/capture/stateWords.js';
import type { Disposable } from '../../../core/event.js';
import { statusItem, type StatusItem } from '../ui/statusItem.js';

/** The commands that receive traces, record requests to models, and open what came of it. */
export function captureCommands(capture: CaptureService) {
  const handlers = {
    /** Where it is received already, what can be done about that. */
    async receiveTelemetry(): Promise<void> {
      if (capture.receiving !== undefined) return handlers.captureMenu();
      const address = await orWords(() => capture.receive());
      const copy = t`Copy Variables`;
      const told = words`OpenTelemetry is received at ${address}. Each conversation opens with Open Recording.`;
      if ((await showInformation(told, copy)) === copy) await copyVariables(address);
    },

    stopTelemetry: () => capture.stopReceiving(),

    async recordTerminal() {
      const environment = await orWords(() => capture.environmentForRecording());
      openFirst(capture);
      const terminal = vscode.window.createTerminal({
        name: t`Recorded`,
        iconPath: new vscode.ThemeIcon('record'),
        env: { ...environment },
        message: t`What programs in this terminal say to OpenAI's and Anthropic's APIs is recorded, and opens with the first request.`,
      });
      terminal.show();
    },

    stopRecording: () => capture.stopRecording(),

    async openRecording() {
      const recordings = await capture.recordings();
      if (recordings.length === 0)
        throw new UserError(
          t`Nothing was recorded yet. Receive OpenTelemetry or Record in a New Terminal records what agents say.`,
          { label: message`Record in a New Terminal`, command: commandName('recordTerminal') },
        );
      const choices = recordings.map((recording) => ({ ...choiceOf(recording), path: recording.path }));
      const options = {
        title: words`Open Recording`,
        placeHolder: words`The newest first`,
        matchOnDetail: true,
      };
      await open(chosen(await choose(choices, options)).path);
    },

    showCaptureReport: async () => showText(await capture.report(), 'plaintext'),

    async captureMenu(): Promise<void> {
      const { run } = chosen(
        await choose(menuOf(capture), { title: words`Recording`, placeHolder: plain(stateWords(capture)) }),
      );
      await run();
    },
  };
  return handlers;
}

function menuOf(capture: CaptureService): readonly (Choice & { readonly run: () => Thenable<unknown> })[] {
  const { receiving, recording, serving } = capture;
  const command = (id: CommandId) => () => vscode.commands.executeCommand(commandName(id));
  return [
    { label: iconText(t`Open Recording…`, 'go-to-file'), run: command('openRecording') },
    { label: iconText(t`Record in a New Terminal`, 'record'), run: command('recordTerminal') },
    ...(serving === undefined
      ? [{ label: iconText(t`Serve Recording…`, 'server-environment'), run: () => serve(capture) }]
      : [
          {
            label: iconText(t`Copy Variables of the Served Recording`, 'copy'),
            run: () => copyServed(capture),
          },
          { label: iconText(t`Stop Serving`, 'debug-stop'), run: () => stopServing(capture) },
        ]),
    {
      label: iconText(t`Show What Was Received`, capture.problems.length > 0 ? 'warning' : 'list-unordered'),
      run: command('showCaptureReport'),
    },
    ...(receiving === undefined
      ? []
      : [
          {
            label: iconText(t`Copy Variables for OpenTelemetry`, 'copy'),
            run: () => copyVariables(receiving),
          },
          { label: iconText(t`Stop Receiving OpenTelemetry`, 'debug-stop'), run: command('stopTelemetry') },
        ]),
    ...(recording === undefined
      ? []
      : [{ label: iconText(t`Stop Recording Requests`, 'debug-stop'), run: command('stopRecording') }]),
  ];
}

/** Opens the first conversation that is recorded from now on. */
function openFirst(capture: CaptureService): void {
  const listening = capture.onDidBegin(({ path, kind }) => {
    if (kind !== 'requests') return;
    listening.dispose();
    void open(path);
  });
}

function open(path: string): Thenable<unknown> {
  return vscode.commands.executeCommand('vscode.openWith', vscode.Uri.file(path), FILE_VIEW_TYPE);
}

const copyVariables = (address: string): Promise<void> => copyLines(telemetryEnvironment(address));

async function copyLines(variables: Readonly<Record<string, string>>): Promise<void> {
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  await copyText(`${lines.join('\n')}\n`);
}

/** Answers a program as recordings have it, which the person ticks: one run of a program may be in several. */
async function serve(capture: CaptureService): Promise<void> {
  const recordings = (await capture.recordings()).filter(({ kind }) => kind === 'requests');
  if (recordings.length === 0)
    throw new UserError(t`No requests to a model were recorded yet.`, {
      label: message`Record in a New Terminal`,
      command: commandName('recordTerminal'),
    });
  const choices = recordings.map((recording, at) => ({
    ...choiceOf(recording),
    detail: iconText(recording.path),
    picked: at === 0,
    path: recording.path,
  }));
  const options = { title: words`Serve Recording`, placeHolder: words`What is answered; the newest first` };
  const ticked = chosen(await chooseMany(choices, options));
  if (ticked.length === 0) return;
  const address = await orWords(async () => {
    const { calls } = await capture.started();
    return await calls.call(
      'serve',
      ticked.map(({ path }) => path),
    );
  });
  capture.serving = address;
  const copy = t`Copy Variables`;
  const told = words`Served at ${address}: a program with these variables is answered as it was, each answer once, and every other request is refused. It runs its own tools. Serving ends with this window.`;
  if ((await showInformation(told, copy)) === copy) await copyServed(capture);
}

async function copyServed({ serving = '' }: CaptureService): Promise<void> {
  const { servedEnvironment } = await features.capturing();
  await copyLines(servedEnvironment(serving));
}

async function stopServing(capture: CaptureService): Promise<void> {
  const served = await (await capture.started()).calls.call('stopServing');
  capture.serving = undefined;
  if (!served) return;
  const { servedWords } = await features.capturing();
  const lines = servedWords(served);
  const sum = lines.at(-1) ?? '';
  const show = t`Show What Was Refused`;
  const isExact = lines.length === 1;
  if ((await showInformation(plain(sum), ...(isExact ? [] : [show]))) === show)
    await showText(lines.join('\n'), 'plaintext');
}

function choiceOf({ kind, bytes, changed }: Recording): Choice {
  const what = kind === 'traces' ? t`OpenTelemetry` : t`Requests to a model`;
  return {
    label: iconText(what, kind === 'traces' ? 'radio-tower' : 'record'),
    description: iconText(`${formatShortMoment(changed, Date.now())} · ${formatBytes(bytes)}`),
  };
}

/** What a server says of itself where it cannot begin is for the person. */
async function orWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new UserError(messageOf(error));
  }
}

/** The status bar item that says what is received and recorded; hidden while nothing is. */
export class CaptureStatus implements vscode.Disposable {
  readonly #item: StatusItem;
  readonly #listening: Disposable;

  constructor(capture: CaptureService) {
    this.#item = statusItem('agentLogbook.capture');
    this.#item.name = words`Agent Logbook: Recording`;
    this.#item.command = commandName('captureMenu');
    this.#listening = capture.onDidChange(() => this.#show(capture));
    this.#show(capture);
  }

  dispose(): void {
    this.#listening.dispose();
    this.#item.dispose();
  }

  #show(capture: CaptureService): void {
    const { receiving, recording, serving } = capture;
    void vscode.commands.executeCommand('setContext', 'agentLogbook.receiving', receiving !== undefined);
    void vscode.commands.executeCommand('setContext', 'agentLogbook.recording', recording !== undefined);
    if (receiving === undefined && recording === undefined && serving === undefined) {
      this.#item.hide();
      return;
    }
    this.#item.text =
      recording !== undefined
        ? iconText(t`Recording`, 'record')
        : receiving === undefined
          ? iconText(t`Serving`, 'server-environment')
          : iconText(t`Receiving`, 'radio-tower');
    const problems = capture.problems.length === 0 ? '' : t` Something was refused or went wrong.`;
    this.#item.tooltip = words`${stateWords(capture)}.${problems} Click for what can be done.`;
    this.#item.show();
  }
}
