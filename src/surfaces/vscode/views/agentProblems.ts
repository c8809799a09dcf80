import * as vscode from 'vscode';
import type { Disposable } from '../../../core/event.js';
import type { Problem } from '../../../core/agent.js';
import type { AgentLibrary } from '../agentLibrary.js';

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
