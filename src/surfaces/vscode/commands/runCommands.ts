import { formatCost } from '../../../core/cost.js';
import { message, t } from '../../../core/l10n.js';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { AgentDefinition } from '../../../core/agent.js';
import { onAbort } from '../../../core/abort.js';
import { isObject } from '../../../core/message.js';
import { toldApart } from '../../../core/lookalikes.js';
import { firstCodePoints } from '../../../core/text.js';
import type { Log } from '../../../core/ports/log.js';
import type { RunResult } from '../../../agents/loop/agentSession.js';
import type { RuntimeEvent } from '../../../agents/loop/runtimeEvent.js';
import type { AgentLibrary } from '../agentLibrary.js';
import { commandName, mcpServerLabel } from '../../../app/manifest.js';
import { setting } from '../settings.js';
import { askInDialog, showInformation } from '../ui/notices.js';
import { askForText, choose, chooseMany } from '../ui/pickers.js';
import { formatCount } from '../../../app/text/format.js';
import { iconText, plain, plainLines, SafeLink, words } from '../../../app/text/plainText.js';
import { showFailure, noticeAbout } from '../runs/failedRun.js';
import {
  dollarsIn,
  dollarWords,
  estimateCost,
  estimateWords,
  MAX_TIMES,
  runTimes,
  stoppedWords,
  type TimesResult,
} from '../../../app/runs/runTimes.js';
import type { RunRequest, RunStarter } from '../../../app/answers/runRequest.js';
import type { PanelsInView } from '../../../app/panel/panelsInView.js';
import type { Stores } from '../../../app/services/stores.js';
import type { ModelCatalog } from '../../../app/models/modelCatalog.js';
import type { RunRegistry } from '../../../app/runs/runRegistry.js';
import { withProgress } from '../ui/progress.js';
import { chosen, UserError, type RecoveryAction } from '../../../app/userError.js';
import { openFolder, requireTrust } from '../workspaceFolders.js';
import { targetOf, type ConversationChoice } from './chooseConversation.js';
import { features } from '../../../app/features/features.js';

/** What the commands for runs need. */
export interface RunCommandsOptions {
  readonly library: AgentLibrary;
  readonly runs: RunRegistry;
  readonly choice: ConversationChoice;
  readonly inView: PanelsInView;
  readonly stores: Stores;
  readonly models: ModelCatalog;
  readonly log: Log;
}

/** How much of an answer is processed for its notification, in code points. */
const BEGINNING = 2_000;

/** The commands that start and stop runs. */
export function runCommands(options: RunCommandsOptions) {
  const { library, runs, choice } = options;
  return {
    async runAgent(argument?: unknown) {
      requireTrust();
      const { agent, prompt } = asked(argument);
      const entry =
        argument instanceof vscode.Uri ? await agentOf(library, argument) : await chooseAgent(library, agent);
      return runWithProgress(options, entry.name, {
        agent: entry,
        prompt: prompt ?? (await choosePrompt(`Run ${entry.name}`)),
      });
    },

    async continueConversation(argument?: unknown) {
      requireTrust();
      const { entry } = await choice.one(argument, t`Continue Conversation`);
      const prompt = asked(argument).prompt ?? (await choosePrompt(`Continue "${entry.title}"`));
      return runWithProgress(options, entry.title, { conversation: entry.conversation, prompt });
    },

    async stopRun(argument?: unknown) {
      const conversation = targetOf(argument)?.conversation ?? runs.running[0];
      if (conversation === undefined) throw new UserError(t`No agent is running.`);
      const only = targetOf(argument) !== undefined || runs.running.length === 1;
      runs.stop(only ? conversation : (await choice.one(undefined, t`Stop Run`)).entry.conversation);
    },

    stopAllRuns() {
      runs.stopAll();
    },

    async runTimes(argument?: unknown) {
      requireTrust();
      const { agent, prompt } = asked(argument);
      await runSeveralTimes(options, await chooseAgent(library, agent, words`Run N Times`), prompt);
    },
  };
}

/** What an argument from a tree row or another extension asks for. */
function asked(argument: unknown): { readonly agent?: string; readonly prompt?: string } {
  if (!isObject(argument)) return {};
  const { agent, prompt, file } = argument;
  const definition = isObject(file) ? file.agent : undefined;
  const name = isObject(definition) ? definition.name : agent;
  return { ...(typeof name === 'string' && { agent: name }), ...(typeof prompt === 'string' && { prompt }) };
}

/** The agent with a name, else one that the person picks; throws a UserError where there is none. */
export async function chooseAgent(
  library: AgentLibrary,
  name: string | undefined,
  title = words`Run Agent`,
): Promise<AgentDefinition> {
  const agents = await library.invocable();
  if (name !== undefined) {
    const agent = agents.find((candidate) => candidate.name === name);
    if (!agent) throw new UserError(t`There is no agent named ${name} here that can be run.`);
    return agent;
  }
  if (agents.length === 0) {
    throw new UserError(t`There is no agent here yet.`, wayToAgents());
  }
  const shown = toldApart(agents.map(({ name }) => name));
  const items = agents.map((agent, at) => ({
    label: iconText(shown[at] ?? agent.name),
    description: iconText(agent.description),
    ...(agent.models.length > 0 && { detail: iconText(t`Model: ${agent.models.join(', ')}`) }),
    agent,
  }));
  const options = { title, placeHolder: words`Which agent?`, matchOnDescription: true };
  return chosen(await choose(items, options)).agent;
}

/** The agent of a definition file; unsaved changes are saved first. */
async function agentOf(library: AgentLibrary, { fsPath }: vscode.Uri): Promise<AgentDefinition> {
  const document = vscode.workspace.textDocuments.find(
    ({ uri }) => uri.scheme === 'file' && uri.fsPath === fsPath,
  );
  if (document?.isDirty === true) await document.save();
  // VS Code may have saved it by itself just now, and nobody heard of it yet.
  library.refresh();
  const agent = (await library.invocable()).find(({ path }) => path === fsPath);
  if (agent) return agent;
  const file = (await library.files()).find(({ path }) => path === fsPath);
  const problem = file?.problems.find(({ severity }) => severity === 'error')?.message;
  throw new UserError(
    problem ?? t`${basename(fsPath)} is not an agent that can be run by you, only by other agents.`,
  );
}

function wayToAgents(): RecoveryAction {
  if (vscode.workspace.workspaceFolders?.length)
    return { label: message`New Agent…`, command: commandName('createAgent') };
  return openFolder;
}

/** How often a task is given where nobody says another number. */
const USUAL_TIMES = '5';

/** Gives a task to an agent several times, as the person says and for what they are told that it may cost; then puts the runs side by side. */
async function runSeveralTimes(
  options: RunCommandsOptions,
  agent: AgentDefinition,
  given: string | undefined,
): Promise<void> {
  const { stores, runs } = options;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  if (folder === undefined)
    throw new UserError(t`Open the folder whose files the agents work with.`, openFolder);
  const { restoreInWorktree } = await features.comparing();
  const title = t`Run ${agent.name} N Times`;
  const prompt = given ?? (await choosePrompt(title));
  const models = await chooseModels(options.models, agent, title);
  const most = Math.floor(MAX_TIMES / Math.max(1, models.length));
  const times = Number(
    await askFor(
      title,
      models.length > 1 ? t`How often, by each model?` : t`How often?`,
      USUAL_TIMES,
      (text) =>
        /^\s*[1-9]\d*\s*$/.test(text) && Number(text) <= most ? undefined : t`A number from 1 to ${most}.`,
    ),
  );
  const verify = (
    await askFor(title, t`A command that says by ending well that a run did it, as npm test; empty: none`, '')
  ).trim();
  const limit = await askFor(
    title,
    t`Begin no further run once so many dollars are spent; empty: no limit`,
    '',
    (text) => (text.trim() === '' || dollarsIn(text) !== undefined ? undefined : t`An amount, as 2.50.`),
  );
  const [budget, count] = [dollarsIn(limit), times * Math.max(1, models.length)];
  const { loadUsablePrices } = await features.pricing();
  const prices = await loadUsablePrices(setting('prices.file'));
  const estimate = await estimateCost(options, agent.name, prices, new AbortController().signal);
  const detail = [
    estimateWords(estimate, count),
    t`They run one after the other, each in a worktree of its own beside the repository, with the files as they are now.`,
    ...(models.length === 0 ? [] : [t`Models: ${models.join(', ')}`]),
    ...(verify === '' ? [] : [t`Then this is run in its folder: ${verify}`]),
    ...(budget === undefined ? [] : [t`No further run is begun once ${dollarWords(budget)} is spent.`]),
  ].join('\n\n');
  const begin = t`Begin`;
  chosen(
    await askInDialog({
      message: words`Run ${agent.name} ${formatCount(count, 'time')}?`,
      detail: plainLines(detail),
      buttons: [begin],
    }),
  );
  const result = await withProgress(plain(title), (signal, show) =>
    runTimes(
      { runs, stores, restoreInWorktree },
      {
        agent,
        prompt,
        times,
        models,
        folder,
        budget,
        prices,
        signal,
        ...(verify !== '' && { verifiedBy: verify, verify: (place, stop) => endsWell(verify, place, stop) }),
        onRun: ({ number, of, model }) =>
          // The bar tells of the runs that are over.
          show(
            model === '' ? words`${number} of ${of}` : words`${number} of ${of}, by ${model}`,
            number === 1 ? 0 : 100 / of,
          ),
      },
    ),
  );
  const rows = result.runs.map(({ conversation }) => ({ conversation }));
  if (rows.length === 0) return;
  const command = commandName(rows.length > 1 ? 'compareTranscripts' : 'openTranscript');
  await vscode.commands.executeCommand(command, rows[0], rows);
  void showInformation(plain(timesWords(result, verify !== ''), BEGINNING));
  // What ran until then was paid for, and is shown first.
  if (result.error) throw result.error;
}

function timesWords({ runs, cost, stopped }: TimesResult, isVerified: boolean): string {
  const passed = runs.filter((each) => each.passed === true).length;
  return [
    [formatCount(runs.length, 'run'), formatCost(cost)].filter((each) => each !== '').join(', ') + '.',
    ...(isVerified ? [t`${passed} of ${runs.length} passed.`] : []),
    ...(stopped ? [stoppedWords(stopped)] : []),
  ].join(' ');
}

/** The ids of models, as the person ticks them; none: the one that the agent has. */
async function chooseModels(
  models: ModelCatalog,
  agent: AgentDefinition,
  title: string,
): Promise<readonly string[]> {
  const usable = (await models.offered()).filter(({ id, problem }) => id !== '' && problem === undefined);
  const offers = usable.map(({ id, label, detail, endpoint }) => ({
    label: iconText(label),
    description: iconText(detail ?? endpoint),
    id,
  }));
  // A script of the folder answers for all.
  if (offers.length === 0) return [];
  const ticked = await chooseMany(offers, {
    title: plain(title),
    placeHolder: words`By which models? None ticked: the one that ${agent.name} has`,
    ignoreFocusOut: true,
  });
  return chosen(ticked).map(({ id }) => id);
}

async function askFor(
  title: string,
  prompt: string,
  value: string,
  problemWith: (text: string) => string | undefined = () => undefined,
): Promise<string> {
  const validateInput = (text: string) => {
    const problem = problemWith(text);
    return problem === undefined ? undefined : plain(problem);
  };
  return chosen(
    await askForText({
      title: plain(title),
      prompt: plain(prompt),
      value,
      ignoreFocusOut: true,
      validateInput,
    }),
  );
}

/** Runs a command that the person gave as a task of VS Code, in a folder; whether it ends with 0, undefined where it was stopped. */
async function endsWell(command: string, cwd: string, signal: AbortSignal): Promise<boolean | undefined> {
  const name = t`Verify`;
  const shell = new vscode.ShellExecution(command, { cwd });
  const definition = { type: 'agentLogbook.verify' };
  const task = new vscode.Task(definition, vscode.TaskScope.Workspace, name, mcpServerLabel, shell);
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Silent, panel: vscode.TaskPanelKind.Dedicated };
  const ended = new vscode.EventEmitter<number | undefined>();
  let execution: vscode.TaskExecution | undefined;
  let hasBegun = false;
  const listening = vscode.Disposable.from(
    vscode.tasks.onDidStartTaskProcess((start) => {
      if (start.execution === execution) hasBegun = true;
    }),
    vscode.tasks.onDidEndTaskProcess((end) => {
      if (end.execution === execution) ended.fire(end.exitCode);
    }),
    // One whose shell cannot be started has no process that ends.
    vscode.tasks.onDidEndTask((end) => {
      if (end.execution === execution && !hasBegun) ended.fire(undefined);
    }),
  );
  try {
    const over = new Promise<number | undefined>((resolve) => ended.event(resolve));
    execution = await vscode.tasks.executeTask(task);
    const leave = onAbort(signal, () => execution?.terminate());
    const code = await over.finally(leave);
    return signal.aborted ? undefined : code === 0;
  } finally {
    listening.dispose();
    ended.dispose();
  }
}

async function choosePrompt(title: string): Promise<string> {
  return chosen(
    await askForText({
      title: plain(title),
      prompt: words`What shall it do?`,
      ignoreFocusOut: true,
      validateInput: (text) => (text.trim() === '' ? words`Say what the agent should do.` : undefined),
    }),
  );
}

/** Runs an agent under a notification that shows progress and can cancel; then tells how the run ended. */
export async function runWithProgress(
  options: Pick<RunCommandsOptions, 'runs' | 'inView' | 'log'> & {
    /** Starts the run, where that is not the registry alone. */
    readonly starter?: RunStarter;
  },
  name: string,
  request: RunRequest,
  onStart: (conversation: string) => void = () => undefined,
): Promise<unknown> {
  const { runs, inView, log, starter = runs } = options;
  const started = await withProgress(plain(name), async (signal, show) => {
    const begun: { link?: SafeLink } = {};
    const report = (message: string) => show(begun.link ? words`${message} (${begun.link})` : plain(message));
    const run = await starter.start({
      ...request,
      signal,
      onEvent: (event) => {
        const message = wordsFor(event);
        if (message !== undefined) report(withoutName(message, name));
      },
    });
    begun.link = linkTo(run.conversation);
    onStart(run.conversation);
    report(t`at work`);
    const shown = whenShown(inView, run.conversation);
    await Promise.race([run.done, shown.happens]).finally(() => shown.dispose());
    return run;
  });
  const { conversation } = started;
  const result = await started.done;
  const failure = runs.failureIn(conversation);
  // A transcript in front tells its end itself, and what can be done about it.
  if (!inView.isVisible(conversation))
    void (failure ? showFailure(failure, inView, log) : showEnd(options, name, conversation, result));
  return { conversation, outcome: result.outcome, answer: result.text };
}

/** Tells how a run has ended that did not fail. */
async function showEnd(
  { inView }: Pick<RunCommandsOptions, 'inView'>,
  name: string,
  conversation: string,
  { outcome, text }: RunResult,
): Promise<void> {
  const open = t`Open Transcript`;
  const said = outcome === 'done' ? await plainAnswer(text) : outcome;
  const notice = showInformation(words`${name}: ${said === '' ? 'done' : said}`, open);
  if ((await noticeAbout(conversation, inView, notice)) === open)
    await vscode.commands.executeCommand(commandName('openTranscript'), { conversation });
}

/** Waits until the conversation's panel comes to the front: from then on a notice would only cover it. */
function whenShown(inView: PanelsInView, conversation: string) {
  let resolve = (): void => undefined;
  const happens = new Promise<void>((done) => (resolve = done));
  const look = () => {
    if (inView.isVisible(conversation)) resolve();
  };
  const following = inView.onDidChange(look);
  look();
  return { happens, dispose: () => following.dispose() };
}

/** The beginning of an answer without Markdown, which a notification would show literally. */
async function plainAnswer(answer: string): Promise<string> {
  const { plainWords } = await features.markdown();
  return plainWords(firstCodePoints(answer, BEGINNING));
}

/** The progress message for an event; undefined: nothing new. */
function wordsFor(event: RuntimeEvent): string | undefined {
  switch (event.type) {
    case 'dispatchStart':
      return t`${event.place.agent} asks ${event.target}`;
    case 'dispatchResult':
      return t`${event.target} has answered`;
    case 'toolStart':
      return t`${event.place.agent} uses ${event.toolName}`;
    case 'approvalWaiting':
      return t`${event.place.agent} waits for your approval`;
    case 'retry':
      return t`${event.place.agent} tries again: ${event.reason}`;
    default:
      return undefined;
  }
}

/** Removes the agent's name from the start of a message, because the notification's title has it already. */
function withoutName(message: string, name: string): string {
  return message.startsWith(`${name} `) ? message.slice(name.length + 1) : message;
}

/** A link that opens the transcript, because a notification with Cancel has no room for a button. */
function linkTo(conversation: string): SafeLink {
  return new SafeLink(t`open transcript`, commandName('openTranscript'), { conversation });
}
