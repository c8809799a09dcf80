import * as vscode from 'vscode';
import { plain } from '../../../app/text/plainText.js';
import { contextAt } from '../../../compare/expectations/contextAt.js';
import { readExpectations } from '../../../compare/expectations/expectationFile.js';
import {
  alternatives,
  shapeAt,
  wordAt,
  type Shape,
  type Word,
} from '../../../compare/expectations/expectationWords.js';
import { inLanguage } from '../../../core/l10n.js';
import { meaningOf, wordHover } from '../ui/wordHover.js';
import { expectationFiles } from '../../../app/manifest.js';

const SELECTOR: vscode.DocumentFilter = { pattern: `**/*${expectationFiles}` };

/** Completion, hovers and problems in files of expectations. */
export class ExpectationLanguage
  implements vscode.CompletionItemProvider, vscode.HoverProvider, vscode.Disposable
{
  readonly #agents: () => readonly string[];
  readonly #problems = vscode.languages.createDiagnosticCollection('agentLogbook.expectations');
  readonly #registrations: vscode.Disposable;

  /** `agents` gives the names of those that were recorded. */
  constructor(agents: () => readonly string[]) {
    this.#agents = agents;
    const { workspace } = vscode;
    this.#registrations = vscode.Disposable.from(
      this.#problems,
      vscode.languages.registerCompletionItemProvider(SELECTOR, this, ' ', '{', '['),
      vscode.languages.registerHoverProvider(SELECTOR, this),
      workspace.onDidOpenTextDocument((document) => this.#check(document)),
      workspace.onDidChangeTextDocument(({ document }) => this.#check(document)),
      workspace.onDidCloseTextDocument(({ uri }) => this.#problems.delete(uri)),
    );
    for (const document of workspace.textDocuments) this.#check(document);
  }

  provideCompletionItems(document: vscode.TextDocument, position: vscode.Position): vscode.CompletionItem[] {
    const lines = Array.from({ length: position.line + 1 }, (_, at) => document.lineAt(at).text);
    const { path, isValue } = contextAt(lines, position.character);
    const shapes = alternatives(shapeAt(path) ?? { kind: 'any' });
    if (!isValue) return shapes.flatMap(wordItems);
    return [...shapes.flatMap(valueItems), ...(path.at(-1) === 'agent' ? this.#agentItems() : [])];
  }

  provideHover(document: vscode.TextDocument, position: vscode.Position) {
    const found = readExpectations(document.getText()).pathAt(document.offsetAt(position));
    if (!found) return undefined;
    const word = wordAt(found.path);
    if (!word) return undefined;
    const { line, column, endLine, endColumn } = found.place;
    const range = new vscode.Range(line - 1, column - 1, endLine - 1, endColumn - 1);
    return wordHover(meaning(String(found.path.at(-1)), word), range);
  }

  dispose(): void {
    this.#registrations.dispose();
  }

  #check(document: vscode.TextDocument): void {
    if (vscode.languages.match(SELECTOR, document) === 0) return;
    this.#problems.set(
      document.uri,
      readExpectations(document.getText()).problems.map(({ message, line, column, endLine, endColumn }) => {
        const range = new vscode.Range(line - 1, column - 1, endLine - 1, endColumn - 1);
        const problem = new vscode.Diagnostic(range, plain(message, 1_000));
        problem.source = 'Agent Logbook';
        return problem;
      }),
    );
  }

  #agentItems(): vscode.CompletionItem[] {
    return [...new Set(this.#agents())].map(
      (name) => new vscode.CompletionItem(plain(name), vscode.CompletionItemKind.Value),
    );
  }
}

function wordItems(shape: Shape): vscode.CompletionItem[] {
  if (shape.kind !== 'map') return [];
  return Object.entries(shape.words).map(([name, word], at) => {
    const item = new vscode.CompletionItem(name, vscode.CompletionItemKind.Property);
    item.insertText = `${name}: `;
    item.sortText = String(at).padStart(3, '0');
    item.documentation = meaning(name, word);
    return item;
  });
}

function valueItems(shape: Shape): vscode.CompletionItem[] {
  if (shape.kind === 'list') return alternatives(shape.of).flatMap(valueItems);
  if (shape.kind !== 'choice') return [];
  return shape.of.map((each) => new vscode.CompletionItem(each, vscode.CompletionItemKind.EnumMember));
}

/** What a word means, with an example. */
function meaning(name: string, { means, example }: Word) {
  const written = `${name}:${example.startsWith('\n') ? '' : ' '}${example}`;
  return meaningOf(inLanguage(means), written, 'yaml');
}
