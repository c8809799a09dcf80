import type * as vscode from 'vscode';
import { visibleText } from '../../../core/visibleText.js';
import { escapeMarkdown } from '../../../app/text/escapeMarkdown.js';
import { plain } from '../../../app/text/plainText.js';
import { answerMarkdown } from './safeMarkdown.js';

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
