import assert from 'node:assert/strict';
import * as vscode from 'vscode';

/** What the extension that provides a model to the tests hands out. */
export interface ScriptedModels {
  /** What `until` gives is waited for before the last part. */
  readonly replies: { parts: unknown[]; error?: Error; until?: () => Promise<void> }[];
  readonly requests: {
    messages: readonly vscode.LanguageModelChatRequestMessage[];
    token: vscode.CancellationToken;
  }[];
}

/** The setting with which agents run on that model. */
export const onScriptedModel = { model: 'scripted/scripted-1' };

/** The setting with which agents run on the same model with eyes. */
export const onSeeingModel = { model: 'scripted/scripted-2' };

/** The model that says what a test tells it to, with nothing to say yet. */
export async function scriptedModels(): Promise<ScriptedModels> {
  const extension = vscode.extensions.getExtension<ScriptedModels>('agent-logbook-tests.scripted-models');
  assert(extension, 'the extension that provides a model is installed');
  const models = await extension.activate();
  models.replies.length = 0;
  models.requests.length = 0;
  return models;
}

/** A piece of text that the model says. */
export const say = (text: string) => new vscode.LanguageModelTextPart(text);

/** A longer text in as many pieces as VS Code passes on at once; fewer it keeps for a while. */
export const sayAtLength = (text: string) => [...Array.from(text.slice(0, 30), say), say(text.slice(30))];

/** Resolves when what the model has said so far has arrived: VS Code passes on one thing after the other. */
export async function arrived(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await vscode.commands.executeCommand('setContext', 'arrived', turn);
}

/** A thought of the model, where this VS Code knows any. */
export function think(text: string): unknown {
  const type: unknown = Reflect.get(vscode, 'LanguageModelThinkingPart');
  assert(typeof type === 'function');
  return Reflect.construct(type, [text]);
}

/** What an answer cost, as Copilot says it at the end. */
export function bill(usage: object): unknown {
  const type: unknown = Reflect.get(vscode, 'LanguageModelDataPart');
  assert(typeof type === 'function');
  return Reflect.construct(type, [new TextEncoder().encode(JSON.stringify(usage)), 'usage']);
}

/** A tool call that the model makes. */
export const call = (id: string, name: string, input: object) =>
  new vscode.LanguageModelToolCallPart(id, name, input);
