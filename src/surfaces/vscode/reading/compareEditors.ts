import * as v from 'valibot';
import * as vscode from 'vscode';
import { features } from '../../../app/features/features.js';
import { commandName, compareEditorType } from '../../../app/manifest.js';
import type { LateArchive } from '../../../app/application/openApplication.js';
import type { Stores } from '../../../app/services/stores.js';
import { sharingPolicyOf } from '../../../app/sharing/sharingSettings.js';
import type { RunPlace } from '../../../app/sources/compareThread.js';
import type { StoredConversation } from '../../../app/stores/storedConversation.js';
import { iconText, plain, words } from '../../../app/text/plainText.js';
import { chosen, UserError } from '../../../app/userError.js';
import { orAborted } from '../../../core/abort.js';
import { t } from '../../../core/l10n.js';
import { isObject } from '../../../core/message.js';
import type { Log } from '../../../core/ports/log.js';
import { messageOf } from '../../../core/text.js';
import type { CompareSession } from '../../../page/panel/compare/compareSession.js';
import { keptComparison, type KeptComparison } from '../../../page/protocol/comparePage.js';
import { WebviewContent } from '../../../page/panel/webviewContent.js';
import { targetsOf, type ConversationChoice } from '../commands/chooseConversation.js';
import type { FileEditors } from '../panel/fileEditors.js';
import type { TranscriptPanels } from '../panel/transcriptPanels.js';
import { editorSettings, setting } from '../settings.js';
import { showText } from '../ui/clipboard.js';
import { choose } from '../ui/pickers.js';
import { withProgress } from '../ui/progress.js';
import { showPage } from '../ui/showPage.js';
import { openTexts } from './changeViews.js';
import { replayCommands, type Replays } from './replayRuns.js';

/** So much of what was compared stands in the title of its tab, in code points. */
const MAX_TITLE = 60;

/** What is needed to compare and to open what was compared. */
export interface CompareOptions {
  readonly context: vscode.ExtensionContext;
  readonly stores: Stores;
  readonly archived: LateArchive;
  readonly replays: Replays;
  readonly choice: ConversationChoice;
  readonly panels: Pick<TranscriptPanels, 'open' | 'panelsOf'>;
  readonly files: Pick<FileEditors, 'show'>;
  readonly log: Log;
}

/** Where a run is as a person named it: one of an archive has its place and its id there. */
type RunLocation = KeptComparison['places'][number];

/** The commands that compare runs: rows of the tree, hits of a search, or what the person picks. */
export function compareCommands(options: CompareOptions) {
  const { stores, choice } = options;
  let marked: readonly RunLocation[] = [];
  const placesOf = async (argument: unknown, selection: unknown): Promise<readonly RunLocation[]> => {
    const rows = Array.isArray(selection) && selection.length > 0 ? (selection as unknown[]) : [argument];
    const places = await Promise.all(rows.map(async (row) => await placesOfRow(stores, row)));
    return places.flat();
  };
  return {
    ...replayCommands({ ...options, compare: (places) => openComparison(options, places) }),

    /** An argument `{ panel, state }` is a comparison that was open when its window was closed. */
    async compareTranscripts(argument?: unknown, selection?: unknown) {
      if (isObject(argument) && 'panel' in argument) {
        restoreComparison(options, argument.panel as vscode.WebviewPanel, argument.state);
        return;
      }
      const given = await placesOf(argument, selection);
      const [first] = given;
      const one = first ?? storedPlace(await choice.one(argument, t`Compare`));
      const family = given.length > 1 ? given : await withOrigin(stores, one);
      openComparison(options, family ?? (await withWhat(stores, one)));
    },

    async selectForCompare(argument?: unknown, selection?: unknown) {
      const places = await placesOf(argument, selection);
      if (places.length === 0) throw new UserError(t`There is nothing here that could be compared.`);
      marked = places;
      await vscode.commands.executeCommand('setContext', 'agentLogbook.markedForCompare', true);
    },

    async compareWithSelected(argument?: unknown, selection?: unknown) {
      if (marked.length === 0)
        throw new UserError(t`Choose Select for Compare on a first transcript, and this on a second one.`);
      openComparison(options, [...marked, ...(await placesOf(argument, selection))]);
    },
  };
}

/** The places of a row: conversations of the tree, a session of another tool, or a hit of a search. */
async function placesOfRow(stores: Stores, row: unknown): Promise<readonly RunLocation[]> {
  if (!isObject(row)) return [];
  if (row.kind === 'archived' && isObject(row.listed) && typeof row.listed.id === 'string')
    return [{ kind: 'archive', root: '', conversation: row.listed.id }];
  if (row.kind === 'session' && isObject(row.file) && typeof row.file.path === 'string')
    return [{ kind: 'file', root: row.file.path, conversation: '' }];
  if (isObject(row.place)) return placeOfHit(row.place);
  const ids = new Set(targetsOf(row).map(({ conversation }) => conversation));
  if (ids.size === 0) return [];
  return (await stores.findAll(ids)).map(storedPlace);
}

function placeOfHit({ kind, root, conversation }: Readonly<Record<string, unknown>>): readonly RunLocation[] {
  if (typeof root !== 'string' || typeof conversation !== 'string') return [];
  return kind === 'stored' || kind === 'file' || kind === 'archive' ? [{ kind, root, conversation }] : [];
}

function storedPlace({ root, entry }: StoredConversation): RunLocation {
  return { kind: 'stored', root, conversation: entry.conversation };
}

/** A conversation behind the one that it goes on from; undefined for any other. */
async function withOrigin(stores: Stores, one: RunLocation): Promise<readonly RunLocation[] | undefined> {
  const from = one.kind === 'stored' ? stores.known(one.conversation)?.goesOnFrom : undefined;
  if (from === undefined) return undefined;
  const [origin] = await stores.findAll(new Set([from]));
  return origin && [storedPlace(origin), one];
}

/** What one transcript is compared with, as the person picks: its own runs, or another transcript. */
async function withWhat(stores: Stores, one: RunLocation): Promise<readonly RunLocation[]> {
  const all = await stores.conversations();
  const own = all.find(({ root, entry }) => root === one.root && entry.conversation === one.conversation);
  const runs = own?.entry.runs ?? 0;
  const previous = own && previousAndLast(own, all);
  const items = [
    ...(previous
      ? [
          {
            label: iconText(t`With the Previous Run of ${own.entry.agents[0] ?? t`This Agent`}`),
            places: previous,
          },
        ]
      : []),
    ...(runs > 1 || one.kind === 'file'
      ? [
          {
            label: iconText(runs > 1 ? t`Its ${runs} Runs with Each Other` : t`Its Runs with Each Other`),
            places: [one],
          },
        ]
      : []),
    ...all
      .filter((each) => each !== own)
      .map((each) => ({
        label: iconText(each.entry.title || t`(no title)`),
        description: iconText(each.entry.agents.join(', ')),
        places: [one, storedPlace(each)],
      })),
  ];
  if (items.length === 0)
    throw new UserError(
      t`There is nothing to compare it with: it has one run, and there is no other transcript.`,
    );
  const question = { title: words`Compare`, placeHolder: words`With what?`, matchOnDescription: true };
  return chosen(await choose(items, question)).places;
}

/** The last run of a conversation and the one before it of the same agent, which may be of an earlier conversation. */
function previousAndLast(
  newer: StoredConversation,
  all: readonly StoredConversation[],
): readonly RunLocation[] | undefined {
  const { entry } = newer;
  const last = { ...storedPlace(newer), run: entry.runs };
  if (entry.runs > 1) return [{ ...last, run: entry.runs - 1 }, last];
  const [agent] = entry.agents;
  const [previous] = all
    .filter(
      ({ entry: other }) =>
        other.conversation !== entry.conversation &&
        other.agents[0] === agent &&
        other.startedAt <= entry.startedAt,
    )
    .sort((a, b) => b.entry.startedAt - a.entry.startedAt);
  if (!previous) return undefined;
  const { runs } = previous.entry;
  return [{ ...storedPlace(previous), ...(runs > 1 && { run: runs }) }, storedPlace(newer)];
}

/** Compares runs in an editor of their own. */
function openComparison(options: CompareOptions, places: readonly RunLocation[]): void {
  const panel = vscode.window.createWebviewPanel(compareEditorType, t`Compare`, vscode.ViewColumn.Active, {
    retainContextWhenHidden: true,
  });
  fillComparison(options, panel, { places: [...places], choices: { keep: [] } });
}

/** Shows a comparison again, by what its page kept. */
function restoreComparison(options: CompareOptions, panel: vscode.WebviewPanel, state: unknown): void {
  const kept = v.safeParse(keptComparison, state);
  if (kept.success) fillComparison(options, panel, kept.output);
  else panel.dispose();
}

function fillComparison(options: CompareOptions, panel: vscode.WebviewPanel, kept: KeptComparison): void {
  const { context, log } = options;
  let isDisposed = false;
  const passing = new PassingRuns(options);
  const loading = loadSession(options, { panel, passing }, kept);
  const withSession = async (work: (session: CompareSession) => void): Promise<void> => {
    try {
      work((await loading).session);
    } catch (error) {
      log.error('The comparison cannot be shown.', error);
      if (!isDisposed)
        WebviewContent.of(panel.webview).notice(t`The comparison cannot be shown`, messageOf(error));
    }
  };
  panel.webview.onDidReceiveMessage((message: unknown) => {
    void withSession((session) => void session.receive(message));
  });
  panel.onDidDispose(() => {
    isDisposed = true;
    void withSession((session) => session.dispose());
    // What was read of a comparison that cannot be shown goes as well.
    loading
      .then(
        ({ thread }) => thread.dispose(),
        () => undefined,
      )
      .finally(() => passing.dispose());
  });
  showPage(panel.webview, context.extensionUri, 'compare', t`Compare`);
}

async function loadSession(
  options: CompareOptions,
  { panel, passing }: { readonly panel: vscode.WebviewPanel; readonly passing: PassingRuns },
  kept: KeptComparison,
) {
  const { context, log } = options;
  const { CompareSession, CompareThread } = await features.comparing();
  const places = await passing.readable(kept.places);
  const policy = sharingPolicyOf(editorSettings);
  const thread = new CompareThread(places, { ownPrices: setting('prices.file'), policy, log });
  const session = new CompareSession({
    engine: thread,
    compared: kept,
    open: async ({ run, position }) => {
      const place = (await thread.places())[run];
      if (place) await openPlace(options, passing.opened(place), position);
    },
    compareTwo: (baseline, run) => {
      void thread.places().then((read) => {
        const [left, right] = [read[baseline], read[run]];
        if (left && right) openComparison(options, [passing.named(left), passing.named(right)]);
      });
    },
    showBodies: ({ title, left, right }) => openTexts(context, title, left, right),
    exportAs: (format, text) => showText(text, format),
    onCompared: ({ title }) => (panel.title = plain(title, MAX_TITLE)),
    log,
    post: (message) => panel.webview.postMessage(message),
  });
  return { session, thread };
}

/**
 * The runs of a comparison that an archive keeps, and those that are replayed: read whole into passing stores of this window while the
 * comparison is open.
 */
export class PassingRuns {
  readonly #options: Pick<CompareOptions, 'archived' | 'panels' | 'replays' | 'stores'>;
  /** Where each is in the archive, by its id here. */
  readonly #named = new Map<string, RunLocation>();
  #isDisposed = false;

  constructor(options: Pick<CompareOptions, 'archived' | 'panels' | 'replays' | 'stores'>) {
    this.#options = options;
  }

  /** The places as a thread can read them. Rejects with a UserError where the archive does not give one whole. */
  async readable(places: readonly RunLocation[]): Promise<readonly RunPlace[]> {
    const read = async (place: RunLocation): Promise<RunPlace> => {
      const { kind, run } = place;
      if (kind === 'replay') return { kind: 'stored', ...(await this.#replay(place)) };
      if (kind !== 'archive') return { ...place, kind };
      return { kind: 'stored', ...(await this.#read(place)), ...(run !== undefined && { run }) };
    };
    if (!places.some(({ kind }) => kind === 'archive')) return await Promise.all(places.map(read));
    return await withProgress(words`Reading from the archive`, async (signal) => {
      const all: RunPlace[] = [];
      for (const place of places) {
        signal.throwIfAborted();
        all.push(await orAborted(read(place), signal));
      }
      return all;
    });
  }

  /** Where a run that was read can be opened: what a replay says is only here. */
  opened(place: RunPlace): RunLocation {
    const named = this.named(place);
    return named.kind === 'replay' ? place : named;
  }

  /** Where a run that was read is for a person. */
  named(place: RunPlace): RunLocation {
    const from = this.#named.get(place.conversation);
    return from ? { ...from, ...(place.run !== undefined && { run: place.run }) } : place;
  }

  /** What nobody else looks at goes, also what is only read to its end after this. */
  dispose(): void {
    this.#isDisposed = true;
    for (const [conversation, { kind }] of this.#named) this.#forget(conversation, kind);
  }

  #name(conversation: string, place: RunLocation): void {
    this.#named.set(conversation, place);
    if (this.#isDisposed) this.#forget(conversation, place.kind);
  }

  #forget(conversation: string, kind: RunLocation['kind']): void {
    const { archived, panels, replays } = this.#options;
    if (panels.panelsOf(conversation).length > 0) return;
    void (kind === 'replay' ? replays.forget(conversation) : archived.loaded?.closed(conversation));
  }

  async #replay(place: RunLocation) {
    const own = await this.#options.replays.passing(place.conversation);
    this.#name(own.conversation, place);
    return own;
  }

  async #read(place: RunLocation): Promise<{ readonly root: string; readonly conversation: string }> {
    const { archived, stores } = this.#options;
    const transcripts = await archived.load();
    const conversation = await transcripts.open(place.conversation, place.root || undefined);
    this.#name(conversation, place);
    await transcripts.reached(conversation, Infinity);
    const failure = transcripts.shown(conversation)?.failure;
    if (failure !== undefined) throw new UserError(failure);
    const { root } = await stores.find(conversation);
    return { root, conversation };
  }
}

async function openPlace(
  { panels, files }: CompareOptions,
  { kind, root, conversation }: RunLocation,
  position: number,
): Promise<void> {
  if (kind === 'stored') panels.open(conversation, { position });
  else if (kind === 'file') await files.show(root, { at: Number(conversation), what: { position } }, false);
  else {
    const place = root || undefined;
    await vscode.commands.executeCommand(commandName('openArchived'), { id: conversation, place, position });
  }
}
