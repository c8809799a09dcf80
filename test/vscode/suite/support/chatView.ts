import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { eventually } from './extension.js';

/** A button as the Chat view keeps it: its command is known to the extension host that made it. */
interface Button {
  readonly id: string;
  readonly title: string;
  readonly arguments: readonly unknown[];
}

/** What the Chat view keeps of a question. */
interface StoredQuestion {
  readonly response?: readonly {
    readonly kind?: string;
    readonly value?: string;
    readonly content?: { readonly value: string };
    readonly command?: Button;
  }[];
  readonly contentReferences?: readonly { readonly reference?: { readonly path?: string } }[];
  readonly followups?: readonly { readonly title: string }[];
  readonly result?: { readonly errorDetails?: { readonly message: string } };
}

/** An answer in the Chat view, as a person sees it; texts are Markdown without its backslashes. */
export interface ChatAnswer {
  readonly text: string;
  /** Lines that pass while the answer is made. */
  readonly progress: readonly string[];
  readonly buttons: readonly Button[];
  /** Paths of the files that it refers to. */
  readonly references: readonly string[];
  readonly followUps: readonly string[];
  readonly error: string | undefined;
}

/** Begins a new chat. VS Code passes no question on before it has a model of its own. */
export async function newChat(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.chat.open');
  const [model] = await vscode.lm.selectChatModels({ vendor: 'scripted' });
  assert(model, 'the extension that provides a model is installed');
  await vscode.commands.executeCommand('workbench.action.chat.newChat');
}

/** Sends a question as if somebody typed it; what it gives tells the answer of now. */
export async function send(question: string): Promise<() => Promise<ChatAnswer>> {
  const answer = await next();
  await vscode.commands.executeCommand('workbench.action.chat.open', { query: question });
  return answer;
}

/** What it gives tells the answer to the next question. */
export async function next(): Promise<() => Promise<ChatAnswer>> {
  const index = (await questions()).length;
  return async () => answerOf((await questions())[index] ?? {});
}

/** Sends a question and gives its answer once it is complete and has follow-ups. */
export async function ask(question: string): Promise<ChatAnswer> {
  const answer = await send(question);
  await eventually('the answer is complete', async () => (await answer()).followUps.length > 0);
  return answer();
}

/** Presses the stop button of the chat. */
export async function stop(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.chat.cancel');
}

export async function press({ id, arguments: args }: Button): Promise<void> {
  await vscode.commands.executeCommand(id, ...args);
}

async function questions(): Promise<readonly StoredQuestion[]> {
  const path = join(tmpdir(), `agent-logbook-chat-${process.pid}.json`);
  await vscode.commands.executeCommand('workbench.action.chat.export', vscode.Uri.file(path));
  // Nothing is exported before there is a chat.
  const text = await readFile(path, 'utf8').catch(() => '{"requests":[]}');
  await rm(path, { force: true });
  return (JSON.parse(text) as { readonly requests: readonly StoredQuestion[] }).requests;
}

function answerOf({
  response = [],
  contentReferences = [],
  followups = [],
  result,
}: StoredQuestion): ChatAnswer {
  const passing = response.filter(({ kind }) => kind === 'progressMessage');
  const texts = response.filter(({ kind }) => kind === undefined);
  return {
    text: plain(texts.map(({ value = '' }) => value).join('')),
    progress: passing.map(({ content }) => plain(content?.value ?? '')),
    buttons: response.flatMap(({ command }) => command ?? []),
    references: contentReferences.map(({ reference }) => reference?.path ?? ''),
    followUps: followups.map(({ title }) => title),
    error: result?.errorDetails && plain(result.errorDetails.message),
  };
}

function plain(markdown: string): string {
  return markdown.replace(/\\([!-/:-@[-`{-~])/g, '$1');
}
