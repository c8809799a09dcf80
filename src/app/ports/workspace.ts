import { inLanguage, message, type Message } from '../../core/l10n.js';
import type { Event } from '../../core/event.js';
import { UserError, type RecoveryAction } from '../userError.js';

/** A folder that is open at the window. */
export interface WorkspaceFolder {
  readonly name: string;
  /** Where it is; `fsPath` is a path of this machine where the scheme is `file`, and the text is the whole URI. */
  readonly uri: { readonly scheme: string; readonly fsPath: string; toString(): string };
}

/** What is open at the window, and whether the person trusts it. */
export interface Workspace {
  /** In an untrusted workspace nothing runs and nothing is written. */
  readonly isTrusted: boolean;
  /** Fires when the person begins to trust the workspace; trust is never taken back. */
  readonly onDidGrantTrust: Event<void>;
  readonly folders: readonly WorkspaceFolder[];
  /** The folder that agents work in: that of a file, else the active editor's, else the first. */
  workingFolder(path?: string): WorkspaceFolder | undefined;
  /** Rejects with a UserError where the folder was deleted or moved: nothing may be written into its path. */
  requireFolder(folder: WorkspaceFolder): Promise<void>;
}

/** Tells a person why no agent runs in an untrusted workspace. */
export const UNTRUSTED = message`Agents run only in a trusted workspace. Reading and exporting transcripts works everywhere.`;

/** Tells a person why nothing is written in an untrusted workspace. */
export const READ_ONLY = message`This workspace is not trusted: transcripts can be read and exported, and nothing is written into it.`;

const manageTrust: RecoveryAction = {
  label: message`Manage Workspace Trust…`,
  command: 'workbench.trust.manage',
};

/** Throws in an untrusted workspace, where nothing runs and nothing is written, whoever asks for it. */
export function requireTrust({ isTrusted }: Pick<Workspace, 'isTrusted'>, why: Message = UNTRUSTED): void {
  if (!isTrusted) throw new UserError(inLanguage(why), manageTrust);
}
