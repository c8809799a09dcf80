import { basename } from 'node:path';
import { message, t } from '../../../core/l10n.js';
import { orAborted } from '../../../core/abort.js';
import type { Disposable } from '../../../core/event.js';
import { isObject } from '../../../core/message.js';
import type { CatalogEntry } from '../../../core/ports/transcript.js';
import type { Stores } from '../../../app/services/stores.js';
import type { StoredConversation } from '../../../app/stores/storedConversation.js';
import { commandName } from '../../../app/manifest.js';
import type { ShownFiles } from '../../../app/services/shownFiles.js';
import type { SessionRow } from '../../../app/views/transcriptGroups.js';
import type { OpenFile } from '../../../capture/openedFiles.js';
import { withProgress } from '../ui/progress.js';
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

/** The files of the sessions of other tools among rows of the tree, also those in groups. */
function sessionsIn(rows: readonly unknown[]): readonly SessionRow['file'][] {
  return rows.flatMap((row) => {
    if (!isObject(row)) return [];
    if (Array.isArray(row.members)) return sessionsIn(row.members as unknown[]);
    return row.kind === 'session' ? [(row as unknown as SessionRow).file] : [];
  });
}

/** Resolves when a long file, of which only the beginning is there at first, is read; rejects when the signal is aborted. */
async function wholeOf({ file }: OpenFile, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  let following: Disposable | undefined;
  const whole = new Promise<void>((resolve) => {
    const look = () => {
      if ((file.report?.done ?? 1) >= 1) resolve();
    };
    following = file.onDidChange(look);
    look();
  });
  try {
    await orAborted(whole, signal);
  } finally {
    following?.dispose();
  }
}

/** What the person is looking at. */
export interface Looking {
  /** The conversation of the active panel, else of the first row selected in the tree. */
  current(): string | undefined;
  /** The rows that are selected in the tree. */
  selection(): readonly unknown[];
  /** Reads a file of another tool where it is, until what is given is disposed. */
  readonly open: ShownFiles['open'];
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
    const rows = this.#rows(argument, selection);
    const ids = new Set(rows.flatMap(targetsOf).map(({ conversation }) => conversation));
    if (ids.size === 0) return [await this.one(argument, title)];
    const kept = await this.#stores.findAll(ids);
    if (kept.length === 0) throw new UserError(t`This conversation is not there any more.`);
    return kept;
  }

  /**
   * Gives `work` the same, with the sessions of other tools among the rows, which are read where they are for as long as it
   * takes.
   */
  async withSessions(
    argument: unknown,
    selection: unknown,
    title: string,
    work: (kept: readonly StoredConversation[]) => Promise<void>,
  ): Promise<void> {
    const rows = this.#rows(argument, selection);
    const files = sessionsIn(rows);
    const isAlone = files.length > 0 && rows.flatMap(targetsOf).length === 0;
    const kept = isAlone ? [] : await this.several(argument, selection, title);
    const opened: OpenFile[] = [];
    try {
      if (files.length > 0)
        await withProgress(words`Reading ${formatCount(files.length, 'session')}`, async (signal, report) => {
          for (const { path } of files) {
            report(plain(basename(path), 100), 100 / files.length);
            const open = await this.#looking.open(path, () => undefined);
            opened.push(open);
            await wholeOf(open, signal);
          }
        });
      const read = opened.flatMap(({ file }) => file.report?.conversations ?? []);
      const ids = new Set(read.map(({ conversation }) => conversation));
      await work([...kept, ...(ids.size > 0 ? await this.#stores.findAll(ids) : [])]);
    } finally {
      for (const open of opened) open.dispose();
    }
  }

  /** The rows that a command is for: those that a menu passes, or those selected where the argument is one of them. */
  #rows(argument: unknown, selection: unknown): readonly unknown[] {
    if (Array.isArray(selection)) return selection as unknown[];
    const selected = this.#looking.selection();
    return selected.includes(argument) ? selected : [argument];
  }

  /**
   * The conversations of all rows that a menu passes or that are selected, see `several`; without any, all of them or
   * those that the person picks.
   */
  async many(argument: unknown, selection: unknown, title: string): Promise<readonly StoredConversation[]> {
    if (targetsOf(argument).length > 0) return await this.several(argument, selection, title);
    const kept = await this.#stores.conversations();
    if (kept.length === 0) throw nothingYet();
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
    if (kept.length === 0) throw nothingYet();
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

/** What is said where no conversation can be chosen; sessions of other tools are rows of the view alone. */
function nothingYet(): UserError {
  return new UserError(
    t`Nothing is recorded in this workspace yet. A session of another tool is chosen in the view Sessions.`,
    { label: message`Run Agent…`, command: commandName('runAgent') },
  );
}

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
