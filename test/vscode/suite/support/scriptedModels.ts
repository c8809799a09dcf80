import assert from 'node:assert/strict';
import * as vscode from 'vscode';

/** What the extension that provides a model to the tests hands out. */
export interface ScriptedModels {
  /** `until` is waited for before the last part. */
  readonly replies: { parts: unknown[]; error?: Error; until?: Promise<void> }[];
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

/** A tool call that the model makes. */
export const call = (id: string, name: string, input: object) =>
  new vscode.LanguageModelToolCallPart(id, name, input);
