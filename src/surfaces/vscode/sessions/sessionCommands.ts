import * as vscode from 'vscode';
import { features } from '../../../app/features/features.js';
import type { HookPlan } from '../../../app/discovery/hookFiles.js';
import type { SessionDiscovery } from '../../../app/discovery/sessionDiscovery.js';
import type { SessionRow } from '../../../app/views/transcriptGroups.js';
import { viewIds } from '../../../app/manifest.js';
import { iconText, plain, words, type IconText } from '../../../app/text/plainText.js';
import { chosen, UserError } from '../../../app/userError.js';
import { toolHomes } from '../../../import/toolHomes.js';
import { isObject } from '../../../core/message.js';
import { t } from '../../../core/l10n.js';
import { messageOf } from '../../../core/text.js';
import type { Machine } from '../../../import/tools/home.js';
import { revealFile } from '../commands/conversationCommands.js';
import { showInformation } from '../ui/notices.js';
import { askForText, chooseMany, heading, type Heading } from '../ui/pickers.js';
import type { TranscriptsView } from '../views/transcriptsView.js';

/** What the commands on sessions of other tools need. */
export interface SessionCommandsOptions {
  readonly discovery: () => Promise<SessionDiscovery>;
  readonly view: TranscriptsView;
  /** Imports files into the store. */
  readonly importFiles: (files: readonly vscode.Uri[]) => Promise<void>;
  /** What commands of the same names do where they are for no such session. */
  readonly others: {
    renameConversation(argument?: unknown): Promise<void>;
    revealConversation(argument?: unknown): Promise<void>;
    keepCopy(): Promise<void>;
  };
}

/** The commands that list other tools' sessions, and those on one of them. */
export function sessionCommands({ discovery, view, importFiles, others }: SessionCommandsOptions) {
  /** The sessions that a command is for: the given row, or those selected with it, or in the view. */
  const rowsOf = (argument: unknown, selection: unknown): readonly SessionRow[] => {
    const given = Array.isArray(selection) ? (selection as unknown[]) : [argument];
    const found = (given.some(isSession) ? given : view.selection).filter(isSession);
    if (found.length === 0)
      throw new UserError(t`Select a session of another tool in the view Sessions first.`);
    return found;
  };
  const sessionsOf = (argument: unknown, selection: unknown): readonly vscode.Uri[] =>
    rowsOf(argument, selection).map(({ file }) => vscode.Uri.file(file.path));
  const reveal = async (argument: unknown): Promise<void> => {
    const [file] = sessionsOf(argument, undefined);
    if (file) await revealFile(file);
  };
  return {
    /** Of several, all become what the first is not. */
    async pinSession(argument?: unknown, selection?: unknown) {
      const rows = rowsOf(argument, selection);
      const isPinned = rows[0]?.kept?.isPinned !== true;
      for (const row of rows) await view.keep(row, { kind: 'pin', isPinned });
    },

    async renameConversation(argument?: unknown) {
      if (!isSession(argument ?? view.selection[0])) {
        await others.renameConversation(argument);
        return;
      }
      const [row] = rowsOf(argument, undefined);
      if (!row) return;
      const { name: before = '' } = row.kept ?? {};
      const name = chosen(
        await askForText({
          title: words`Rename Session`,
          prompt: words`Kept here, for this person; the file of its tool stays as it is. Empty: its own title`,
          value: before === '' ? row.title : before,
        }),
      );
      await view.keep(row, { kind: 'name', name: name.trim() });
    },

    async chooseSessionTools() {
      const found = await discovery();
      const answers = await found.consent.answers();
      const choices = toolHomes.map((tool) => ({
        label: iconText(tool.name),
        detail: iconText(foldersOf(tool.places(found.machine, found.foldersOf(tool.id)))),
        picked: answers.get(tool.id) === true,
        id: tool.id,
      }));
      const hooks = await hookChoices(found.machine);
      const all =
        hooks.length === 0
          ? choices
          : [...choices, heading(iconText(t`Hooks, by which a tool tells at once that it waits`)), ...hooks];
      const ticked = chosen(
        await chooseMany<(typeof choices)[number] | HookChoice | Heading>(all, {
          title: words`Tools Whose Sessions Are Listed`,
          placeHolder: words`Their folders on this machine are read; hooks are written only as you confirm them`,
          ignoreFocusOut: true,
        }),
      );
      await found.allow(ticked.flatMap((each) => ('id' in each ? [each.id] : [])));
      await view.look();
      for (const hook of hooks)
        if (ticked.includes(hook) !== hook.picked) await changeHook(hook, found.machine);
    },

    async showFoundSessions() {
      await vscode.commands.executeCommand(`${viewIds.transcripts}.focus`);
      await view.showOffered();
    },

    keepCopy: (argument?: unknown, selection?: unknown) =>
      isSession(argument) ? importFiles(sessionsOf(argument, selection)) : others.keepCopy(),

    revealConversation: (argument?: unknown) =>
      isSession(argument) ? reveal(argument) : others.revealConversation(argument),

    revealSession: (argument?: unknown) => reveal(argument),
  };
}

function isSession(row: unknown): row is SessionRow {
  return isObject(row) && row.kind === 'session';
}

/** The folders that are looked at for a tool, as far as there is room. */
function foldersOf(places: readonly { readonly folder: string }[]): string {
  const folders = [...new Set(places.map(({ folder }) => folder))];
  const shown = folders.slice(0, 2).join(', ');
  return folders.length > 2 ? t`${shown} and ${folders.length - 2} more` : shown;
}

/** The scheme of the read-only documents that show a file of hooks before and after. */
const HOOKS = 'agent-logbook-hooks';

/** A tool that may tell by a hook what it does; ticked where it does. */
interface HookChoice {
  readonly label: IconText;
  readonly detail: IconText;
  readonly picked: boolean;
  readonly plan: HookPlan;
}

/** The tools that may tell by hooks; none where no hook can be written, or its file is none that we may change. */
async function hookChoices(machine: Machine): Promise<readonly HookChoice[]> {
  const { HOOKED: tools, planHooks } = await features.discovering();
  const { hooks: folder } = machine;
  if (folder === undefined || machine.platform === 'win32') return [];
  const found: HookChoice[] = [];
  for (const tool of tools) {
    const name = toolHomes.find(({ id }) => id === tool)?.name ?? tool;
    try {
      const install = await planHooks(tool, machine, folder, 'install');
      const picked = install.before === install.after;
      const plan = picked ? await planHooks(tool, machine, folder, 'remove') : install;
      found.push({ label: iconText(t`Hook in ${name}`), detail: iconText(plan.path), picked, plan });
    } catch (error) {
      // The tools can be chosen all the same; why its hook cannot is said here.
      await showInformation(plain(messageOf(error), 500));
    }
  }
  return found;
}

/** Shows how the file of a tool would change, and changes it where the person says so. */
async function changeHook(
  { plan, picked: isIn }: HookChoice,
  { hooks: folder = '' }: Machine,
): Promise<void> {
  const { followPlan } = await features.discovering();
  const shown = vscode.workspace.registerTextDocumentContentProvider(HOOKS, {
    provideTextDocumentContent: ({ fragment }) => (fragment === 'before' ? plan.before : plan.after) ?? '',
  });
  try {
    const at = (fragment: string) => vscode.Uri.from({ scheme: HOOKS, path: plan.path, fragment });
    await vscode.commands.executeCommand('vscode.diff', at('before'), at('after'), plan.path);
    const act = isIn ? t`Remove` : t`Install`;
    const question = isIn
      ? words`Remove the hook of Agent Logbook from ${plan.path}?`
      : words`Write this hook into ${plan.path}? It only notes what its tool tells it in a file of Agent Logbook.`;
    if ((await showInformation(question, act)) !== act) return;
    await followPlan(plan, folder);
  } finally {
    shown.dispose();
  }
  const done =
    plan.tool === 'codex' && !isIn
      ? t`The hook is written. Codex asks you to trust it when it starts next.`
      : t`Done. It holds from the next start of the tool on.`;
  await showInformation(plain(done));
}
