import { basename } from 'node:path';
import * as vscode from 'vscode';
import { t } from '../../../core/l10n.js';
import type { AgentDefinition, Problem } from '../../../core/agent.js';
import { joined, plain, plainLines, words, type PlainText } from '../../../app/text/plainText.js';
import { distinctName, toldApart } from '../../../core/lookalikes.js';
import { SafeMarkdown } from '../ui/safeMarkdown.js';
import { tree, treeRow, withTooltip, type Row, type UnresolvedRow } from '../ui/treeItems.js';
import type { AgentLibrary, LocatedAgent } from '../agentLibrary.js';
import { viewIds } from '../../../app/manifest.js';
import type { Disposable } from '../../../core/event.js';

const severities: Readonly<Record<Problem['severity'], vscode.DiagnosticSeverity>> = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
};

/** Shows the problems of agent files in the editor and the Problems view, once the agents have been read. */
export class AgentProblems implements vscode.Disposable {
  readonly #diagnostics = vscode.languages.createDiagnosticCollection('Agent Logbook');
  readonly #following: Disposable;

  constructor(library: AgentLibrary) {
    this.#following = library.onDidRead((files) => {
      this.#diagnostics.clear();
      for (const { path, problems } of files) {
        this.#diagnostics.set(vscode.Uri.file(path), problems.map(toDiagnostic));
      }
    });
  }

  dispose(): void {
    this.#following.dispose();
    this.#diagnostics.dispose();
  }
}

function toDiagnostic({ severity, message, line = 1, column = 1 }: Problem): vscode.Diagnostic {
  const range = new vscode.Range(line - 1, column - 1, line - 1, Number.MAX_SAFE_INTEGER);
  const diagnostic = new vscode.Diagnostic(range, message, severities[severity]);
  diagnostic.source = 'Agent Logbook';
  return diagnostic;
}

/** A row of the Agents view: a definition file, or one of its problems. */
export type AgentsRow =
  | { readonly kind: 'file'; readonly file: LocatedAgent; readonly label: string }
  | { readonly kind: 'problem'; readonly file: LocatedAgent; readonly problem: Problem };

/** The Agents view: the workspace's and the user's agents, and the problems of their files. */
export class AgentsView implements vscode.TreeDataProvider<AgentsRow>, vscode.Disposable {
  readonly #library: AgentLibrary;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #parts: vscode.Disposable;
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(library: AgentLibrary) {
    this.#library = library;
    this.#parts = vscode.Disposable.from(
      library.onDidChange(() => this.#changed.fire()),
      tree(viewIds.agents, { treeDataProvider: this }),
      this.#changed,
    );
  }

  async getChildren(row?: AgentsRow): Promise<AgentsRow[]> {
    if (!row) {
      const files = await this.#library.files();
      void vscode.commands.executeCommand('setContext', 'agentLogbook.hasAgents', files.length > 0);
      const labels = toldApart(files.map(({ agent, path }) => agent?.name ?? basename(path)));
      return files.map((file, at) => ({ kind: 'file', file, label: labels[at] ?? '' }));
    }
    if (row.kind === 'problem') return [];
    return row.file.problems.map((problem) => ({ kind: 'problem', file: row.file, problem }));
  }

  getTreeItem(row: AgentsRow): UnresolvedRow {
    return row.kind === 'file' ? fileItem(row.file, plain(row.label)) : problemItem(row.file, row.problem);
  }

  dispose(): void {
    this.#parts.dispose();
  }
}

function fileItem(file: LocatedAgent, label: PlainText): UnresolvedRow {
  const uri = vscode.Uri.file(file.path);
  const { agent, problems } = file;
  const broken = problems.some(({ severity }) => severity === 'error');
  const worst = broken ? 'error' : problems[0]?.severity;
  const { Expanded, Collapsed, None } = vscode.TreeItemCollapsibleState;
  const item = treeRow(label, broken ? Expanded : problems.length > 0 ? Collapsed : None);
  item.id = file.path;
  item.description = joined([agent?.description ?? '', problemCount(problems)], ' · ');
  item.iconPath = icon(agent, worst);
  item.contextValue = agent ? (agent.userInvocable ? 'agent' : 'fileForOthers') : 'fileBroken';
  item.command = { command: 'vscode.open', title: t`Open Agent Definition`, arguments: [uri] };
  item.accessibilityInformation = {
    label: words`${label}, ${agent ? 'agent' : t`broken file`}, ${item.description}`,
  };
  return withTooltip(item, tooltip(file));
}

const severityIcons: Readonly<Record<Problem['severity'], vscode.ThemeIcon>> = {
  error: new vscode.ThemeIcon('error', new vscode.ThemeColor('problemsErrorIcon.foreground')),
  warning: new vscode.ThemeIcon('warning', new vscode.ThemeColor('problemsWarningIcon.foreground')),
};

/** The icon of an agent; `worst` is the severity of its worst problem, undefined without problems. */
function icon(agent: AgentDefinition | undefined, worst: Problem['severity'] | undefined): vscode.ThemeIcon {
  if (!agent) return severityIcons.error;
  return worst ? severityIcons[worst] : new vscode.ThemeIcon('person');
}

function tooltip({ agent, path, problems }: LocatedAgent): SafeMarkdown {
  const hover = new SafeMarkdown();
  if (!agent) hover.paragraph(t`This file could not be read as an agent.`);
  else {
    hover.strong(distinctName(agent.name)).paragraph(agent.description);
    hover.facts({
      Tools: agent.tools ? agent.tools.join(', ') || 'none' : 'all',
      'May ask': whomItMayAsk(agent),
      Model: agent.models.join(', ') || t`the one that was selected`,
    });
  }
  for (const { severity, message } of problems) hover.paragraph(message, severity);
  return hover.rule().paragraph(vscode.workspace.asRelativePath(path));
}

function whomItMayAsk({ tools, agents }: AgentDefinition): string {
  if (tools?.includes('subagent_dispatch') === false) return 'nobody';
  return agents === '*' ? t`every agent` : agents.join(', ') || 'nobody';
}

function problemCount(problems: readonly Problem[]): string {
  if (problems.length === 0) return '';
  return problems.length === 1 ? '1 problem' : t`${problems.length} problems`;
}

function problemItem(file: LocatedAgent, problem: Problem): Row {
  const where = problem.line === undefined ? basename(file.path) : `${basename(file.path)}:${problem.line}`;
  const label = problem.line === undefined ? problem.message : t`Line ${problem.line}: ${problem.message}`;
  const item = treeRow(plain(label), vscode.TreeItemCollapsibleState.None);
  item.description = plain(where);
  item.tooltip = plainLines(
    `${file.path}${problem.line === undefined ? '' : `:${problem.line}`}\n${problem.message}`,
  );
  item.iconPath = severityIcons[problem.severity];
  item.contextValue = 'problem';
  item.accessibilityInformation = {
    label: words`${problem.severity}: ${problem.message}, ${where}`,
  };
  const line = (problem.line ?? 1) - 1;
  const start = new vscode.Position(line, (problem.column ?? 1) - 1);
  const options: vscode.TextDocumentShowOptions = { selection: new vscode.Range(start, start) };
  item.command = {
    command: 'vscode.open',
    title: t`Show Problem`,
    arguments: [vscode.Uri.file(file.path), options],
  };
  return item;
}
