import * as vscode from 'vscode';
import { visibleText } from '../../../core/visibleText.js';
import { plain } from '../../../app/text/plainText.js';
import { escapeMarkdown } from '../../../app/text/clipboardText.js';

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

/** An answer of the Chat view as it is written, all of which VS Code reads as Markdown. */
export class ChatAnswer {
  readonly #stream: vscode.ChatResponseStream;

  constructor(stream: vscode.ChatResponseStream) {
    this.#stream = stream;
  }

  /** Adds a paragraph that reads literally. */
  paragraph(text: string): void {
    this.#stream.markdown(`${escapeMarkdown(plain(text))}\n\n`);
  }

  /** Adds a quoted line that reads literally. */
  quote(line: string): void {
    this.#stream.markdown(`> ${escapeMarkdown(plain(line))}\n\n`);
  }

  /** Adds what a model has answered, as its Markdown. */
  answer(text: string): void {
    if (text !== '') this.#stream.markdown(answerMarkdown(text));
  }

  /** Shows what is going on, until something else is added. */
  progress(text: string): void {
    this.#stream.progress(escapeMarkdown(plain(text)));
  }

  /** Adds a file to the references of the answer. */
  reference(file: vscode.Uri): void {
    this.#stream.reference(file);
  }

  /** Adds a button; its title is a constant of the code. */
  button(command: vscode.Command): void {
    this.#stream.button(command);
  }
}

/** The failure of an answer, which reads literally. */
export function chatFailure(message: string): vscode.ChatErrorDetails {
  return { message: escapeMarkdown(visibleText(message)) };
}
