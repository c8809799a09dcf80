import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { LogRecord } from '../../../../src/core/record.js';
import type { activate } from '../../../../src/extension.js';

type ExtensionApi = ReturnType<typeof activate>;

/** How the command "Run Agent…" says that a run ended. */
export interface RunOutcome {
  readonly conversation: string;
  readonly outcome: string;
  readonly answer: string;
}

/** The folder that is open. */
export function workspaceFolder(): string {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert(folder, 'a folder is open');
  return folder.uri.fsPath;
}

/** The API of the extension, activated. */
export async function extensionApi(): Promise<ExtensionApi> {
  const extension = vscode.extensions.getExtension<ExtensionApi>('agent-logbook.agent-logbook');
  assert(extension, 'the extension is installed');
  return extension.activate();
}

/** Runs an agent through the command, as the palette does. */
export async function runAgent(agent: string, prompt: string): Promise<RunOutcome> {
  const outcome = await vscode.commands.executeCommand<RunOutcome | undefined>('agentLogbook.runAgent', {
    agent,
    prompt,
  });
  assert(outcome, 'the command says how the run ended');
  return outcome;
}

const pathOf = (conversation: string) =>
  join(workspaceFolder(), '.agent-logbook/conversations', conversation, 'messages.jsonl');

/** What lies in a conversation's journal, its header aside. */
export async function journal(conversation: string): Promise<LogRecord[]> {
  const [header = '', ...lines] = (await readFile(pathOf(conversation), 'utf8')).trimEnd().split('\n');
  assert.equal((JSON.parse(header) as { logbook: number }).logbook, 2);
  return lines.map((line) => JSON.parse(line) as LogRecord);
}

/** What lies by now in the journal of a conversation that is at work: nothing before its file is there, no half lines. */
export async function journalSoFar(conversation: string): Promise<LogRecord[]> {
  const text = await readFile(pathOf(conversation), 'utf8').catch(() => '');
  const [, ...lines] = text.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as LogRecord);
}

/** Resolves when `holds` does; else fails shortly before mocha ends the test, whose words would not say what was missing. */
export async function eventually(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 25_000;
  while (!(await holds())) {
    if (Date.now() > end) assert.fail(`never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The custom editor in front, by the id of its kind; undefined where another tab is. */
export function editorInFront(): string | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputCustom ? input.viewType : undefined;
}
