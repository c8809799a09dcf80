import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Disposable } from '../../core/event.js';
import type { Frontend } from '../../core/ports/frontend.js';
import type { Log } from '../../core/ports/log.js';
import type { PatternMatcher } from '../../core/ports/patternMatcher.js';
import type { WorkspaceFiles } from '../../core/ports/workspaceFiles.js';
import { MessageAccumulator } from '../../core/record/messageAccumulator.js';
import { WindowReader } from '../../search/reader/windowReader.js';
import type { ForeignTools, ApprovedDefinitions } from '../../agents/tools/foreignTool.js';
import type { CommandWatcher } from '../../agents/tools/runCommand.js';
import type { ConnectorPlatform } from '../connectors/connectorPlatform.js';
import type { ConnectorStatusView } from '../connectors/connectorService.js';
import { ChatConnectors } from '../chat/chatConnectors.js';
import { DraftStore } from '../chat/draftStore.js';
import { PanelChat } from '../chat/panelChat.js';
import { extensionApi, type ExtensionApi } from './extensionApi.js';
import { features } from '../features/features.js';
import { ModelCatalog, type ModelHost } from '../models/modelCatalog.js';
import { keptIn, NoteBook, type NoteFiles } from '../notes/noteBook.js';
import { PanelsInView } from '../panel/panelsInView.js';
import type { Agents, Host } from '../ports/host.js';
import type { Settings, Memory, Secrets } from '../ports/settings.js';
import { ApprovalService } from '../runs/approvalService.js';
import type { FailureViews } from '../runs/failedRun.js';
import { RunRegistry } from '../runs/runRegistry.js';
import { Stores, type StoreProblemViews } from '../services/stores.js';
import { SharedTokens } from '../services/sharedTokens.js';
import { ShownFiles } from '../services/shownFiles.js';
import type { OpenDiscovery } from '../discovery/openDiscovery.js';
import type { SessionDiscovery } from '../discovery/sessionDiscovery.js';
import type { WatchView } from '../discovery/watch.js';
import type { ArchivedTranscripts } from '../archive/archivedTranscripts.js';
import type { ArchivePushing } from '../archive/archivePushing.js';
import { CaptureService } from '../services/captureService.js';
import { TelemetryOut } from '../services/telemetryOut.js';
import { READ_ONLY, requireTrust, type Workspace } from '../ports/workspace.js';
import { BoundedMap } from '../../core/boundedMap.js';
import { isObject } from '../../core/message.js';

const KEY = 'pinnedTools';
/** How many are kept; the oldest are forgotten first and count as new when they come again. */
const MAX_DEFINITIONS = 2_000;

/** The definition last allowed of each tool of other extensions, kept for this person across windows. */
class ApprovedTools implements ApprovedDefinitions {
  readonly #state: Memory;
  readonly #log: Log;
  readonly #definitions: Map<string, string>;

  constructor(state: Memory, log: Log) {
    this.#state = state;
    this.#log = log;
    const kept: unknown = state.get(KEY);
    this.#definitions = new BoundedMap(
      MAX_DEFINITIONS,
      Object.entries(isObject(kept) ? kept : {}).flatMap(([name, definition]) =>
        typeof definition === 'string' ? [[name, definition]] : [],
      ),
    );
  }

  get(name: string): string | undefined {
    return this.#definitions.get(name);
  }

  set(name: string, definition: string): void {
    if (this.#definitions.get(name) === definition) return;
    this.#definitions.set(name, definition);
    this.#state.update(KEY, Object.fromEntries(this.#definitions)).then(undefined, (error: unknown) => {
      this.#log.error('Which tools were allowed could not be kept', error);
    });
  }
}

/** What an application asks of the program that it runs in. */
export interface ApplicationPorts extends Host {
  readonly agents: Agents;
  readonly models: ModelHost;
  /** The workspace's files as the person sees them. */
  readonly files: WorkspaceFiles;
  /** Tools that are not ours, as those of other extensions and of MCP servers. */
  readonly foreignTools: ForeignTools;
  /** Looks for the patterns of models, where whoever looks must not wait; else they are looked for here. */
  readonly patterns?: PatternMatcher;
  /** Shows the commands that agents of a conversation run. */
  readonly watcherOf: (conversation: string) => CommandWatcher;
  readonly problems: StoreProblemViews;
  /** Makes what shows the dispatches of all runs; it may ask the stores for what they lead to. */
  readonly channelOf: (stores: Stores) => Frontend;
  /** Makes what tells of failed runs, where no panel that is in view does. */
  readonly failuresOf: (inView: PanelsInView) => FailureViews;
  /** Makes what shows the state of a platform's connector. */
  readonly connectorStatusOf: (platform: ConnectorPlatform) => ConnectorStatusView;
  readonly memory: Memory;
  readonly secrets: Secrets;
  /** Absolute paths of folders that belong to the program: for this workspace, and for all that this person has. */
  readonly storage: { readonly workspace: string; readonly person: string };
  /** The version of the program, which what it sends says; left out, it does not. */
  readonly version?: string;
  /** The path of ripgrep, '' where the program has none; left out, it has none. Asked with the first search. */
  readonly ripgrep?: () => string;
  readonly log: Log;
}

/** The parts of an open application, for the surfaces that show and ask them. */
export interface Application extends Disposable {
  readonly accumulator: MessageAccumulator;
  readonly agents: Agents;
  readonly approvals: ApprovalService;
  /** Pushes to the archive; loaded with the first push. */
  readonly archive: () => Promise<ArchivePushing>;
  /** Lists and reads the archive. */
  readonly archived: LateArchive;
  readonly connectors: ChatConnectors;
  readonly capture: CaptureService;
  readonly chat: PanelChat;
  /** Finds the sessions of other tools; loaded with the first question. */
  readonly discovery: () => Promise<SessionDiscovery>;
  /** Tells what sessions of other tools do, by the person's rules; the view is loaded with the first of them. */
  watch(view: () => Promise<WatchView & Disposable>): Disposable;
  readonly drafts: DraftStore;
  readonly inView: PanelsInView;
  readonly models: ModelCatalog;
  readonly notes: NoteBook;
  readonly reader: WindowReader;
  readonly runs: RunRegistry;
  readonly shown: ShownFiles;
  readonly stores: Stores;
  /** Sends transcripts to a collector of OpenTelemetry. */
  readonly telemetry: TelemetryOut;
  readonly tokens: SharedTokens;
  /** What other extensions are given; `library` loads the library on first use. */
  api<Library>(library: () => Promise<Library>): ExtensionApi<Library>;
  /** Saves typed texts, disconnects the chat platforms, then writes the rest. To be called before `dispose`. */
  close(): Promise<void>;
}

/** The archive of a team as the views of a window read it, loaded with the first question. */
export interface LateArchive {
  /** What lists and reads it. */
  load(): Promise<ArchivedTranscripts>;
  /** The same, where it is loaded. */
  readonly loaded: ArchivedTranscripts | undefined;
}

/**
 * Builds the parts of the application and connects them; what runs it provides the ports and registers its surfaces.
 * Reads no file and uses no network: both wait until they are needed.
 */
export function openApplication(ports: ApplicationPorts): Application {
  const { agents, secrets, storage, log, settings, workspace, dialogs } = ports;
  const host: Host = { settings, workspace, dialogs };
  const accumulator = newAccumulator(settings, log);
  const reader = new WindowReader(
    log,
    async () => (await features.transcripts()).ReaderThread,
    () => settings.get('prices.file'),
  );
  const { problems } = ports;
  const stores = new Stores({ ...host, ...storesIn(ports), problems, onThread: reader, log });
  const notes = noteBookOf(host, stores, log);
  const shown = new ShownFiles(storage.person, stores, log);
  const capture = new CaptureService({ storage: storage.person, environment: process.env, settings, log });
  const discovery = discoveryOf(host, stores, storage.person, log);
  stores.addSearchedFiles(discovery.searched);
  const tokens = new SharedTokens(log);
  const models = new ModelCatalog(ports.models);
  const inView = new PanelsInView((error) => log.error('A notice could not follow the panels', error));
  const approvals = new ApprovalService((error) => log.error('A view could not follow the approvals', error));
  const runs = new RunRegistry({
    ...host,
    library: agents,
    stores,
    models,
    approvals,
    accumulator,
    log,
    approved: new ApprovedTools(ports.memory, log),
    files: ports.files,
    foreignTools: ports.foreignTools,
    patterns: ports.patterns,
    watcherOf: ports.watcherOf,
    channel: ports.channelOf(stores),
  });
  const telemetry = telemetryOf(ports, stores, runs);
  const [archive, archived] = [archiveOf(ports, stores), archivedIn(ports, stores)];
  const drafts = new DraftStore(storage.workspace, log);
  const failures = ports.failuresOf(inView);
  const chat = new PanelChat({ ...host, runs, inView, log, drafts, shown, failures });
  const connectors = new ChatConnectors({
    ...host,
    library: agents,
    runs,
    secrets,
    log,
    storage: storage.person,
    statusOf: ports.connectorStatusOf,
  });
  const parts = [
    accumulator,
    stores,
    notes,
    shown,
    capture,
    tokens,
    approvals,
    connectors,
    chat,
    runs,
    inView,
    drafts,
    reader,
    discovery,
    telemetry,
    archive,
    archived,
  ];
  return {
    accumulator,
    agents,
    approvals,
    archive: archive.load,
    archived,
    connectors,
    capture,
    chat,
    drafts,
    inView,
    discovery: discovery.load,
    watch: (view) => watchOf(ports, { load: discovery.load, stores, runs, approvals, connectors, view }),
    models,
    notes,
    reader,
    runs,
    shown,
    stores,
    telemetry,
    tokens,
    api: (library) => extensionApi({ accumulator, runs, agents, settings, library }),
    async close() {
      chat.close();
      await drafts.close();
      await connectors.close();
      await Promise.all([shown.close(), archived.close(), telemetry.close()]);
      await stores.close();
    },
    dispose() {
      for (const part of parts) part.dispose();
    },
  };
}

/** What a person notes in the conversations of the window. */
function noteBookOf({ workspace }: Host, stores: Stores, log: Log): NoteBook {
  const book = new NoteBook(noteFiles(stores, workspace), (error) =>
    log.error('A view could not follow the notes', error),
  );
  // The session may be open elsewhere in this window, as a file or as a copy of it.
  stores.onDidKeep(() => book.lookAgain());
  return book;
}

/** Sending to a collector what runs here, and what a person chooses. */
function telemetryOf(ports: ApplicationPorts, stores: Stores, runs: RunRegistry): TelemetryOut {
  const { settings, secrets, storage, log, version = '' } = ports;
  return new TelemetryOut({
    settings,
    secrets,
    stores,
    log,
    version,
    storage: storage.person,
    running: () => runs.running,
    onDidChangeState: runs.onDidChangeState,
  });
}

/** Pushing to the archive, loaded with the first push: when a person says so, or with the first change where that is wanted. */
function archiveOf({ settings, secrets, dialogs, log }: ApplicationPorts, stores: Stores) {
  let loading: Promise<ArchivePushing> | undefined;
  const load = () =>
    (loading ??= features.archiving().then(({ ArchivePushing: Pushing, ArchiveThreads }) => {
      const threads = new ArchiveThreads({ log });
      return new Pushing({ settings, secrets, dialogs, stores, log, threads });
    }));
  const isWanted = () => settings.get('archive.push') === 'live' && settings.get('archive.address') !== '';
  const following = stores.onDidChange(() => void (isWanted() && load()));
  return {
    load,
    dispose() {
      following.dispose();
      void loading?.then((pushing) => pushing.dispose());
    },
  };
}

/** The archive of the settings as a search asks it, or why it cannot. */
async function archiveFor({ settings, secrets }: ApplicationPorts) {
  return (await features.archiving()).searchedArchive(settings, secrets);
}

/** Listing and reading the archive, loaded with the first question. */
function archivedIn({ settings, secrets, storage, log }: ApplicationPorts, stores: Stores) {
  let loading: Promise<ArchivedTranscripts> | undefined;
  let loaded: ArchivedTranscripts | undefined;
  const load = async () => {
    const { openArchived } = await features.archiving();
    return (loaded = openArchived({ settings, secrets, storage: storage.person, stores, log }));
  };
  return {
    load: () => (loading ??= load()),
    get loaded() {
      return loaded;
    },
    close: () => loaded?.close(),
    dispose: () => loaded?.dispose(),
  };
}

/** How long after the start, and how often, sessions of other tools are copied where the person wants that, in milliseconds. */
const FIRST_COPY_MS = 30_000;
const COPY_AGAIN_MS = 10 * 60_000;

/** How long after the start, and how often, it is looked whether somebody wants sessions to be watched, in milliseconds. */
const WATCH_AFTER_MS = 5_000;
const WATCH_AGAIN_MS = 15_000;

/** What watching sessions needs of the rest of the application. */
interface WatchParts {
  readonly load: () => Promise<SessionDiscovery>;
  readonly stores: Stores;
  readonly runs: RunRegistry;
  readonly approvals: ApprovalService;
  readonly connectors: ChatConnectors;
  readonly view: () => Promise<WatchView & Disposable>;
}

/** Watches sessions as long as there are rules, and a tool that the person allowed: before nothing of it is loaded. */
function watchOf(ports: ApplicationPorts, parts: WatchParts): Disposable {
  const { settings, storage, log } = ports;
  const { load, stores, runs, connectors, view } = parts;
  let isDisposed = false;
  let hasRun = false;
  let open: Promise<readonly Disposable[]> | undefined;
  const begin = async () => {
    const [{ openWatch, ownRuns, sharedTexts }, discovery, shown] = await Promise.all([
      features.discovering(),
      load(),
      view(),
    ]);
    const watching = openWatch({
      ...ports,
      discovery,
      own: ownRuns({ ...ports, ...parts, pricing: features.pricing }),
      view: shown,
      storage: storage.person,
      engine: () => stores.search(),
      chatOf: (platform) => connectors.connected(platform),
      stopRuns: (conversation) => (conversation === undefined ? runs.stopAll() : runs.stop(conversation)),
      shared: sharedTexts(settings, features.redaction),
    });
    return [watching, shown];
  };
  const end = () => {
    const ended = open;
    open = undefined;
    ended?.then((parts) => parts.forEach((part) => part.dispose())).catch(() => undefined);
  };
  const look = async () => {
    const { rules } = settings.get('watch');
    const hasRules = !Array.isArray(rules) || rules.length > 0;
    hasRun ||= runs.running.length > 0;
    // Without an answer of the person's no tool is allowed; what runs here is watched from the first run on.
    const isAsked =
      hasRules && (hasRun || (await stat(join(storage.person, 'sessionTools.json')).catch(() => undefined)));
    if (!isAsked || isDisposed) end();
    else
      open ??= begin().catch((error: unknown) => {
        log.error('Sessions of other tools cannot be watched', error);
        return [];
      });
  };
  const following = runs.onDidChangeState(() => {
    if (!hasRun) void look();
  });
  const timers = [
    setTimeout(() => void look(), WATCH_AFTER_MS).unref(),
    setInterval(() => void look(), WATCH_AGAIN_MS).unref(),
  ];
  return {
    dispose() {
      isDisposed = true;
      following.dispose();
      for (const timer of timers) clearInterval(timer);
      end();
    },
  };
}

/** Where stores keep what lies in no folder of the workspace, and what the program has for them and what is asked with them. */
function storesIn(ports: ApplicationPorts) {
  const { workspace, person } = ports.storage;
  const { ripgrep } = ports;
  const archive = () => archiveFor(ports);
  const keptFiles = join(person, 'searched-files');
  const keptSessions = join(person, 'keptSessions.jsonl');
  return { ownStorage: workspace, keptFiles, keptSessions, archive, ...(ripgrep && { ripgrep }) };
}

/** Finding the sessions of other tools, loaded with the first question; and copying them now and then, where that is wanted. */
function discoveryOf({ settings, workspace }: Host, stores: Stores, storage: string, log: Log) {
  let loading: Promise<OpenDiscovery> | undefined;
  const newThread = async () => new (await features.transcripts()).ImportThread({ log });
  const storeFor: Stores['storeFor'] = (folder) => stores.storeFor(folder);
  const parts = { settings, workspace, storage, log, newThread, storeFor };
  const load = () => (loading ??= features.discovering().then(({ openDiscovery }) => openDiscovery(parts)));
  const copy = () => void (settings.get('sessions.keepCopies') && load().then((open) => open.copy()));
  const timers = [setTimeout(copy, FIRST_COPY_MS).unref(), setInterval(copy, COPY_AGAIN_MS).unref()];
  return {
    load: async () => (await load()).discovery,
    searched: async () => (await load()).searched(),
    dispose() {
      for (const timer of timers) clearInterval(timer);
      void loading?.then((open) => open.dispose());
    },
  };
}

function newAccumulator(settings: Settings, log: Log): MessageAccumulator {
  const limits = {
    maxMessages: settings.get('recording.maxMessages'),
    maxBytes: settings.get('recording.maxMegabytes') * 1024 * 1024,
  };
  return new MessageAccumulator(limits, (error) => log.error('A subscriber of the messages failed', error));
}

/** The notes of the conversations in the stores of a window; in a workspace that is not trusted they are only read. */
function noteFiles(
  stores: Pick<Stores, 'find' | 'kept'>,
  workspace: Pick<Workspace, 'isTrusted'>,
): NoteFiles {
  return {
    read: async (conversation) => {
      const key = keptIn(conversation);
      if (!key) return (await stores.find(conversation)).store.notes(conversation);
      return { notes: (await (await stores.kept())?.of(key))?.notes ?? [], damaged: [], newer: 0 };
    },
    change: async (conversation, changes) => {
      requireTrust(workspace, READ_ONLY);
      const key = keptIn(conversation);
      if (key) await (await stores.kept())?.change(key, changes);
      else await (await stores.find(conversation)).store.changeNotes(conversation, changes);
    },
  };
}
