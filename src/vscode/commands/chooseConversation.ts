import * as vscode from 'vscode';
import { isObject } from '../../core/message.js';
import type { CatalogEntry } from '../../ports/transcript.js';
import type { KeptConversation, Logbooks } from '../logbooks.js';
import { chosen, UserError } from '../userError.js';
import { formatCount, formatDay, formatTime } from '../views/format.js';

/** A place in a conversation, as tree items and other extensions hand it to commands. */
export interface ConversationTarget {
  readonly conversation: string;
  /** Of the record to show. */
  readonly position?: number;
}

/** What a command's argument points at: a row of the tree, a target, or nothing. */
export function targetOf(argument: unknown): ConversationTarget | undefined {
  if (!isObject(argument)) return undefined;
  const { conversation, position, entry } = argument;
  if (typeof conversation === 'string') {
    return { conversation, ...(typeof position === 'number' && { position }) };
  }
  return isObject(entry) ? targetOf(entry) : undefined;
}

/** Finds out which conversation a command is about. */
export class ConversationChoice {
  readonly #logbooks: Logbooks;
  /** What is looked at now: the panel in front, or what is selected in the tree. */
  readonly #current: () => string | undefined;

  constructor(logbooks: Logbooks, current: () => string | undefined) {
    this.#logbooks = logbooks;
    this.#current = current;
  }

  /** The conversation of the argument, else the one looked at now, else one that the person picks. */
  async one(argument: unknown, title: string): Promise<KeptConversation> {
    const conversation = targetOf(argument)?.conversation ?? this.#current();
    return conversation === undefined ? this.#pick(title) : this.#logbooks.find(conversation);
  }

  /** All conversations that are selected in the tree, else the one of the argument or of the person's choice. */
  async several(argument: unknown, selection: unknown, title: string): Promise<readonly KeptConversation[]> {
    const targets = Array.isArray(selection)
      ? (selection as unknown[]).flatMap((row) => targetOf(row) ?? [])
      : [];
    const ids = new Set(targets.map(({ conversation }) => conversation));
    if (ids.size === 0) return [await this.one(argument, title)];
    return Promise.all([...ids].map((conversation) => this.#logbooks.find(conversation)));
  }

  async #pick(title: string): Promise<KeptConversation> {
    const kept = await this.#logbooks.conversations();
    if (kept.length === 0) throw new UserError('Nothing is recorded yet. Run an agent first.');
    const items = kept.map((conversation) => ({ ...describe(conversation.entry), conversation }));
    const options = {
      title,
      placeHolder: 'Which conversation?',
      matchOnDescription: true,
      matchOnDetail: true,
    };
    return chosen(await vscode.window.showQuickPick(items, options)).conversation;
  }
}

function describe(entry: CatalogEntry): vscode.QuickPickItem {
  const when = `${formatDay(entry.startedAt, Date.now())} ${formatTime(entry.startedAt)}`;
  return {
    label: entry.title,
    description: `${when} · ${formatCount(entry.messages, 'message')}`,
    detail: entry.agents.join(', '),
  };
}
