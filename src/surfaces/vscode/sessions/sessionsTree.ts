import { parse } from 'node:path';
import type * as vscode from 'vscode';
import type { Application } from '../../../app/application/openApplication.js';
import type { KeptChange, KeptSession } from '../../../store/notes/keptSessions.js';
import { keyOfConversation } from '../../../core/sessionKey.js';
import type { SessionDiscovery } from '../../../app/discovery/sessionDiscovery.js';
import { newsWords, unreadSince } from '../../../app/discovery/stateWords.js';
import type {
  Listing,
  MemberRow,
  OfferRow,
  OwnRow,
  ProblemRow,
  SessionRow,
} from '../../../app/views/transcriptGroups.js';
import type { SessionAbout } from '../../../capture/discovery/sessionAbout.js';
import { RECORDINGS, toolHome, type ToolId } from '../../../import/toolHomes.js';
import { t } from '../../../core/l10n.js';
import type { Disposable } from '../../../core/event.js';
import { withTooltip, type Row, type Tree, type UnresolvedRow } from '../ui/treeItems.js';
import { itemFor, tooltipFor, type SessionItemRow } from './sessionItems.js';

export { offerWords } from './sessionItems.js';
export { WatchNotices } from './watchNotices.js';

/** How many sessions a filter by words reads the titles of: the newest. */
const MAX_FILTERED = 500;

/** What is known of the sessions of other tools at a moment. */
export interface SessionListing {
  /** Newest first. */
  readonly sessions: readonly SessionRow[];
  readonly problems: readonly ProblemRow[];
  readonly offer: OfferRow | undefined;
  /** Whether a person has allowed any tool. */
  readonly isChosen: boolean;
  readonly seenOf?: Listing['seenOf'];
}

/** The sessions of other tools as the list of all sessions shows them. While the list is hidden, nothing is looked at. */
export class SessionsTree implements vscode.Disposable {
  readonly #discovery: SessionDiscovery;
  readonly #beside: Pick<Application, 'stores' | 'shown' | 'inView'>;
  readonly #following: readonly Disposable[];
  #watching: Disposable | undefined;
  /** What the sessions that were shown tell, by path. */
  readonly #about = new Map<string, SessionAbout>();

  /** `changed` is called when there are other sessions, when some were written to, and when what is kept about them was changed. */
  constructor(
    discovery: SessionDiscovery,
    beside: Pick<Application, 'stores' | 'shown' | 'inView'>,
    shown: Pick<Tree<unknown>, 'visible' | 'onDidChangeVisibility'>,
    changed: () => void,
  ) {
    this.#discovery = discovery;
    this.#beside = beside;
    this.#following = [
      beside.stores.onDidKeep(changed),
      discovery.onDidChange((tools) => {
        if (shown.visible && tools.size > 0) changed();
      }),
      shown.onDidChangeVisibility(({ visible }) => this.#watch(visible)),
    ];
    this.#watch(shown.visible);
  }

  /** What there is now; `needs` says what of the sessions is read besides their places and times. */
  async found(needs: 'nothing' | 'folders' | 'titles'): Promise<SessionListing> {
    const tools = await this.#discovery.tools();
    const answers = await this.#discovery.consent.answers();
    const listed = await Promise.all(
      tools.map(async ({ id, name, sessions }) => {
        const files = [...sessions.values()];
        const folders =
          needs === 'folders'
            ? await this.#discovery.workspaces(
                id,
                files.map(({ path }) => path),
              )
            : undefined;
        const tool = id === RECORDINGS ? t`Recorded here` : name;
        return files.map((file): SessionRow => ({
          kind: 'session',
          id,
          tool,
          file,
          state: this.#discovery.states.get(file.path)?.state,
          folder: folders?.get(file.path) ?? '',
          title: '',
        }));
      }),
    );
    const sessions = listed.flat().sort((a, b) => b.file.changed - a.file.changed);
    if (needs === 'titles') await this.read(sessions.slice(0, MAX_FILTERED));
    const there = await this.#discovery.present();
    const all = await this.#beside.stores.kept();
    const kept = this.#byPath((await all?.all()) ?? []);
    return {
      seenOf: ({ conversation, origin }) =>
        this.#beside.inView.isVisible(conversation)
          ? undefined
          : all?.known(keyOfConversation(conversation, origin))?.seen,
      sessions: sessions.map((row) => ({
        ...row,
        title: this.#about.get(row.file.path)?.title ?? '',
        kept: kept.get(row.file.path),
      })),
      problems: tools.flatMap(({ name, problems }) =>
        problems.map((problem): ProblemRow => ({ kind: 'problem', tool: name, words: problem })),
      ),
      offer:
        there.length === 0
          ? undefined
          : { kind: 'offer', tools: there.map((id) => ({ id, name: toolHome(id).name })) },
      isChosen: [...answers.values()].includes(true),
    };
  }

  /** Reads the beginnings and ends of sessions that are to be shown. */
  async read(rows: readonly SessionRow[]): Promise<void> {
    const byTool = new Map<ToolId, SessionRow[]>();
    for (const row of rows) {
      const of = byTool.get(row.id);
      if (of) of.push(row);
      else byTool.set(row.id, [row]);
    }
    for (const [id, of] of byTool) {
      const about = await this.#discovery.about(
        id,
        of.map(({ file }) => file),
      );
      for (const [path, told] of about) this.#about.set(path, told);
    }
  }

  /** Changes what is kept about a session. Rejects with errors of the file system. */
  async keep(row: SessionRow, change: KeptChange): Promise<void> {
    if (!this.#about.has(row.file.path)) await this.read([row]);
    const about = this.#aboutOf(row);
    // As an import calls it; where the file does not say, by its name.
    const session = about?.id ?? parse(row.file.path).name;
    const { path } = row.file;
    const kept = await this.#beside.stores.kept();
    await kept?.change({ tool: row.id, session }, [change], { title: about?.title ?? '', path });
  }

  /** Allows the tools of an offer. */
  async agree({ tools }: OfferRow): Promise<void> {
    await this.#discovery.allow(
      tools.map(({ id }) => id),
      'besides',
    );
  }

  item(row: SessionItemRow): Row {
    return itemFor(row, this.#aboutOf(row), Date.now());
  }

  resolved(item: UnresolvedRow, row: SessionItemRow): UnresolvedRow {
    return withTooltip(item, tooltipFor(row, this.#aboutOf(row), Date.now()));
  }

  /** How many of these have news. */
  unread(rows: readonly MemberRow[]): number {
    return rows.filter((row) => unreadSince(row) > 0).length;
  }

  /** Since when a conversation has news, as its row says it; '' where it has none. */
  newsOf(row: OwnRow): string {
    return row.kind === 'conversation' ? newsWords(row, Date.now()) : '';
  }

  /** Looks at all folders again. */
  look(): Promise<void> {
    return this.#discovery.look();
  }

  dispose(): void {
    this.#watching?.dispose();
    for (const following of this.#following) following.dispose();
  }

  /** What a person keeps about the files that are listed, but for what is new in those that they look at now. */
  #byPath(all: readonly KeptSession[]): ReadonlyMap<string, NonNullable<SessionRow['kept']>> {
    const { shown, inView } = this.#beside;
    const byPath = new Map<string, NonNullable<SessionRow['kept']>>();
    for (const { path, isPinned, name, seen } of all) {
      const before = byPath.get(path);
      const { conversations = [] } = shown.reportAt(path) ?? {};
      const isInView = conversations.some(({ conversation }) => inView.isVisible(conversation));
      byPath.set(path, {
        isPinned: isPinned || before?.isPinned === true,
        name: name || (before?.name ?? ''),
        seen: isInView ? undefined : later(seen, before?.seen),
      });
    }
    return byPath;
  }

  #aboutOf(row: SessionItemRow): SessionAbout | undefined {
    if (row.kind !== 'session') return undefined;
    // Of what may be live the end is read again whenever it was written to.
    const { path } = row.file;
    return this.#discovery.states.get(path)?.about ?? this.#about.get(path);
  }

  #watch(isVisible: boolean): void {
    this.#watching?.dispose();
    this.#watching = isVisible ? this.#discovery.watch() : undefined;
  }
}

/** Of what was seen of the sessions of one file, what was seen last. */
function later(one: KeptSession['seen'], other: KeptSession['seen']): KeptSession['seen'] {
  return one && other ? (one.at > other.at ? one : other) : (one ?? other);
}
