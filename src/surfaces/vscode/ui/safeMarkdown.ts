import * as vscode from 'vscode';
import { visibleText } from '../../../core/visibleText.js';
import { plain } from '../../../app/text/plainText.js';

/** Markdown whose structure is ours and whose texts are not: nothing in them is read as Markdown, HTML, icon or link. */
export class SafeMarkdown {
  /** Never trusted: a command link in it would run nothing. */
  readonly value = new vscode.MarkdownString('', true);

  /** Adds a paragraph; `icon` is the name of one of VS Code's. */
  paragraph(text: string, icon?: string): this {
    this.value.appendMarkdown(icon === undefined ? '\n\n' : `\n\n$(${icon}) `).appendText(plain(text));
    return this;
  }

  /** Adds a paragraph in bold. */
  strong(text: string): this {
    this.value.appendMarkdown('\n\n**').appendText(plain(text)).appendMarkdown('**');
    return this;
  }

  /** Adds a list of facts, each with its name, which is a constant of the code. */
  facts(facts: Readonly<Record<string, string>>): this {
    this.value.appendMarkdown('\n');
    for (const [name, fact] of Object.entries(facts))
      this.value.appendMarkdown(`\n- ${name}: `).appendText(plain(fact));
    return this;
  }

  /** Adds a line between what stands above and below. */
  rule(): this {
    this.value.appendMarkdown('\n\n---');
    return this;
  }
}

/** The answer of a model, whose Markdown is shown as such. It is not trusted: command links in it run nothing. */
export function answerMarkdown(text: string): vscode.MarkdownString {
  return new vscode.MarkdownString(visibleText(text));
}
