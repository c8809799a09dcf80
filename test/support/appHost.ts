import { join } from 'node:path';
import { settingDefaults } from '../../src/app/manifest.js';
import type { ModelHost } from '../../src/app/models/modelCatalog.js';
import { openApplication } from '../../src/app/application/openApplication.js';
import type { Host } from '../../src/app/ports/host.js';
import type { Settings } from '../../src/app/ports/settings.js';
import type { AgentDefinition } from '../../src/core/agent.js';
import { Emitter } from '../../src/core/event.js';
import type { Model } from '../../src/core/ports/model.js';
import { DiskWorkspaceFiles } from '../../src/agents/tools/files/writeDiskText.js';
import { RecordingFrontend } from './recordingFrontend.js';
import { RecordingLog } from './recordingLog.js';
import { temporaryFolder } from './storeFixture.js';

/** Settings that are kept in memory. */
export function memorySettings(changed: Partial<typeof settingDefaults> = {}): Settings {
  const values: typeof settingDefaults = { ...settingDefaults, ...changed };
  return {
    get: (id) => values[id],
    change: (id, value) => {
      values[id] = value;
      return Promise.resolve();
    },
  };
}

/** What an application without an editor may be given. */
export interface AppOptions {
  readonly agents: readonly AgentDefinition[];
  readonly model: Model;
  readonly isTrusted?: boolean;
  readonly settings?: Partial<typeof settingDefaults>;
  /** The folder of the workspace; a new one when left out. */
  readonly path?: string;
}

/** The application in a workspace of one temporary folder, without an editor: real stores and runs, a person who presses nothing. */
export async function anApplication({ agents, model, isTrusted = true, settings = {}, ...rest }: AppOptions) {
  const path = rest.path ?? (await temporaryFolder());
  const folder = { name: 'work', uri: { scheme: 'file', fsPath: path, toString: () => `file://${path}` } };
  const log = new RecordingLog();
  const told: string[] = [];
  const kept = new Map<string, unknown>();
  const tell = (message: string) => {
    told.push(message);
    return Promise.resolve(undefined);
  };
  const trusted = new Emitter<void>((error) => log.error('trust', error));
  const host: Host = {
    settings: memorySettings(settings),
    workspace: {
      isTrusted,
      onDidGrantTrust: trusted.event,
      folders: [folder],
      workingFolder: () => folder,
      requireFolder: () => Promise.resolve(),
    },
    dialogs: {
      showError: tell,
      showWarning: tell,
      showInformation: tell,
      askForText: () => Promise.resolve(undefined),
      progress: (_title, work) => work(new AbortController().signal, () => undefined),
    },
  };
  const offer = { id: model.id, label: model.label, endpoint: model.endpoint, kind: model.kind };
  const modelHost: ModelHost = {
    settings: host.settings,
    secrets: {
      get: () => Promise.resolve(undefined),
      store: () => Promise.resolve(),
      delete: () => Promise.resolve(),
    },
    log,
    scripts: () => Promise.resolve([{ ...offer, open: () => Promise.resolve(model) }]),
    editorModels: () => Promise.resolve([]),
    pickModel: () => Promise.reject(new Error('Nobody is there to choose.')),
    addEndpoint: () => Promise.resolve(),
    editEndpoint: () => Promise.resolve(),
    askForKey: () => Promise.reject(new Error('Nobody is there to type.')),
  };
  const storage = join(path, 'storage');
  const application = openApplication({
    ...host,
    agents: { agents: () => Promise.resolve(agents), invocable: () => Promise.resolve(agents) },
    models: modelHost,
    files: new DiskWorkspaceFiles(),
    foreignTools: { list: () => [], invoke: () => Promise.reject(new Error('There is no such tool.')) },
    watcherOf: () => ({ began: () => undefined, said: () => undefined, ended: () => undefined }),
    problems: { show: () => undefined, solved: () => undefined },
    channelOf: () => new RecordingFrontend(),
    failuresOf: () => ({ show: () => Promise.resolve(), take: () => Promise.resolve() }),
    connectorStatusOf: () => ({ show: () => undefined, dispose: () => undefined }),
    memory: {
      get: (key) => kept.get(key),
      update: (key, value) => Promise.resolve(void kept.set(key, value)),
    },
    secrets: modelHost.secrets,
    storage: { workspace: storage, person: storage },
    log,
  });
  return { path, host, log, told, ...application };
}
