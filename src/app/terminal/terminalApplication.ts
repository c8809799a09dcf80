import { spawn } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { onAbort } from '../../core/abort.js';
import { newId } from '../../core/ids.js';
import { messageOf } from '../../core/text.js';
import { t } from '../../core/l10n.js';
import type { Log } from '../../core/ports/log.js';
import { SilentFrontend } from '../../agents/frontends/dispatchesOnlyFrontend.js';
import { DiskWorkspaceFiles } from '../../agents/tools/files/writeDiskText.js';
import { COMMAND_MARK } from '../../agents/tools/process/environment.js';
import { endTree, killOnExit, treeOf } from '../../agents/tools/process/processTree.js';
import { features } from '../features/features.js';
import { settingDefaults } from '../manifest.js';
import { scriptOption } from '../models/scriptOption.js';
import type { ModelOption } from '../models/endpointOptions.js';
import { openApplication, type Application } from '../application/openApplication.js';
import type { Agents } from '../ports/host.js';
import type { Settings, Secrets } from '../ports/settings.js';
import { Cancelled, UserError } from '../userError.js';

/** What an application in a terminal is opened with. */
export interface TerminalApplicationOptions {
  /** The folder of the workspace, absolute; whoever runs agents there trusts it. */
  readonly folder: string;
  readonly settings: Partial<typeof settingDefaults>;
  /** The key of the endpoint of the settings; undefined where it needs none. */
  readonly key: string | undefined;
  readonly log: Log;
  /** Tells a person something in words. */
  readonly onNotice: (words: string) => void;
}

/** Names of the script files of a workspace, as in the editor. */
const SCRIPT = /\.script\.(?:ya?ml|json)$/;

/** The application in one folder, for one person at a terminal, without an editor. Nothing is opened yet. */
export function terminalApplication(options: TerminalApplicationOptions): Application {
  const { folder, log, onNotice } = options;
  const settings = fixedSettings(options.settings);
  const secrets = oneKey(options.key);
  const workspaceFolder = {
    name: basename(folder),
    uri: { scheme: 'file', fsPath: folder, toString: () => `file://${folder}` },
  };
  const tell = (message: string) => {
    onNotice(message);
    return Promise.resolve(undefined);
  };
  const kept = new Map<string, unknown>();
  // What other surfaces keep of their own is not asked for here.
  const storage = join(tmpdir(), 'agent-logbook');
  return openApplication({
    settings,
    secrets,
    log,
    workspace: {
      isTrusted: true,
      onDidGrantTrust: () => NOTHING,
      folders: [workspaceFolder],
      workingFolder: () => workspaceFolder,
      requireFolder: () => Promise.resolve(),
    },
    dialogs: {
      showError: tell,
      showWarning: tell,
      showInformation: tell,
      askForText: () => Promise.resolve(undefined),
      progress: (_title, work) => work(new AbortController().signal, () => undefined),
    },
    agents: agentsIn(folder),
    models: {
      settings,
      secrets,
      log,
      scripts: () => scriptsIn(folder, log),
      editorModels: () => Promise.resolve([]),
      pickModel: async (_title, offers, preferred) => {
        const found = (await offers).find(({ id }) => id === preferred);
        if (found) return found;
        throw new UserError(t`No model is chosen: name one with --model, and its server with --endpoint.`);
      },
      addEndpoint: () => Promise.resolve(),
      editEndpoint: () => Promise.resolve(),
      askForKey: () => Promise.reject(new Cancelled()),
    },
    files: new DiskWorkspaceFiles(),
    foreignTools: { list: () => [], invoke: () => Promise.reject(new UserError(t`There is no such tool.`)) },
    watcherOf: () => ({ began: () => undefined, said: () => undefined, ended: () => undefined }),
    problems: { show: ({ title, detail }) => onNotice(`${title}. ${detail}`), solved: () => undefined },
    channelOf: () => new SilentFrontend(),
    failuresOf: () => ({ show: () => Promise.resolve(), take: () => Promise.resolve() }),
    connectorStatusOf: () => ({ show: () => undefined, dispose: () => undefined }),
    memory: {
      get: (key) => kept.get(key),
      update: (key, value) => Promise.resolve(void kept.set(key, value)),
    },
    storage: { workspace: storage, person: storage },
  });
}

const NOTHING = { dispose: () => undefined };

function fixedSettings(changed: Partial<typeof settingDefaults>): Settings {
  const values: typeof settingDefaults = { ...settingDefaults, ...changed };
  return {
    get: (id) => values[id],
    change: (id, value) => Promise.resolve(void (values[id] = value)),
  };
}

function oneKey(key: string | undefined): Secrets {
  return {
    get: () => Promise.resolve(key),
    store: () => Promise.resolve(),
    delete: () => Promise.resolve(),
  };
}

/** The agents of a folder and of the person, read once. */
function agentsIn(folder: string): Agents {
  const read = async () => {
    const { buildCatalog, builtInToolNames, findAgentFiles, missingTools } = await features.agents();
    const files = await findAgentFiles([folder], homedir(), []);
    const tools = builtInToolNames.map((name) => ({ name }));
    const known = {
      names: builtInToolNames,
      missing: (agent: Parameters<typeof missingTools>[1]) => missingTools(tools, agent),
    };
    return buildCatalog(files, known).files.flatMap(({ agent }) => (agent ? [agent] : []));
  };
  let reading: ReturnType<typeof read> | undefined;
  const agents = () => (reading ??= read());
  return {
    agents,
    invocable: async () => (await agents()).filter(({ userInvocable }) => userInvocable),
  };
}

async function scriptsIn(folder: string, log: Log): Promise<readonly ModelOption[]> {
  const found: ModelOption[] = [];
  for (const each of ['', join('.github', 'agents')]) {
    const names = await readdir(join(folder, each)).catch(() => []);
    for (const name of names.filter((one) => SCRIPT.test(one)).sort()) {
      const path = join(each, name);
      try {
        const option = await scriptOption(path, await readFile(join(folder, path), 'utf8'), log);
        if (option) found.push(option);
      } catch (error) {
        log.error(`${path} could not be read: ${messageOf(error)}`);
      }
    }
  }
  return found;
}

/** Where a command of the person runs, and who hears what it says, line by line. */
export interface CommandOptions {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => Promise<void>;
}

/** Whether a command that the person gave ends with 0. Where the signal is aborted, all of its processes are ended. */
export async function endsWell(
  command: string,
  { folder, env, signal, onLine }: CommandOptions,
): Promise<boolean> {
  const mark = newId('call');
  const child = spawn(command, {
    cwd: folder,
    env: { ...env, [COMMAND_MARK]: mark },
    shell: true,
    // A group of its own, in which all that it begins is found; Windows has none.
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = new Promise<number | null>((resolved, failed) => {
    child.once('error', failed);
    child.once('close', resolved);
  });
  const tree = child.pid === undefined ? undefined : treeOf(child.pid, mark, [1, 2]);
  const outlive = tree && killOnExit(tree);
  const end = () => (tree && process.platform !== 'win32' ? endTree(tree) : child.kill());
  let ended: unknown;
  const leave = onAbort(signal, () => {
    ended = end();
  });
  try {
    // By lines, as a secret that comes in two pieces is none in either.
    const said = [child.stdout, child.stderr].map(async (stream) => {
      for await (const line of createInterface({ input: stream })) await onLine(line);
    });
    await Promise.all([closed, ...said]);
    return (await closed) === 0;
  } catch (error) {
    ended = end();
    throw error;
  } finally {
    leave();
    await ended;
    outlive?.();
  }
}
