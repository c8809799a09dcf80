import * as vscode from 'vscode';
import { message, t } from '../../../core/l10n.js';
import type { FileReport } from '../../../capture/openedFile.js';
import type { Stores } from '../../../app/services/stores.js';
import { iconText, words } from '../../../app/text/plainText.js';
import { importReportText } from '../../../app/services/importReports.js';
import type { ShownFiles } from '../../../app/services/shownFiles.js';
import { chosen, UserError } from '../../../app/userError.js';
import { toolHomes } from '../../../import/toolHomes.js';
import { FILE_VIEW_TYPE } from '../panel/fileEditors.js';
import type { TranscriptPanels } from '../panel/transcriptPanels.js';
import { showText } from '../ui/clipboard.js';
import { choose } from '../ui/pickers.js';
import { isObject } from '../../../core/message.js';
import type { NoteBook } from '../../../app/notes/noteBook.js';
import { commandName, viewIds } from '../../../app/manifest.js';
import type { EventData } from '../../../page/protocol/events.js';
import { READ_ONLY } from '../../../app/ports/workspace.js';
import { formatCount } from '../../../app/text/format.js';
import type { KeptSession } from '../../../store/notes/keptSessions.js';
import { confirm, showInformation } from '../ui/notices.js';
import { requireTrust } from '../workspaceFolders.js';
import type { NotesView } from '../views/notesView.js';

/** What the commands on files that are shown where they are need. */
export interface FileCommandsOptions {
  readonly stores: Stores;
  readonly shown: ShownFiles;
  readonly panels: TranscriptPanels;
  /** Imports files into the store. */
  readonly importFiles: (files: readonly vscode.Uri[]) => Promise<void>;
  /** Keeps what was asked once. */
  readonly memory: vscode.Memento;
}

/** The commands that open other tools' files in place, and what can be done with one that is open. */
export function fileCommands({ stores, shown, panels, importFiles, memory }: FileCommandsOptions) {
  const current = (): { readonly report: FileReport; readonly conversation: string } => {
    const conversation = panels.active;
    const report = conversation === undefined ? undefined : shown.reportOf(conversation);
    if (conversation === undefined || !report)
      throw new UserError(
        t`Open a file of another tool as a transcript first, or bring its panel to the front.`,
      );
    return { report, conversation };
  };
  return {
    async openTranscriptFile(argument?: unknown, selection?: unknown) {
      const given = Array.isArray(selection) ? selection : [argument];
      const files = given.filter((each) => each instanceof vscode.Uri);
      const opened = files.length > 0 ? files : await chooseFiles();
      for (const file of opened)
        await vscode.commands.executeCommand('vscode.openWith', file, FILE_VIEW_TYPE);
      for (const file of opened) await offerAlways(file, memory);
    },

    async keepCopy() {
      const { report } = current();
      await importFiles([vscode.Uri.file(report.path)]);
    },

    async chooseFileConversation() {
      const { report, conversation } = current();
      const choices = report.conversations.map((each) => ({
        label: iconText(each.title),
        description: iconText(each.conversation === conversation ? t`shown` : each.session),
        id: each.conversation,
      }));
      const { id } = chosen(
        await choose(choices, {
          title: words`Conversations of This File`,
          placeHolder: words`The conversation to show`,
        }),
      );
      for (const panel of panels.panelsOf(conversation)) if (panel.active) panels.showIn(panel, id);
    },

    async showFileReport() {
      const conversation = panels.active;
      if (conversation === undefined)
        throw new UserError(
          t`Open an imported transcript or a file of another tool first, or bring its panel to the front.`,
        );
      await showText(await importReportText({ stores, shown }, conversation), 'plaintext');
    },
  };
}

/** Files that are surely transcripts, by where they lie or what they are called, as VS Code's associations of editors have them. */
const SURELY: readonly (readonly [path: RegExp, pattern: string, tool: string])[] = [
  [/\/\.claude\/projects\/.*\.jsonl$/, '**/.claude/projects/**/*.jsonl', 'claude-code'],
  [
    /\/\.codex\/(?:archived_)?sessions\/.*\.jsonl$/,
    '**/.codex/{sessions,archived_sessions}/**/*.jsonl',
    'codex',
  ],
  [/\/\.copilot\/session-state\/.*\.jsonl$/, '**/.copilot/session-state/**/*.jsonl', 'copilot-cli'],
  [/\/\.gemini\/tmp\/.*\.jsonl?$/, '**/.gemini/tmp/**/*.{json,jsonl}', 'gemini-cli'],
  [/\/\.aider\.chat\.history\.md$/, '.aider.chat.history.md', 'Aider'],
];
/** Under which key is kept of which files was asked. */
const ASKED = 'agentLogbook.askedAlways';

/** Asks once for each kind of file that is surely a transcript whether a click opens it as one from now on. */
async function offerAlways({ path }: vscode.Uri, memory: vscode.Memento): Promise<void> {
  const [, pattern, tool] = SURELY.find(([where]) => where.test(path)) ?? [];
  const asked = memory.get<readonly string[]>(ASKED) ?? [];
  if (pattern === undefined || tool === undefined || asked.includes(pattern)) return;
  await memory.update(ASKED, [...asked, pattern]);
  const always = t`Always`;
  const name = toolHomes.find(({ id }) => id === tool)?.name ?? tool;
  const question = words`Open the session files of ${name} as transcripts whenever you open one?`;
  if ((await showInformation(question, always, t`Not Now`)) !== always) return;
  const settings = vscode.workspace.getConfiguration('workbench');
  const known = settings.inspect<Readonly<Record<string, string>>>('editorAssociations')?.globalValue;
  await settings.update(
    'editorAssociations',
    { ...known, [pattern]: FILE_VIEW_TYPE },
    vscode.ConfigurationTarget.Global,
  );
}

async function chooseFiles(): Promise<readonly vscode.Uri[]> {
  return chosen(
    await vscode.window.showOpenDialog({
      title: t`Open File as Transcript`,
      openLabel: t`Open`,
      canSelectMany: true,
    }),
  );
}

/** What the commands on notes need. */
interface NoteCommandsOptions {
  readonly notes: NoteBook;
  readonly stores: Pick<Stores, 'kept'>;
  readonly panels: TranscriptPanels;
  readonly view: Pick<NotesView, 'selection'>;
}

/** The commands that write, remove and list notes. */
export function noteCommands({ notes, stores, panels, view }: NoteCommandsOptions) {
  return {
    bookmarkMessage: () => inPanel('bookmark'),
    noteMessage: () => inPanel('write'),

    async removeNote(argument?: unknown) {
      const target = noteIn(argument) ?? view.selection.flatMap((row) => noteIn(row) ?? [])[0];
      if (!target) throw new UserError(t`Choose a note in the Notes view first.`);
      await notes.remove(target.conversation, target.note);
      const undo = t`Undo`;
      if ((await showInformation(words`The note is removed.`, undo)) === undo)
        await notes.undo(target.conversation);
    },

    async undoNote() {
      await notes.undo();
    },

    async manageKept() {
      const all = (await (await stores.kept())?.all()) ?? [];
      if (all.length === 0)
        throw new UserError(t`Nothing is kept about sessions of other tools.`, {
          label: message`Show Notes`,
          command: commandName('showNotes'),
        });
      const ways = [
        {
          label: iconText(t`Export`, 'export'),
          description: iconText(t`as JSON, into an editor`),
          isExport: true,
        },
        {
          label: iconText(t`Delete…`, 'trash'),
          description: iconText(t`all of it, after a question`),
          isExport: false,
        },
      ];
      const count = formatCount(all.length, 'session');
      const title = words`What Is Kept About Sessions`;
      const { isExport } = chosen(
        await choose(ways, { title, placeHolder: words`Of ${count} of other tools` }),
      );
      await (isExport ? exportKept(all) : deleteKept(all));
    },

    async showNotes() {
      await vscode.commands.executeCommand(`${viewIds.notes}.focus`);
    },
  };

  async function deleteKept(all: readonly KeptSession[]): Promise<void> {
    requireTrust(READ_ONLY);
    const count = all.reduce((sum, each) => sum + each.notes.length, 0);
    const what = formatCount(all.length, 'session');
    const detail = words`${formatCount(count, 'note')}, and which sessions are pinned, renamed or were looked at. Files of tools and copies in your logbook stay as they are, with their notes. This cannot be undone.`;
    if (!(await confirm(words`Delete what is kept about ${what} of other tools?`, detail, t`Delete`))) return;
    await (await stores.kept())?.forget();
    await showInformation(words`What was kept about ${what} is deleted.`);
  }

  /** Does something with the row that is selected in the panel in front. */
  function inPanel(noting: NonNullable<EventData<'show'>['noting']>): void {
    const conversation = panels.active;
    if (conversation === undefined)
      throw new UserError(t`Open a transcript, and choose the message that the note is about.`);
    panels.open(conversation, { noting });
  }
}

function noteIn(argument: unknown): { readonly conversation: string; readonly note: string } | undefined {
  if (!isObject(argument)) return undefined;
  const { conversation, note } = argument;
  return typeof conversation === 'string' && typeof note === 'string' ? { conversation, note } : undefined;
}

async function exportKept(all: readonly KeptSession[]): Promise<void> {
  const sessions = all.map(({ tool, session, title, path, notes, isPinned, name, seen }) => {
    return { tool, session, title, path, notes, isPinned, name, seen };
  });
  await showText(JSON.stringify({ version: 1, sessions }, undefined, 2), 'json');
}
