import * as vscode from 'vscode';
import { inLanguage, message, t, type Message } from '../../../core/l10n.js';
import { editorSettings } from '../settings.js';
import { READ_ONLY } from '../../../app/ports/workspace.js';
import { isObject } from '../../../core/message.js';
import { messageOf } from '../../../core/text.js';
import type { Stores } from '../../../app/services/stores.js';
import type { StoredConversation } from '../../../app/stores/storedConversation.js';
import { binIfMeant, findOldRecordings, type OldRecordingsOptions } from '../capture/oldRecordings.js';
import { confirm, showInformation } from '../ui/notices.js';
import { askForText, choose, textBox } from '../ui/pickers.js';
import { iconText, plain, plainLines, words } from '../../../app/text/plainText.js';
import { retentionPlan } from '../../../app/services/retention.js';
import { chosen, UserError } from '../../../app/userError.js';
import { requireTrust } from '../workspaceFolders.js';
import { verifyTranscript } from '../reading/verifySeal.js';
import type { TranscriptsView } from '../views/transcriptsView.js';
import { groupings, type Grouping } from '../../../app/views/transcriptGroups.js';
import { formatCount } from '../../../app/text/format.js';
import type { ConversationChoice } from './chooseConversation.js';

const groupingWords: Readonly<Record<Grouping, { readonly label: Message; readonly detail: Message }>> = {
  date: { label: message`By Date`, detail: message`today, yesterday, this week, then months` },
  source: { label: message`By Source`, detail: message`the tool that wrote them` },
  project: { label: message`By Project`, detail: message`the folder that the agents worked in` },
  agent: { label: message`By Agent`, detail: message`the agent that was asked first` },
};

/** How many conversations a question names; further ones are only counted. */
const TITLES_SHOWN = 10;

/** What the commands on whole conversations need. */
export interface ConversationCommandsOptions {
  readonly context: Pick<vscode.ExtensionContext, 'subscriptions'>;
  readonly stores: Stores;
  readonly choice: ConversationChoice;
  readonly view: TranscriptsView;
  /** Closes the conversation's panels, and forgets what was typed there. */
  readonly forget: (conversation: string) => void;
  /** Whether an agent is running in the conversation. */
  readonly isRunning: (conversation: string) => boolean;
  readonly recorded: OldRecordingsOptions;
}

/** The commands that rename, delete or reveal stored conversations. */
export function conversationCommands(options: ConversationCommandsOptions) {
  const { context, stores, choice, view, forget, isRunning } = options;
  return {
    filterTranscripts: () => askForFilter(view),

    groupTranscripts: (argument?: unknown) => chooseGrouping(view, argument),

    clearTranscriptsFilter() {
      view.filter = '';
    },

    async renameConversation(argument?: unknown) {
      requireTrust(READ_ONLY);
      const { store, entry } = await choice.one(argument, t`Rename Conversation`);
      requireKept(stores, entry.conversation);
      const title = chosen(
        await askForText({
          title: words`Rename Conversation`,
          value: entry.title,
          validateInput: (text) =>
            text.trim() === '' ? words`A title needs at least one letter.` : undefined,
        }),
      );
      const { refused } = await store.rename(entry.conversation, title.trim());
      if (refused !== undefined) throw new UserError(refused);
    },

    async deleteConversation(argument?: unknown, selection?: unknown) {
      requireTrust(READ_ONLY);
      const kept = await choice.several(argument, selection, t`Delete Conversation`);
      for (const { entry } of kept) requireKept(stores, entry.conversation);
      const running = kept.find(({ entry }) => isRunning(entry.conversation));
      if (running) throw new UserError(t`"${running.entry.title}" is running. Stop it first.`);
      if (!(await isDeletionMeant(kept))) return;
      for (const conversation of kept) await remove(conversation);
    },

    async revealConversation(argument?: unknown) {
      await revealFile(
        vscode.Uri.file(await journalOf(await choice.one(argument, t`Reveal in File Explorer`))),
      );
    },

    async openRawJournal(argument?: unknown) {
      const uri = vscode.Uri.file(await journalOf(await choice.one(argument, t`Open Raw Journal`)));
      await vscode.commands.executeCommand('vscode.openWith', uri, 'default');
    },

    async verifyTranscript(argument?: unknown) {
      const kept = await choice.one(argument, t`Verify Transcript`);
      requireKept(stores, kept.entry.conversation);
      const compared = isObject(argument) ? argument.compared : undefined;
      await verifyTranscript(
        context,
        kept,
        compared === 'anchors' || compared === 'authorities' ? compared : undefined,
      );
    },

    applyRetention: () => applyRetention(options, remove),
  };

  async function remove({ store, entry }: StoredConversation, why?: 'retention'): Promise<void> {
    await view.forget(entry.conversation);
    forget(entry.conversation);
    await store.deleteConversation(entry.conversation, why);
  }
}

/** Shows where a file is. A browser has no file manager; there the explorer of VS Code shows it. */
export async function revealFile(file: vscode.Uri): Promise<void> {
  const command = vscode.env.uiKind === vscode.UIKind.Web ? 'revealInExplorer' : 'revealFileInOS';
  await vscode.commands.executeCommand(command, file);
}

/** Asks about the conversations and the recordings that the settings keep no longer, and deletes what is meant. */
async function applyRetention(
  { stores, recorded }: ConversationCommandsOptions,
  remove: (conversation: StoredConversation, why: 'retention') => Promise<void>,
): Promise<void> {
  requireTrust(READ_ONLY);
  const doomed = await retentionPlan(stores, editorSettings);
  const recordings = await findOldRecordings(recorded);
  if (doomed.length + recordings.length === 0) {
    await showInformation(words`No conversation is older or larger than the retention settings allow.`);
    return;
  }
  const question = words`Delete ${formatCount(doomed.length, 'conversation')}?`;
  if (doomed.length > 0 && (await confirm(question, plainLines(titlesOf(doomed)), t`Delete`)))
    for (const conversation of doomed) await remove(conversation, 'retention');
  if (recordings.length > 0) await binIfMeant(recordings, recorded.shown);
}

/** Throws where a conversation is that of a file which is only shown. */
function requireKept(stores: Stores, conversation: string): void {
  if (stores.isUnlisted(conversation))
    throw new UserError(
      t`This is shown from where it is, a file or the archive, where nothing is changed. Of a file, use Keep a Copy first.`,
    );
}

/** Asks whether these are to be deleted, with what is lost. */
async function isDeletionMeant(kept: readonly StoredConversation[]): Promise<boolean> {
  const [only, ...others] = kept.map(({ entry }) => entry.title);
  const isOne = only !== undefined && others.length === 0;
  const what = isOne ? `"${only}"` : formatCount(kept.length, 'conversation');
  const messages = kept.reduce((sum, { entry }) => sum + entry.messages, 0);
  const notes = await noteCountOf(kept);
  const written = notes === 0 ? '' : t` So are your notes: ${notes}.`;
  const consequence = t`${formatCount(messages, 'message')} and all kept outputs are removed from the disk. This cannot be undone.${written}${goingOnWords(kept)}`;
  const detail = isOne ? consequence : `${titlesOf(kept)}\n\n${consequence}`;
  return await confirm(words`Delete ${what}?`, plainLines(detail), t`Delete`);
}

/** What is said of conversations that go on from these: what stands before is kept here alone. */
function goingOnWords(kept: readonly StoredConversation[]): string {
  const ids = new Set(kept.map(({ entry }) => entry.conversation));
  const left = new Set(
    kept
      .flatMap(({ store }) => store.catalog.entries())
      .filter(
        ({ conversation, goesOnFrom }) =>
          goesOnFrom !== undefined && ids.has(goesOnFrom) && !ids.has(conversation),
      )
      .map(({ conversation }) => conversation),
  ).size;
  if (left === 0) return '';
  return left === 1
    ? t` One conversation goes on from there: it stays, but without what came before it.`
    : t` ${left} conversations go on from there: they stay, but without what came before them.`;
}

/** How many notes are lost with conversations; those that cannot be read are none. */
async function noteCountOf(kept: readonly StoredConversation[]): Promise<number> {
  const counts = kept.map(async ({ store, entry }) => {
    const read = await store.notes(entry.conversation).catch(() => undefined);
    return read?.notes.length ?? 0;
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** The first titles, one per line, and the number of further ones. */
function titlesOf(kept: readonly StoredConversation[]): string {
  const titles = kept.slice(0, TITLES_SHOWN).map(({ entry }) => `• ${plain(entry.title)}`);
  if (kept.length > titles.length) titles.push(t`… and ${kept.length - titles.length} more`);
  return titles.join('\n');
}

/** The path of a conversation's journal. Throws a `UserError` where nothing of it is on the disk. */
async function journalOf({ store, entry }: StoredConversation): Promise<string> {
  try {
    return await store.journalPath(entry.conversation);
  } catch (error) {
    throw new UserError(messageOf(error));
  }
}

/** Groups the Transcripts view as an argument says, else as a person chooses. */
async function chooseGrouping(view: Pick<TranscriptsView, 'group' | 'grouping'>, argument: unknown) {
  const given = groupings.find((known) => known === argument);
  const items = groupings.map((by) => ({
    label: iconText(inLanguage(groupingWords[by].label), by === view.grouping ? 'check' : 'blank'),
    description: iconText(inLanguage(groupingWords[by].detail)),
    by,
  }));
  const options = { title: words`Group Transcripts`, placeHolder: words`By what` };
  await view.group(given ?? chosen(await choose(items, options)).by);
}

/** How long typing must pause before the tree is filtered, in milliseconds. */
const TYPING_PAUSE_MS = 120;

/** Filters the Transcripts view while the person types; Escape restores the previous filter. */
function askForFilter(view: Pick<TranscriptsView, 'filter'>): void {
  const before = view.filter;
  const box = textBox();
  box.title = words`Filter Transcripts`;
  box.placeholder = words`Words of the title, the agents or the state`;
  box.prompt = words`The list follows while you type`;
  box.value = before;
  let resting: NodeJS.Timeout | undefined;
  let isKept = false;
  box.onDidChangeValue((text) => {
    clearTimeout(resting);
    resting = setTimeout(() => (view.filter = text), TYPING_PAUSE_MS);
  });
  box.onDidAccept(() => {
    isKept = true;
    box.hide();
  });
  box.onDidHide(() => {
    clearTimeout(resting);
    view.filter = isKept ? box.value : before;
    box.dispose();
  });
  box.show();
}
