import * as vscode from 'vscode';

const MODEL = {
  id: 'reading-1',
  name: 'Reading One',
  family: 'reading',
  version: '1',
  maxInputTokens: 8000,
  maxOutputTokens: 1000,
  capabilities: { toolCalling: true },
};

/**
 * A model that looks for what failed in recorded sessions and cites the first message that it finds; it fails where it is asked
 * to.
 * @param {vscode.ExtensionContext} context
 */
export function activate(context) {
  /** @type {vscode.LanguageModelChatProvider} */
  const provider = {
    provideLanguageModelChatInformation: () => [MODEL],
    async provideLanguageModelChatResponse(_model, messages, _options, progress) {
      const said = messages.flatMap(({ content }) => content.map((part) => JSON.stringify(part))).join('\n');
      if (said.includes('be silent')) throw new Error('The model is asleep.');
      const found = messages
        .flatMap(({ content }) => content)
        .find((part) => part instanceof vscode.LanguageModelToolResultPart);
      if (!found) {
        const search = { question: 'is:error' };
        progress.report(new vscode.LanguageModelToolCallPart('look-1', 'search_agent_sessions', search));
        return;
      }
      const text = JSON.stringify(found).replaceAll('\\', '');
      const [, session = ''] = /"session":"([^"]+)"/.exec(text) ?? [];
      const [, position = ''] = /"position":(\d+)/.exec(text) ?? [];
      const answer = [
        `One command failed: **npm test** found no tests. [[${session}#${position}]]`,
        '',
        '- The range is counted in seconds.',
        '- Nothing was mended.',
      ];
      progress.report(new vscode.LanguageModelTextPart(answer.join('\n')));
    },
    provideTokenCount: async (_model, text) =>
      typeof text === 'string' ? text.length : JSON.stringify(text.content).length,
  };
  context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider('reading', provider));
}
