import { t } from '../../core/l10n.js';
import { toolWords } from '../../import/toolWords.js';
import type { CatalogEntry } from '../../core/ports/transcript.js';
import type { OutlineCall, OutlineTurn } from '../../query/numbers/outline.js';
import { dayNames, periodNames } from '../text/format.js';

/** What the conversations are grouped by. */
export const groupings = ['date', 'source', 'project', 'agent'] as const;

/** One of {@link groupings}. */
export type Grouping = (typeof groupings)[number];

/** How the conversations are listed. */
export interface Listing {
  /** A text by which they are filtered; '' for none. */
  readonly filter: string;
  readonly by: Grouping;
  /** The current time. */
  readonly now: number;
  /** The name of the project in whose store a conversation is. */
  readonly projectOf: (entry: CatalogEntry) => string;
}

/** The conversations of a period, source, project or agent, or those that are running. */
export interface GroupRow {
  readonly kind: 'group';
  readonly label: string;
  /** Tells it from all other groups, also those of the same name within others. */
  readonly id: string;
  /** The text by which its conversations are filtered; '' for none. */
  readonly filter: string;
  /** Whether it is initially expanded. */
  readonly isOpen: boolean;
  readonly conversations: readonly ConversationRow[];
  /** What it is divided into where it has many conversations. */
  readonly groups?: readonly GroupRow[];
}

/** One conversation. The row remains the same object while its entry changes, so that the tree redraws only it. */
export interface ConversationRow {
  readonly kind: 'conversation';
  readonly entry: CatalogEntry;
}

/** A row for a call of an agent. */
export interface CallRow {
  readonly kind: 'call';
  readonly entry: CatalogEntry;
  readonly call: OutlineCall;
  /** Whether it is waiting for a person's approval. */
  readonly isWaiting: boolean;
}

interface TurnRow {
  readonly kind: 'turn';
  readonly entry: CatalogEntry;
  readonly turn: OutlineTurn;
}

/** A row of the Transcripts view. */
export type TranscriptsRow = GroupRow | ConversationRow | CallRow | TurnRow;

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** The name of the first group. */
const running = () => t`Running`;

/** The groups and conversations of the Transcripts view; tells which of them an update changed. */
export class TranscriptGroups {
  #groups: readonly GroupRow[] = [];
  #rows = new Map<string, Writable<ConversationRow>>();

  /** Running conversations first, then the others by what they are grouped by, in the order in which they were given. */
  get rows(): readonly GroupRow[] {
    return this.#groups;
  }

  /** The rows of conversations, as far as they are listed. */
  rowsOf(conversations: readonly string[]): ConversationRow[] {
    return conversations.flatMap((conversation) => this.#rows.get(conversation) ?? []);
  }

  /**
   * Sets the stored conversations, as far as they match the filter (a conversation matches if its title, agents and state
   * contain all words). Gives the rows to redraw: `'all'` when groups were added, removed or renamed.
   */
  update(entries: readonly CatalogEntry[], listing: Listing): 'all' | readonly TranscriptsRow[] {
    const words = listing.filter.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = new Map<string, Writable<ConversationRow>>();
    const changed: TranscriptsRow[] = [];
    for (const entry of entries) {
      if (!matches(entry, words)) continue;
      const row = this.#rows.get(entry.conversation) ?? { kind: 'conversation', entry };
      if (row.entry !== entry && JSON.stringify(row.entry) !== JSON.stringify(entry)) {
        row.entry = entry;
        changed.push(row);
      }
      rows.set(entry.conversation, row);
    }
    this.#rows = rows;
    const known = new Map(this.#groups.map((group) => [group.id, group]));
    const before = this.#groups;
    this.#groups = groupsOf([...rows.values()], listing).map((group) => kept(known.get(group.id), group));
    const isSame =
      before.length === this.#groups.length && before.every((row, at) => row === this.#groups[at]);
    return isSame ? changed : 'all';
  }
}

/** The groups that are initially expanded wherever they are. */
const near = () => new Set([running(), t`Today`, t`Yesterday`, t`This Week`]);

/** A group with more conversations is divided, because nobody finds anything in a longer list. */
const MAX_UNDIVIDED = 50;

/** The previous group object, if it is still equal. */
function kept(before: GroupRow | undefined, now: GroupRow): GroupRow {
  const isSame =
    before?.filter === now.filter &&
    before.conversations.length === now.conversations.length &&
    before.conversations.every((row, at) => row === now.conversations[at]);
  return isSame ? before : now;
}

function matches(entry: CatalogEntry, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const { title, agents, state, source = '', project = '' } = entry;
  const text = `${title} ${agents.join(' ')} ${state} ${toolWords(source)} ${project}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function groupsOf(rows: readonly ConversationRow[], listing: Listing): GroupRow[] {
  const { filter, by } = listing;
  const name = namer(by, listing);
  const open = near();
  const groups = divided(rows, ({ entry }) => (isLive(entry) ? running() : name(entry)));
  const ordered = [...groups].sort(([a], [b]) => rankOf(a) - rankOf(b));
  return ordered.map(([label, conversations], position) => {
    const id = `${by}:${label}`;
    const isOpen = filter !== '' || position === 0 || open.has(label);
    const group: GroupRow = { kind: 'group', label, id, filter, isOpen, conversations };
    const groups = label === running() ? [] : partsOf(group, listing);
    return groups.length > 1 ? { ...group, groups } : group;
  });
}

/** The parts of a large group: those of a month are its days, those of any other group are periods. */
function partsOf({ id, label, filter, conversations }: GroupRow, listing: Listing): GroupRow[] {
  if (conversations.length <= MAX_UNDIVIDED) return [];
  const name =
    listing.by !== 'date'
      ? namer('date', listing)
      : label === noDate()
        ? namer('source', listing)
        : byDay(listing.now);
  return [...divided(conversations, ({ entry }) => name(entry))].map(([part, members]) => ({
    kind: 'group',
    label: part,
    id: `${id}/${part}`,
    filter,
    conversations: members,
    isOpen: filter !== '',
  }));
}

function divided(
  rows: readonly ConversationRow[],
  nameOf: (row: ConversationRow) => string,
): Map<string, ConversationRow[]> {
  const groups = new Map<string, ConversationRow[]>();
  for (const row of rows) {
    const name = nameOf(row);
    const group = groups.get(name);
    if (group) group.push(row);
    else groups.set(name, [row]);
  }
  return groups;
}

const noDate = () => t`No date`;

/** What runs comes first, what says no time last. */
function rankOf(label: string): number {
  return label === running() ? 0 : label === noDate() ? 2 : 1;
}

function namer(by: Grouping, { now, projectOf }: Listing): (entry: CatalogEntry) => string {
  switch (by) {
    case 'date': {
      const periodOf = periodNames(now);
      return ({ startedAt }) => periodOf(startedAt);
    }
    case 'source':
      return sourceOf;
    case 'project':
      return (entry) => entry.project ?? projectOf(entry);
    case 'agent':
      return ({ agents: [first] }) => (first === undefined || first === '' ? t`No agent` : first);
  }
}

function byDay(now: number): (entry: CatalogEntry) => string {
  const dayOf = dayNames(now);
  return ({ startedAt }) => dayOf(startedAt);
}

/** Where a conversation comes from. */
function sourceOf({ source, recordedHere, messages }: CatalogEntry): string {
  if (source !== undefined) return toolWords(source);
  return !recordedHere && messages > 0 ? t`Imported` : t`Recorded here`;
}

function isLive({ state }: CatalogEntry): boolean {
  return state === 'running' || state === 'waiting';
}
