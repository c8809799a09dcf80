import * as vscode from 'vscode';
import type { Agents } from '../../app/ports/host.js';
import { homedir } from 'node:os';
import type { AgentFileWatch } from '../../agents/definitions/agentFileWatch.js';
import type { KnownTools } from '../../agents/definitions/catalog.js';
import type { AgentDefinition, AgentFile } from '../../core/agent.js';
import { Emitter } from '../../core/event.js';
import type { Log } from '../../core/ports/log.js';
import { features } from '../../app/features/features.js';
import { isAbsolute } from 'node:path';
import { isObject } from '../../core/message.js';

/** An agent definition file and the workspace folder it was found in; without a folder, it is the user's own. */
export interface LocatedAgent extends AgentFile {
  readonly folder?: vscode.WorkspaceFolder;
}

/** The agents of the workspace and of the user; read on first use, and again after a file has changed. */
export class AgentLibrary implements Agents, vscode.Disposable {
  readonly #log: Log;
  readonly #changed: Emitter<void>;
  readonly #didRead: Emitter<readonly LocatedAgent[]>;
  readonly #following: vscode.Disposable;
  /** Not VS Code's, which begins seconds after a window has opened, and never tells what was written before. */
  #watch: AgentFileWatch | undefined;
  #found: Promise<readonly LocatedAgent[]> | undefined;

  constructor(log: Log) {
    this.#log = log;
    this.#changed = new Emitter((error) => log.error('A view could not follow the agents', error));
    this.#didRead = new Emitter((error) => log.error('A view could not follow the agents', error));
    this.#following = vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(AGENT_LOCATIONS)) this.refresh();
    });
  }

  get onDidChange() {
    return this.#changed.event;
  }

  /** Fires with all definition files after they were read. */
  get onDidRead() {
    return this.#didRead.event;
  }

  /** All definition files, with their problems. Never rejects. */
  async files(): Promise<readonly LocatedAgent[]> {
    this.#found ??= this.#read().catch((error: unknown) => {
      this.#log.error('The agent definitions could not be read', error);
      return [];
    });
    return this.#found;
  }

  /** The agents that can run, a workspace's before the user's. */
  async agents(): Promise<readonly AgentDefinition[]> {
    return (await this.files()).flatMap(({ agent }) => (agent ? [agent] : []));
  }

  /** The agents that a person may talk to. */
  async invocable(): Promise<readonly AgentDefinition[]> {
    return (await this.agents()).filter(({ userInvocable }) => userInvocable);
  }

  /** Discards what was read, so that it is read again on the next use. */
  refresh(): void {
    this.#found = undefined;
    this.#changed.fire();
  }

  dispose(): void {
    this.#watch?.dispose();
    this.#following.dispose();
    this.#changed.dispose();
    this.#didRead.dispose();
  }

  async #read(): Promise<readonly LocatedAgent[]> {
    const { AgentFileWatch, buildCatalog, findAgentFiles } = await features.agents();
    const tools = await knownTools();
    const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
    const paths = folders.map(({ uri }) => uri.fsPath);
    const places = [paths, homedir(), agentLocations()] as const;
    this.#watch ??= new AgentFileWatch(() => this.refresh());
    // Before they are read, so that nothing that is written meanwhile is missed.
    this.#watch.follow(...places);
    const files = await findAgentFiles(...places);
    const found = buildCatalog(files, tools).files.map((file) => {
      const folder = file.origin === 'workspace' ? folderOf(file.path) : undefined;
      return folder ? { ...file, folder } : file;
    });
    this.#didRead.fire(found);
    return found;
  }
}

/** The built-in tools, and those that other extensions and MCP servers offer at this moment. */
async function knownTools(): Promise<KnownTools> {
  const { builtInToolNames, missingTools } = await features.agents();
  const names = [...builtInToolNames, ...vscode.lm.tools.map(({ name }) => name)];
  const tools = names.map((name) => ({ name }));
  // The tools of a server are known only while it runs, so nothing can be said about them.
  const isOfServer = (name: string) => name.includes('/') || name.startsWith('mcp__') || name === '*';
  return { names, missing: (agent) => missingTools(tools, agent).filter((name) => !isOfServer(name)) };
}

function folderOf(path: string): vscode.WorkspaceFolder | undefined {
  return vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path));
}

/** VS Code's own setting for further folders of agent files: an object of paths and whether each counts. */
const AGENT_LOCATIONS = 'chat.agentFilesLocations';

/**
 * The further folders in which VS Code looks for agent files, as they are written. What a workspace says of places that
 * are not its own is not heard.
 */
function agentLocations(): readonly string[] {
  const told = vscode.workspace.getConfiguration().inspect<unknown>(AGENT_LOCATIONS);
  const ofWorkspace = [told?.workspaceValue, told?.workspaceFolderValue].flatMap(pathsOf);
  return [...new Set([...pathsOf(told?.globalValue), ...ofWorkspace.filter(isOwn)])];
}

function pathsOf(value: unknown): string[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([path, counts]) => (counts === true && path !== '' ? [path] : []));
}

const isOwn = (path: string): boolean => !isAbsolute(path) && !path.startsWith('~');
