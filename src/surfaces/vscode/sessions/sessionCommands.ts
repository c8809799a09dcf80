import * as vscode from 'vscode';
import type { SessionDiscovery } from '../../../app/discovery/sessionDiscovery.js';
import type { SessionsRow, WorkspaceRow } from '../../../app/discovery/sessionGroups.js';
import { iconText, words } from '../../../app/text/plainText.js';
import { chosen, UserError } from '../../../app/userError.js';
import { toolHomes } from '../../../import/toolHomes.js';
import { isObject } from '../../../core/message.js';
import { t } from '../../../core/l10n.js';
import { chooseMany } from '../ui/pickers.js';
import type { SessionsView } from './sessionsView.js';

/** What the commands on sessions of other tools need. */
export interface SessionCommandsOptions {
  readonly discovery: () => Promise<SessionDiscovery>;
  readonly view: SessionsView;
  /** Imports files into the store. */
  readonly importFiles: (files: readonly vscode.Uri[]) => Promise<void>;
}

/** The commands that list other tools' sessions, and those on one of them. */
export function sessionCommands({ discovery, view, importFiles }: SessionCommandsOptions) {
  /** The sessions that a command is for: the given row, or those selected with it, or in the view. */
  const sessionsOf = (argument: unknown, selection: unknown): readonly vscode.Uri[] => {
    const given = Array.isArray(selection) ? (selection as unknown[]) : [argument];
    const rows = given.some(isSession) ? given : view.selection;
    const found = rows.flatMap((row) => (isSession(row) ? [vscode.Uri.file(row.file.path)] : []));
    if (found.length === 0)
      throw new UserError(t`Select a session in the view Sessions of Other Tools first.`);
    return found;
  };
  return {
    async chooseSessionTools() {
      const found = await discovery();
      const answers = await found.consent.answers();
      const choices = toolHomes.map((tool) => ({
        label: iconText(tool.name),
        detail: iconText(foldersOf(tool.places(found.machine, found.foldersOf(tool.id)))),
        picked: answers.get(tool.id) === true,
        id: tool.id,
      }));
      const ticked = chosen(
        await chooseMany(choices, {
          title: words`Tools Whose Sessions Are Listed`,
          placeHolder: words`Their folders on this machine are read, and never written to`,
          ignoreFocusOut: true,
        }),
      );
      await found.allow(ticked.map(({ id }) => id));
      await (await view.rows()).refresh();
    },

    refreshSessions: async () => (await view.rows()).refresh(),

    async showMoreSessions(argument?: unknown) {
      if (isObject(argument) && argument.kind === 'workspace')
        (await view.rows()).showMore(argument as unknown as WorkspaceRow);
    },

    keepSession: (argument?: unknown, selection?: unknown) => importFiles(sessionsOf(argument, selection)),

    async revealSession(argument?: unknown) {
      const [file] = sessionsOf(argument, undefined);
      await vscode.commands.executeCommand('revealFileInOS', file);
    },
  };
}

function isSession(row: unknown): row is Extract<SessionsRow, { kind: 'session' }> {
  return isObject(row) && row.kind === 'session';
}

/** The folders that are looked at for a tool, as far as there is room. */
function foldersOf(places: readonly { readonly folder: string }[]): string {
  const folders = [...new Set(places.map(({ folder }) => folder))];
  const shown = folders.slice(0, 2).join(', ');
  return folders.length > 2 ? t`${shown} and ${folders.length - 2} more` : shown;
}
