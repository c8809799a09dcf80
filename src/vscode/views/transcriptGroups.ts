import type { CatalogEntry } from '../../ports/transcript.js';
import type { OutlineCall, OutlineTurn } from '../../query/outline.js';
import { dayNames } from './format.js';

/** The conversations of one day, or those that are running. */
export interface GroupRow {
  readonly kind: 'group';
  readonly label: string;
  /** The text by which its conversations are filtered; '' for none. */
  readonly filter: string;
  /** Whether it is initially expanded. */
  readonly isOpen: boolean;
  readonly conversations: readonly ConversationRow[];
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
const RUNNING = 'Running';

/** The groups and conversations of the Transcripts view; tells which of them an update changed. */
export class TranscriptGroups {
  #groups: readonly GroupRow[] = [];
  #rows = new Map<string, Writable<ConversationRow>>();

  /** Running conversations first, then by the day on which they started; within a group in the given order. */
  get rows(): readonly GroupRow[] {
    return this.#groups;
  }

  /**
   * Sets the conversations stored at `now`, as far as they match the filter (a conversation matches if its title, agents
   * and state contain all words). Gives the rows to redraw: `'all'` when groups were added, removed or renamed.
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

/** The groups that are initially expanded wherever they are. */
const NEAR = new Set([RUNNING, 'Today', 'Yesterday']);

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
