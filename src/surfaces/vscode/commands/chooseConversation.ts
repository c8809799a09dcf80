import { message, t } from '../../../core/l10n.js';
import { isObject } from '../../../core/message.js';
import type { CatalogEntry } from '../../../core/ports/transcript.js';
import type { Stores } from '../../../app/services/stores.js';
import type { StoredConversation } from '../../../app/stores/storedConversation.js';
import { commandName } from '../../../app/manifest.js';
import { choose, chooseMany, type Choice } from '../ui/pickers.js';
import { iconText, plain, words } from '../../../app/text/plainText.js';
import { chosen, UserError } from '../../../app/userError.js';
import { formatCount, formatDay, formatTime } from '../../../app/text/format.js';

/** A place in a conversation, as tree items and other extensions pass it to commands. */
export interface ConversationTarget {
  readonly conversation: string;
  /** The position of the record to show. */
  readonly position?: number;
}

/** The target of a command's argument, which may be a row of the tree, a target, or anything else. */
export function targetOf(argument: unknown): ConversationTarget | undefined {
  if (!isObject(argument)) return undefined;
  const { conversation, position, entry } = argument;
  if (typeof conversation === 'string') {
    return { conversation, ...(typeof position === 'number' && { position }) };
  }
  return isObject(entry) ? targetOf(entry) : undefined;
}

/** All targets of a command's argument: the row of a group stands for every conversation of it. */
export function targetsOf(argument: unknown): readonly ConversationTarget[] {
  if (isObject(argument) && Array.isArray(argument.conversations)) {
    return (argument.conversations as unknown[]).flatMap((row) => targetOf(row) ?? []);
  }
  return [targetOf(argument) ?? []].flat();
}

/** What the person is looking at. */
export interface Looking {
  /** The conversation of the active panel, else of the first row selected in the tree. */
  current(): string | undefined;
  /** The rows that are selected in the tree. */
  selection(): readonly unknown[];
}

/** Finds out which conversation a command is about. */
export class ConversationChoice {
  readonly #stores: Stores;
  readonly #looking: Looking;

  constructor(stores: Stores, looking: Looking) {
    this.#stores = stores;
    this.#looking = looking;
  }

  /** The conversation of the argument, else the current one, else one that the person picks. */
  async one(argument: unknown, title: string): Promise<StoredConversation> {
    if (isGroup(argument)) throw new UserError(t`Choose one conversation of this group.`);
    const conversation = targetOf(argument)?.conversation ?? this.#looking.current();
    return conversation === undefined ? this.#pick(title) : this.#stores.find(conversation);
  }

  /**
   * The conversations of all rows that a menu passes; those of the tree's selection where the argument is part of it, as
   * when a key is pressed; else the one of the argument, or one that the person picks.
   */
  async several(
    argument: unknown,
    selection: unknown,
    title: string,
  ): Promise<readonly StoredConversation[]> {
    const selected = this.#looking.selection();
    const rows = Array.isArray(selection)
      ? (selection as unknown[])
      : selected.includes(argument)
        ? selected
        : [argument];
    const ids = new Set(rows.flatMap(targetsOf).map(({ conversation }) => conversation));
    if (ids.size === 0) return [await this.one(argument, title)];
    const kept = await this.#stores.findAll(ids);
    if (kept.length === 0) throw new UserError(t`This conversation is not there any more.`);
    return kept;
  }

  /**
   * The conversations of all rows that a menu passes or that are selected, see `several`; without any, all of them or
   * those that the person picks.
   */
  async many(argument: unknown, selection: unknown, title: string): Promise<readonly StoredConversation[]> {
    if (targetsOf(argument).length > 0) return await this.several(argument, selection, title);
    const kept = await this.#stores.conversations();
    if (kept.length === 0) throw new UserError(t`Nothing is recorded yet.`, runAgent);
    const count = formatCount(kept.length, 'transcript');
    const scopes = [
      { label: iconText(t`All ${count}`), all: true },
      { label: iconText(t`Some of Them…`), all: false },
    ];
    const options = { title: plain(title), placeHolder: words`Which transcripts` };
    const { all } = chosen(await choose(scopes, options));
    if (all) return kept;
    const items = kept.map((conversation) => ({ ...describe(conversation.entry), conversation }));
    const picked = await chooseMany(items, { ...options, matchOnDescription: true, matchOnDetail: true });
    return chosen(picked && picked.length > 0 ? picked : undefined).map(({ conversation }) => conversation);
  }

  async #pick(title: string): Promise<StoredConversation> {
    const kept = await this.#stores.conversations();
    if (kept.length === 0) throw new UserError(t`Nothing is recorded yet.`, runAgent);
    const items = kept.map((conversation) => ({ ...describe(conversation.entry), conversation }));
    const options = {
      title: plain(title),
      placeHolder: words`Which conversation?`,
      matchOnDescription: true,
      matchOnDetail: true,
    };
    return chosen(await choose(items, options)).conversation;
  }
}

const runAgent = { label: message`Run Agent…`, command: commandName('runAgent') };

function isGroup(argument: unknown): boolean {
  return isObject(argument) && Array.isArray(argument.conversations);
}

function describe(entry: CatalogEntry): Choice {
  const when = `${formatDay(entry.startedAt, Date.now())} ${formatTime(entry.startedAt)}`;
  return {
    label: iconText(entry.title || t`(no title)`),
    description: iconText(`${when} · ${formatCount(entry.messages, 'message')}`),
    detail: iconText(entry.agents.join(', ')),
  };
}
