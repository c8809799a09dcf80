import type { CatalogEntry } from '../../ports/transcript.js';
import type { OutlineCall, OutlineTurn } from '../../query/outline.js';
import { dayNames } from './format.js';

/** Conversations of one day, or those that run. */
export interface GroupRow {
  readonly kind: 'group';
  readonly label: string;
  /** The text that its conversations are filtered by; '' for none. */
  readonly filter: string;
  /** Whether it is unfolded until the person folds it. */
  readonly isOpen: boolean;
  readonly conversations: readonly ConversationRow[];
}

/** One conversation. The row stays the same object while its entry changes, so that the tree redraws only it. */
export interface ConversationRow {
  readonly kind: 'conversation';
  readonly entry: CatalogEntry;
}

/** A row for a call of an agent. */
export interface CallRow {
  readonly kind: 'call';
  readonly entry: CatalogEntry;
  readonly call: OutlineCall;
  /** Whether it waits for a person's approval now. */
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

/** The name of the group that comes first. */
const RUNNING = 'Running';

/** The groups and conversations of the Transcripts view, and which of them an update changed. */
export class TranscriptGroups {
  #groups: readonly GroupRow[] = [];
  #rows = new Map<string, Writable<ConversationRow>>();

  /** Running conversations first, then by the day on which they began; within a group as they came. */
  get rows(): readonly GroupRow[] {
    return this.#groups;
  }

  /**
   * Takes in what is kept at `now`, as far as it matches the filter (words of title, agents or state; a conversation
   * matches that has them all). Gives the rows to draw again: `'all'` when groups came, went or were renamed.
   */
  update(entries: readonly CatalogEntry[], filter: string, now: number): 'all' | readonly TranscriptsRow[] {
    const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
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
    const known = new Map(this.#groups.map((group) => [group.label, group]));
    const before = this.#groups;
    this.#groups = [...groupByDay(rows.values(), now)].map(([label, conversations], place) =>
      kept(known.get(label), {
        kind: 'group',
        label,
        filter,
        isOpen: filter !== '' || place === 0 || NEAR.has(label),
        conversations,
      }),
    );
    const isSame =
      before.length === this.#groups.length && before.every((row, at) => row === this.#groups[at]);
    return isSame ? changed : 'all';
  }
}

/** The groups that are unfolded wherever they stand. */
const NEAR = new Set([RUNNING, 'Today', 'Yesterday']);

/** The group as it was, where it still says the same. */
function kept(before: GroupRow | undefined, now: GroupRow): GroupRow {
  const isSame =
    before?.filter === now.filter &&
    before.conversations.length === now.conversations.length &&
    before.conversations.every((row, at) => row === now.conversations[at]);
  return isSame ? before : now;
}

function matches(entry: CatalogEntry, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const text = `${entry.title} ${entry.agents.join(' ')} ${entry.state}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function groupByDay(rows: Iterable<ConversationRow>, now: number): Map<string, ConversationRow[]> {
  const dayOf = dayNames(now);
  const groups = new Map<string, ConversationRow[]>([[RUNNING, []]]);
  for (const row of rows) {
    const { state, startedAt } = row.entry;
    const label = state === 'running' || state === 'waiting' ? RUNNING : dayOf(startedAt);
    const group = groups.get(label);
    if (group) group.push(row);
    else groups.set(label, [row]);
  }
  if (groups.get(RUNNING)?.length === 0) groups.delete(RUNNING);
  return groups;
}
