import { t } from '../../core/l10n.js';
import { toolWords } from '../../import/toolWords.js';
import { basename } from 'node:path';
import type { ToolId } from '../../import/toolHomes.js';
import type { SessionFile } from '../../capture/discovery/sessionWalk.js';
import type { KeptSession } from '../../store/notes/keptSessions.js';
import type { CatalogEntry } from '../../core/ports/transcript.js';
import { isSameState } from '../../capture/discovery/sameState.js';
import type { SessionState } from '../../capture/discovery/sessionState.js';
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
  /** How far a person has looked at a conversation before; undefined where they never have, or look at it now. */
  readonly seenOf?: ((entry: CatalogEntry) => KeptSession['seen']) | undefined;
}

/** The conversations and sessions of a period, source, project or agent, or those that are live. */
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
  /** The same with the sessions of other tools among them, newest first. */
  readonly members: readonly MemberRow[];
  /** What it is divided into where it has many conversations. */
  readonly groups?: readonly GroupRow[];
}

/** One conversation. The row remains the same object while its entry changes, so that the tree redraws only it. */
export interface ConversationRow {
  readonly kind: 'conversation';
  readonly entry: CatalogEntry;
  /** See `Listing.seenOf`. */
  readonly seen?: KeptSession['seen'];
}

/** A session of another tool that was found on this machine. The row remains the same object like that of a conversation. */
export interface SessionRow {
  readonly kind: 'session';
  readonly id: ToolId;
  /** What a person calls its tool. */
  readonly tool: string;
  readonly file: SessionFile;
  /** What it does, where it may be live. */
  readonly state?: SessionState | undefined;
  /** The folder in which it was held; '' where it does not say, or nobody asked. */
  readonly folder: string;
  /** What it is called, as far as it was read by now. */
  readonly title: string;
  /** What a person keeps about it; undefined where that is nothing. */
  readonly kept?: Pick<KeptSession, 'isPinned' | 'name' | 'seen'> | undefined;
}

/** What a group consists of. */
export type MemberRow = ConversationRow | SessionRow;

/** Shows more sessions of a group. */
export interface MoreRow {
  readonly kind: 'more';
  readonly of: GroupRow;
  readonly left: number;
}

/** Offers to list the sessions of tools that are on this machine and that nobody was asked about. */
export interface OfferRow {
  readonly kind: 'offer';
  readonly tools: readonly { readonly id: ToolId; readonly name: string }[];
}

/** What of a tool's sessions cannot be looked at, in words. */
export interface ProblemRow {
  readonly kind: 'problem';
  readonly tool: string;
  readonly words: string;
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

/** A row of a group, of a conversation or of what is in one. */
export type OwnRow = GroupRow | ConversationRow | CallRow | TurnRow;

/** A row of the view of all sessions. */
export type TranscriptsRow = OwnRow | SessionRow | MoreRow | OfferRow | ProblemRow;

/** How many members of a group are shown at once where sessions of other tools are among them, whose files are read for it. */
export const MEMBERS_AT_ONCE = 100;

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** The names of the first groups. */
const running = () => t`Live`;
const pinned = () => t`Pinned`;

/** The groups, conversations and sessions of the view of all sessions; tells which of them an update changed. */
export class TranscriptGroups {
  #groups: readonly GroupRow[] = [];
  #rows = new Map<string, Writable<ConversationRow>>();
  #sessions = new Map<string, Writable<SessionRow>>();
  /** How many members of a group are shown, by its id, where more were asked for. */
  readonly #shown = new Map<string, number>();

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
   * contain all words), and the sessions of other tools, newest first. Gives the rows to redraw: `'all'` when groups were added,
   * removed or renamed.
   */
  update(
    entries: readonly CatalogEntry[],
    listing: Listing,
    found: readonly SessionRow[] = [],
  ): 'all' | readonly TranscriptsRow[] {
    const words = listing.filter.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = new Map<string, Writable<ConversationRow>>();
    const changed: TranscriptsRow[] = [];
    for (const entry of entries) {
      if (!matches(entry, words)) continue;
      const row = this.#rows.get(entry.conversation) ?? { kind: 'conversation', entry };
      const seen = listing.seenOf?.(entry);
      const isOther = row.entry !== entry && JSON.stringify(row.entry) !== JSON.stringify(entry);
      if (isOther || row.seen?.at !== seen?.at) changed.push(Object.assign(row, { entry, seen }));
      rows.set(entry.conversation, row);
    }
    this.#rows = rows;
    const sessions = new Map<string, Writable<SessionRow>>();
    for (const session of found) {
      if (!sessionMatches(session, words)) continue;
      const row = this.#sessions.get(session.file.path) ?? { ...session };
      if (!isSameSession(row, session)) {
        Object.assign(row, session);
        changed.push(row);
      }
      sessions.set(session.file.path, row);
    }
    this.#sessions = sessions;
    const known = new Map(this.#groups.map((group) => [group.id, group]));
    const before = this.#groups;
    this.#groups = groupsOf(merged([...rows.values()], [...sessions.values()]), listing).map((group) =>
      kept(known.get(group.id), group),
    );
    const isSame =
      before.length === this.#groups.length && before.every((row, at) => row === this.#groups[at]);
    return isSame ? changed : 'all';
  }

  /** The members of a group that are shown, and a row for more of them. */
  membersOf(group: GroupRow): readonly (MemberRow | MoreRow)[] {
    const { id, members, conversations } = group;
    if (members.length === conversations.length) return members;
    const shown = members.slice(0, this.#shown.get(id) ?? MEMBERS_AT_ONCE);
    const left = members.length - shown.length;
    return left > 0 ? [...shown, { kind: 'more', of: group, left }] : shown;
  }

  /** Shows more members of a group from now on. */
  showMore({ id }: GroupRow): void {
    this.#shown.set(id, (this.#shown.get(id) ?? MEMBERS_AT_ONCE) + MEMBERS_AT_ONCE);
  }
}

/** When a conversation began, or a session was last written to. */
function timeOf(row: MemberRow): number {
  return row.kind === 'session' ? row.file.changed : row.entry.startedAt;
}

/** Both lists as one, newest first; each in its own order. */
function merged(
  conversations: readonly ConversationRow[],
  sessions: readonly SessionRow[],
): readonly MemberRow[] {
  if (sessions.length === 0) return conversations;
  const all: MemberRow[] = [];
  let at = 0;
  for (const row of conversations) {
    for (let next = sessions[at]; next && timeOf(next) >= timeOf(row); next = sessions[++at]) all.push(next);
    all.push(row);
  }
  return [...all, ...sessions.slice(at)];
}

function isSameSession(one: SessionRow, other: SessionRow): boolean {
  const { bytes, changed } = other.file;
  const isSameFile = one.file.bytes === bytes && one.file.changed === changed;
  return (
    isSameFile &&
    isSameState(one.state, other.state) &&
    one.folder === other.folder &&
    one.title === other.title &&
    JSON.stringify(one.kept) === JSON.stringify(other.kept)
  );
}

function sessionMatches({ tool, file, title, folder, kept }: SessionRow, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const text = `${kept?.name ?? ''} ${title} ${tool} ${folder} ${basename(file.path)}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** The groups that are initially expanded wherever they are. */
const near = () => new Set([running(), pinned(), t`Today`, t`Yesterday`, t`This Week`]);

/** A group with more conversations is divided, because nobody finds anything in a longer list. */
const MAX_UNDIVIDED = 50;

/** The previous group object, if it is still equal. */
function kept(before: GroupRow | undefined, now: GroupRow): GroupRow {
  const isSame =
    before?.filter === now.filter &&
    before.members.length === now.members.length &&
    before.members.every((row, at) => row === now.members[at]);
  return isSame ? before : now;
}

function matches(entry: CatalogEntry, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const { title, agents, state, source = '', project = '' } = entry;
  const text = `${title} ${agents.join(' ')} ${state} ${toolWords(source)} ${project}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function groupsOf(rows: readonly MemberRow[], listing: Listing): GroupRow[] {
  const { filter, by } = listing;
  const name = namer(by, listing, rows);
  const open = near();
  const groups = divided(rows, (row) => (isLive(row) ? running() : isPinned(row) ? pinned() : name(row)));
  const ordered = [...groups].sort(([a], [b]) => rankOf(a) - rankOf(b));
  return ordered.map(([label, members], position) => {
    const id = `${by}:${label}`;
    const isOpen = filter !== '' || position === 0 || open.has(label);
    const conversations = conversationsIn(members);
    const group: GroupRow = { kind: 'group', label, id, filter, isOpen, conversations, members };
    const groups = label === running() ? [] : partsOf(group, listing);
    return groups.length > 1 ? { ...group, groups } : group;
  });
}

/** The parts of a large group: those of a month are its days, those of any other group are periods. */
function partsOf({ id, label, filter, members: all }: GroupRow, listing: Listing): GroupRow[] {
  if (all.length <= MAX_UNDIVIDED) return [];
  const name =
    listing.by !== 'date'
      ? namer('date', listing)
      : label === noDate()
        ? namer('source', listing)
        : byDay(listing.now);
  return [...divided(all, name)].map(([part, members]) => ({
    kind: 'group',
    label: part,
    id: `${id}/${part}`,
    filter,
    conversations: conversationsIn(members),
    members,
    isOpen: filter !== '',
  }));
}

function conversationsIn(members: readonly MemberRow[]): readonly ConversationRow[] {
  const isConversation = (row: MemberRow) => row.kind === 'conversation';
  return members.every(isConversation) ? members : members.filter(isConversation);
}

function divided(rows: readonly MemberRow[], nameOf: (row: MemberRow) => string): Map<string, MemberRow[]> {
  const groups = new Map<string, MemberRow[]>();
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
  return label === running() ? -1 : label === pinned() ? 0 : label === noDate() ? 2 : 1;
}

function namer(
  by: Grouping,
  { now, projectOf }: Listing,
  all: readonly MemberRow[] = [],
): (row: MemberRow) => string {
  switch (by) {
    case 'date': {
      const periodOf = periodNames(now);
      return (row) => periodOf(timeOf(row));
    }
    case 'source':
      return (row) => (row.kind === 'session' ? row.tool : sourceOf(row.entry));
    case 'project': {
      const nameOf = folderNames(all.flatMap((row) => (row.kind === 'session' ? [row.folder] : [])));
      return (row) =>
        row.kind === 'session' ? nameOf(row.folder) : (row.entry.project ?? projectOf(row.entry));
    }
    case 'agent':
      return (row) => {
        const [first] = row.kind === 'session' ? [] : row.entry.agents;
        return first === undefined || first === '' ? t`No agent` : first;
      };
  }
}

function byDay(now: number): (row: MemberRow) => string {
  const dayOf = dayNames(now);
  return (row) => dayOf(timeOf(row));
}

/** Names the folders in which sessions were held: those of one name by their paths. */
function folderNames(folders: readonly string[]): (folder: string) => string {
  const endOf = (folder: string) => basename(folder.replace(/\\/g, '/'));
  const called = new Map<string, string>();
  const several = new Set<string>();
  for (const folder of folders) {
    const end = endOf(folder);
    const other = called.get(end);
    if (other !== undefined && other !== folder) several.add(end);
    called.set(end, folder);
  }
  return (folder) => (several.has(endOf(folder)) ? folder : endOf(folder)) || t`No folder named`;
}

/** Where a conversation comes from. */
function sourceOf({ source, recordedHere, messages }: CatalogEntry): string {
  if (source !== undefined) return toolWords(source);
  return !recordedHere && messages > 0 ? t`Imported` : t`Recorded here`;
}

/** Whether a row is live; see `SessionState`. */
function isPinned(row: MemberRow): boolean {
  return row.kind === 'session' && row.kept?.isPinned === true;
}

function isLive(row: MemberRow): boolean {
  if (row.kind === 'session') return row.state?.isLive === true;
  return row.entry.state === 'running' || row.entry.state === 'waiting';
}
