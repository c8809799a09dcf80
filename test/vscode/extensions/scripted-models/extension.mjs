import * as vscode from 'vscode';

/**
 * What a test gets from this extension: the replies that it queues are given one by one, the requests that were made
 * are kept. A request without a queued reply is an error.
 * @typedef {object} ScriptedModels
 * @property {Reply[]} replies
 * @property {Request[]} requests
 */

/**
 * Parts to stream, then an error to end with, if any; what `until` gives is waited for before the last part.
 * @typedef {{ parts: vscode.LanguageModelResponsePart[], error?: Error, until?: () => Promise<void> }} Reply
 */

/**
 * @typedef {object} Request
 * @property {readonly vscode.LanguageModelChatRequestMessage[]} messages
 * @property {vscode.ProvideLanguageModelChatResponseOptions} options
 * @property {vscode.CancellationToken} token
 */

const MODEL = {
  id: 'scripted-1',
  name: 'Scripted One',
  family: 'scripted',
  version: '1',
  maxInputTokens: 8000,
  maxOutputTokens: 1000,
  capabilities: { toolCalling: true },
};

const SEEING = {
  ...MODEL,
  id: 'scripted-2',
  name: 'Scripted Two',
  capabilities: { toolCalling: true, imageInput: true },
};

/**
 * @param {vscode.ExtensionContext} context
 * @returns {ScriptedModels}
 */
export function activate(context) {
  /** @type {ScriptedModels} */
  const scripted = { replies: [], requests: [] };
  /** @type {vscode.LanguageModelChatProvider} */
  const provider = {
    provideLanguageModelChatInformation: () => [MODEL, SEEING],
    async provideLanguageModelChatResponse(_model, messages, options, progress, token) {
      scripted.requests.push({ messages, options, token });
      const reply = scripted.replies.shift();
      if (!reply) throw new Error('The test queued no reply for this request.');
      for (const part of reply.parts.slice(0, -1)) progress.report(part);
      await reply.until?.();
      for (const part of reply.parts.slice(-1)) progress.report(part);
      if (reply.error) throw reply.error;
    },
    // One token a character is easy to check.
    provideTokenCount: async (_model, text) =>
      typeof text === 'string' ? text.length : JSON.stringify(text.content).length,
  };
  context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider('scripted', provider));
  return scripted;
}
