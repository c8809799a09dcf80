import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { features } from '../../../app/features/features.js';
import type { ModelCatalog } from '../../../app/models/modelCatalog.js';
import type { Placed, RestoredTree } from '../../../app/sources/restoredFiles.js';
import type { StoredConversation } from '../../../app/stores/storedConversation.js';
import type { ForkRequest, RunRequest } from '../../../app/answers/runRequest.js';
import { startIn } from '../../../app/runs/runTimes.js';
import { formatCount } from '../../../app/text/format.js';
import { iconText, plain, plainLines, words } from '../../../app/text/plainText.js';
import { withTranscript } from '../../../app/transcripts/withTranscript.js';
import { Cancelled, chosen, UserError } from '../../../app/userError.js';
import type { AgentDefinition } from '../../../core/agent.js';
import { t } from '../../../core/l10n.js';
import { isObject, textOf } from '../../../core/message.js';
import type { MessageRecord } from '../../../core/record.js';
import { preview, singleLine } from '../../../core/text.js';
import type { AgentLibrary } from '../agentLibrary.js';
import type { TranscriptPanels } from '../panel/transcriptPanels.js';
import { handOver } from '../reading/handOver.js';
import type { TranscriptExportOptions } from '../reading/transcriptExport.js';
import { askInDialog, showInformation, showWarning } from '../ui/notices.js';
import { withProgress } from '../ui/progress.js';
import { openChanges } from '../reading/changeViews.js';
import { askForText, choose, type Choice } from '../ui/pickers.js';
import { requireTrust } from '../workspaceFolders.js';
import { targetOf } from './chooseConversation.js';
import { chooseAgent, runWithProgress, type RunCommandsOptions } from './runCommands.js';

/** How much of a message a list shows, in code points. */
const SHOWN = 100;
/** How many messages are listed where none is pointed at, the latest first. */
const MAX_LISTED = 500;
/** Texts that are longer, or have several lines, are changed in an editor, in code points. */
const MAX_IN_BOX = 200;

/** What the command works with. */
export interface ForkCommandOptions extends RunCommandsOptions, TranscriptExportOptions {
  readonly library: AgentLibrary;
  readonly models: ModelCatalog;
  readonly panels: TranscriptPanels;
  readonly context: vscode.ExtensionContext;
}

/** A message with what stands around it. */
interface Here {
  readonly record: MessageRecord;
  /** What its calls answered. */
  readonly results: readonly MessageRecord[];
}

/** A way to go on from a message. */
interface Way extends Choice {
  readonly seq: number;
  /** What is asked of the person: the text of the message, what comes next, both or nothing. */
  readonly edits?: string;
  readonly asks?: string;
}

/** The command that goes on from a message of a conversation. */
export function forkCommands(options: ForkCommandOptions) {
  const { choice, library, models, panels } = options;
  return {
    async goOn(argument?: unknown) {
      const title = t`Go On from Here`;
      const kept = await choice.one(argument, title);
      const { store, entry } = kept;
      const { conversation } = entry;
      if (isObject(argument) && argument.origin === 'open') {
        await openOrigin(options, kept);
        return undefined;
      }
      const isOwn = entry.recordedHere && !options.stores.isUnlisted(conversation);
      const pointedAt = targetOf(argument)?.position;
      const { messagesIn, positionBehind } = await features.comparing();
      const read = () => withTranscript(store, conversation, messagesIn);
      if (!isOwn) {
        await handOver(options, kept, pointedAt ?? (await chooseMessage(await read(), title)));
        return undefined;
      }
      const messages = await read();
      const position = pointedAt ?? (await chooseMessage(messages, title));
      requireTrust();
      const way = chosen(
        await choose(waysFrom(hereAt(messages, position)), {
          title: plain(title),
          placeHolder: words`How does it go on?`,
          // The page from which the one before was opened may take the focus back at any moment.
          ignoreFocusOut: true,
        }),
      );
      const by = await chooseWho(library, models, kept, messages, way.seq);
      const place = await choosePlace(kept, positionBehind(messages, way.seq));
      const text = way.edits === undefined ? undefined : await askForLongText(way.edits, way.label);
      const prompt = way.asks === undefined ? '' : await askForLongText(way.asks, t`What comes next`);
      const from: ForkRequest = { conversation, seq: way.seq, text };
      // Made when all is known: whoever leaves before leaves nothing behind.
      const tree = await place?.();
      const { runs } = options;
      const starter = tree ? { start: (asked: RunRequest) => startIn(tree, runs, asked) } : runs;
      const request = { prompt, from, ...(by && { agent: by }) };
      return await runWithProgress({ ...options, starter }, entry.title, request, (fork) =>
        panels.open(fork, {}),
      );
    },

    async undoRun(argument?: unknown) {
      requireTrust();
      await undoRun(options, await choice.one(argument, t`Undo Changes of This Run`));
    },
  };
}

async function chooseMessage(messages: readonly Placed[], title: string): Promise<number> {
  const items = messages
    .filter(({ record }) => record.message.role !== 'system')
    .toReversed()
    .slice(0, MAX_LISTED)
    .map(({ position, record }) => ({
      label: iconText(saidIn(record)),
      description: iconText(`${record.agent} · ${record.toolName ?? record.message.role}`),
      position,
    }));
  if (items.length === 0) throw new UserError(t`There is no message to go on from.`);
  const options = { title: plain(title), placeHolder: words`From which message?`, matchOnDescription: true };
  return chosen(await choose(items, options)).position;
}

function saidIn({ message }: MessageRecord): string {
  const calls = (message.tool_calls ?? []).map((call) => call.function.name).join(', ');
  return preview(singleLine(textOf(message.content)), SHOWN) || calls || t`(no text)`;
}

function hereAt(messages: readonly Placed[], position: number): Here {
  // A row may stand for what is no message: then the one before it is meant.
  const at = messages.findLastIndex((each) => each.position <= position);
  const record = messages[at]?.record;
  if (!record) throw new UserError(t`There is no message here to go on from.`);
  const ids = new Set((record.message.tool_calls ?? []).map(({ id }) => id));
  const results = messages
    .slice(at + 1)
    .map((each) => each.record)
    .filter(({ call, message }) => call === record.call && ids.has(message.tool_call_id ?? ''));
  return { record, results };
}

function waysFrom({ record, results }: Here): readonly Way[] {
  const { seq, message } = record;
  const text = textOf(message.content);
  if (message.role === 'system') return [{ label: iconText(t`Begin Anew…`, 'edit'), seq, asks: '' }];
  if (message.role === 'user')
    return [
      {
        label: iconText(t`Another Prompt…`, 'edit'),
        description: iconText(t`in place of this one`),
        seq,
        asks: text,
      },
      { label: iconText(t`The Same Prompt`, 'refresh'), description: iconText(t`asked once more`), seq },
    ];
  if (message.role === 'tool') return waysBehind([record]);
  const [first] = results;
  const calls = message.tool_calls ?? [];
  if (calls.length === 0)
    return [
      { label: iconText(t`Something Else Comes Next…`, 'edit'), seq, asks: '' },
      {
        label: iconText(t`Another Answer…`, 'edit'),
        description: iconText(t`then what comes next`),
        seq,
        edits: text,
        asks: '',
      },
    ];
  return [
    ...(first ? waysBehind(results) : []),
    {
      label: iconText(t`Make Its Calls Again`, 'refresh'),
      description: iconText(t`now, and ask as ever`),
      seq,
    },
    {
      label: iconText(t`Something Else Comes Next…`, 'edit'),
      description: iconText(t`its calls stay without an answer`),
      seq,
      asks: '',
    },
  ];
}

/** The ways behind what calls answered. */
function waysBehind(results: readonly MessageRecord[]): readonly Way[] {
  const [first] = results;
  if (!first) return [];
  return [
    {
      label: iconText(t`Ask the Model Again`, 'refresh'),
      description: iconText(t`with what its calls answered`),
      seq: first.seq,
    },
    ...results.map((result) => ({
      label: iconText(t`Another Result of ${result.toolName ?? t`the Call`}…`, 'edit'),
      description: iconText(saidIn(result)),
      seq: result.seq,
      edits: textOf(result.message.content),
    })),
  ];
}

/** Who goes on: nobody else, another agent, or the same one by another model. */
async function chooseWho(
  library: AgentLibrary,
  models: ModelCatalog,
  { entry }: StoredConversation,
  messages: readonly Placed[],
  seq: number,
): Promise<AgentDefinition | undefined> {
  const name = messages.find(({ record }) => record.seq === seq)?.record.agent ?? '';
  const known = (await library.agents()).find((agent) => agent.name === name);
  const items = [
    ...(known ? [{ label: iconText(t`${name} as Before`, 'play'), who: 'same' as const }] : []),
    ...(known ? [{ label: iconText(t`${name} by Another Model…`), who: 'model' as const }] : []),
    { label: iconText(t`Another Agent…`), who: 'agent' as const },
  ];
  const title = words`Go On from ${entry.title}`;
  const { who } = chosen(
    await choose(items, { title, placeHolder: words`Who goes on?`, ignoreFocusOut: true }),
  );
  if (who === 'same') return undefined;
  if (who === 'agent') return await chooseAgent(library, undefined, title);
  return known && { ...known, models: [await models.pick(t`Model for ${name}`)] };
}

/** Asks for a text: in a box, or where it has many words or lines in an editor. Rejects with `Cancelled` where the person leaves. */
async function askForLongText(text: string, title: string): Promise<string> {
  if (!text.includes('\n') && text.length <= MAX_IN_BOX)
    return chosen(
      await askForText({
        title: plain(title),
        value: text,
        ignoreFocusOut: true,
        validateInput: (said) => (said.trim() === '' ? words`Say something.` : undefined),
      }),
    );
  const document = await vscode.workspace.openTextDocument({ content: text, language: 'markdown' });
  await vscode.window.showTextDocument(document, { preview: false });
  const goOn = t`Go On`;
  const pressed = await showInformation(words`Change the text as you want it, then go on.`, goOn);
  // A notice may be closed with all others: what was written stays open.
  if (pressed !== goOn) throw new Cancelled();
  const said = document.getText();
  await vscode.window.showTextDocument(document);
  await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  return chosen(said.trim() === '' ? undefined : said);
}

/** Opens the conversation that one goes on from, at the message from which it does, or that says something else in it. */
async function openOrigin({ panels, stores }: ForkCommandOptions, { store, entry }: StoredConversation) {
  const { forkPointOf } = await features.transcripts();
  const { messagesIn } = await features.comparing();
  const from = await withTranscript(store, entry.conversation, async (transcript) => {
    const [first] = await transcript.read(0, 1);
    return first && forkPointOf(first);
  });
  const [origin] = from ? await stores.findAll(new Set([from.conversation])) : [];
  if (!from || !origin)
    throw new UserError(t`The conversation that this one goes on from is not there any more.`);
  const messages = await withTranscript(origin.store, from.conversation, messagesIn);
  const seq = from.without ?? from.seq;
  const position = messages.find(({ record }) => record.seq === seq)?.position;
  panels.open(from.conversation, position === undefined ? {} : { position });
}

/** How many files a question names. */
const MAX_NAMED = 12;

/** The folder whose files the agents of a conversation work with; undefined where none is open. */
function folderOf({ root }: StoredConversation): string | undefined {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  return folders.find((folder) => root.startsWith(folder)) ?? folders[0];
}

/**
 * Where files were changed behind a position, or the run worked elsewhere, says so and what cannot be put back, and asks where to
 * go on: what makes a worktree in which they are as they were, or undefined for here.
 */
async function choosePlace(
  kept: StoredConversation,
  position: number,
): Promise<(() => Promise<RestoredTree>) | undefined> {
  const opened = folderOf(kept);
  if (opened === undefined) return undefined;
  const { folderOfRun, planRestore, Repository, restoreInWorktree, restoreWords } =
    await features.comparing();
  const { plan, folder, told } = await withTranscript(
    kept.store,
    kept.entry.conversation,
    async (transcript) => {
      const worked = await folderOfRun(transcript, position, opened);
      const asked = { folder: worked.folder, isOwn: true, from: position };
      return { ...worked, plan: await planRestore(transcript, asked) };
    },
  );
  const { files, commands, outside } = plan;
  if (files.length + commands + outside.length + told.length === 0) return undefined;
  const [here, apart] = [t`Go On Here`, t`Go On in a Worktree`];
  const hasGit = (await Repository.around(folder)) !== undefined;
  const detail = [
    ...listed(files.map(({ path }) => path)),
    ...told,
    ...restoreWords(plan),
    hasGit
      ? t`A worktree is a folder of its own beside this repository, in which the other files are put back to what they were. Here, they stay as they are.`
      : t`Git knows no repository here, so that they cannot be put back elsewhere. Here, they stay as they are.`,
  ].join('\n');
  const pressed = chosen(
    await askInDialog({
      message:
        files.length === 0 && told.length > 0
          ? words`This run worked in another folder.`
          : words`Since this message, ${formatCount(files.length, 'file')} changed.`,
      detail: plainLines(detail),
      buttons: hasGit ? [apart, here] : [here],
    }),
  );
  if (pressed === here) return undefined;
  const name = `${kept.entry.conversation}-${Date.now().toString(36)}`;
  return async () => {
    const made = await withProgress(words`Making a worktree`, (signal) =>
      restoreInWorktree(plan, folder, name, signal),
    );
    if (made.left.length > 0) void showWarning(words`Not taken along: ${listed(made.left).join(' ')}`);
    return made;
  };
}

function listed(paths: readonly string[]): readonly string[] {
  const named = paths.slice(0, MAX_NAMED).map((path) => `• ${plain(path)}`);
  return paths.length > MAX_NAMED ? [...named, t`… and ${paths.length - MAX_NAMED} more`] : named;
}

/** Takes back what a run changed in files, after a review; a file that is not as the run left it stays. */
async function undoRun({ context }: ForkCommandOptions, kept: StoredConversation): Promise<void> {
  const folder = folderOf(kept);
  if (folder === undefined) throw new UserError(t`Open the folder in which this run changed files.`);
  const { planRestore, restoreWords, runStretches, textThen } = await features.comparing();
  const { signal } = new AbortController();
  const plan = await withTranscript(kept.store, kept.entry.conversation, async (transcript) => {
    const stretches = await runStretches(transcript, signal);
    const { from, to } =
      stretches.length > 1 ? await chooseRun(stretches) : (stretches[0] ?? { from: 0, to: 0 });
    const isOwn = kept.entry.recordedHere;
    return await planRestore(transcript, { folder, isOwn, from: from - 1, to: to - 1, textOf: shownText });
  });
  const known = plan.files.filter(({ then, isUntouched }) => then !== undefined && isUntouched);
  const changed = known.filter((file) => (textThen(file) ?? undefined) !== file.now);
  const rest = restoreWords(plan).join(' ');
  if (changed.length === 0)
    throw new UserError(
      rest === '' ? t`This run changed no file.` : t`Nothing of this run can be undone. ${rest}`,
    );
  const views = changed.map((file) => ({
    path: file.path,
    before: file.now ?? '',
    after: textThen(file) ?? '',
  }));
  await openChanges(context, views, t`Now, and as it was before the run`);
  const undo = t`Undo ${formatCount(changed.length, 'File')}`;
  const asked =
    rest === ''
      ? words`Review what undoing this run changes.`
      : words`Review what undoing this run changes. What stays: ${rest}`;
  if ((await showInformation(asked, undo)) !== undo) return;
  const edit = new vscode.WorkspaceEdit();
  for (const file of changed) {
    if ((await textAt(file.file)) !== file.now)
      throw new UserError(t`${file.path} was changed meanwhile. Nothing was undone; look at it again.`);
    const [uri, text] = [vscode.Uri.file(file.file), textThen(file)];
    if (text === null) edit.deleteFile(uri);
    else if (file.now === undefined) edit.createFile(uri, { contents: new TextEncoder().encode(text) });
    else edit.replace(uri, new vscode.Range(0, 0, Number.MAX_SAFE_INTEGER, 0), text);
  }
  if (!(await vscode.workspace.applyEdit(edit))) throw new UserError(t`VS Code did not take the changes.`);
  for (const { file } of changed)
    await vscode.workspace.textDocuments
      .find(({ uri }) => uri.scheme === 'file' && uri.fsPath === file)
      ?.save();
  void showInformation(words`Undone in ${formatCount(changed.length, 'file')}.`);
}

async function chooseRun(stretches: readonly { readonly from: number; readonly to: number }[]) {
  const items = stretches
    .map((stretch, at) => ({ label: iconText(t`Run ${at + 1}`), ...stretch }))
    .toReversed();
  return chosen(
    await choose(items, {
      title: words`Undo Changes of This Run`,
      placeHolder: words`Of which run?`,
      ignoreFocusOut: true,
    }),
  );
}

/** What stands in the editor of a file, where it is open. */
function shownText(file: string): string | undefined {
  return vscode.workspace.textDocuments
    .find(({ uri }) => uri.scheme === 'file' && uri.fsPath === file)
    ?.getText();
}

async function textAt(file: string): Promise<string | undefined> {
  return shownText(file) ?? (await readFile(file, 'utf8').catch(() => undefined));
}
