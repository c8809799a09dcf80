import { inLanguage } from '../../../core/l10n.js';
import * as vscode from 'vscode';
import { messageOf } from '../../../core/text.js';
import type { Log } from '../../../core/ports/log.js';
import { StoreError } from '../../../store/write/storeProblem.js';
import {
  commandIds,
  commandName,
  formerCommandIds,
  rowCommandIds,
  type CommandId,
} from '../../../app/manifest.js';
import { showError, showInformation } from '../ui/notices.js';
import { plain, words } from '../../../app/text/plainText.js';
import { Cancelled, showLog, UserError } from '../../../app/userError.js';

/** Runs a command; the argument is whatever a menu, a tree item or another extension passes. */
type CommandHandler = (argument?: unknown, selection?: unknown) => unknown;

/** A handler for each command, also for those that package.json shows no more. */
export type CommandHandlers = { readonly [K in CommandId]: CommandHandler };

/**
 * Registers all commands, whose handlers are loaded with the first that is used. The only place where a failed command becomes a sentence for
 * the user.
 */
export function registerCommands(load: () => Promise<CommandHandlers>, log: Log): vscode.Disposable {
  let loading: Promise<CommandHandlers> | undefined;
  const ids: readonly CommandId[] = [
    ...commandIds,
    ...rowCommandIds,
    ...(Object.keys(formerCommandIds) as (keyof typeof formerCommandIds)[]),
  ];
  const former: Readonly<Partial<Record<CommandId, CommandId>>> = formerCommandIds;
  const registered = ids.map((id) =>
    vscode.commands.registerCommand(commandName(id), async (argument?: unknown, selection?: unknown) => {
      try {
        const now = former[id];
        if (now !== undefined) log.info(`${commandName(id)} is ${commandName(now)} now.`);
        const handlers = await (loading ??= load());
        return await handlers[id](argument, selection);
      } catch (error) {
        if (!(error instanceof Cancelled)) await report(id, error, log);
        return undefined;
      }
    }),
  );
  return new vscode.Disposable(() => {
    for (const each of registered) each.dispose();
  });
}

async function report(id: CommandId, error: unknown, log: Log): Promise<void> {
  if (error instanceof UserError) {
    log.warn(`${commandName(id)}: ${error.message}`);
    await tell(error);
    return;
  }
  log.error(`${commandName(id)} failed`, error);
  const message =
    error instanceof StoreError ? plain(error.message) : words`That did not work: ${messageOf(error)}`;
  const button = inLanguage(showLog.label);
  if ((await showError(message, button)) === button) await vscode.commands.executeCommand(showLog.command);
}

/** Shows a failure; one that only lacks something a button can provide is not shown as an error. */
async function tell({ message, recovery }: UserError): Promise<void> {
  if (!recovery) {
    await showError(plain(message));
    return;
  }
  const show = recovery.isFailure ? showError : showInformation;
  const button = inLanguage(recovery.label);
  if ((await show(plain(message), button)) === button)
    await vscode.commands.executeCommand(recovery.command, ...(recovery.args ?? []));
}
