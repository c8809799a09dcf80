import * as vscode from 'vscode';
import type { sessionToolNames } from '../../../app/manifest.js';
import { plain, type PlainText } from '../../../app/text/plainText.js';
import { t } from '../../../core/l10n.js';
import { isObject } from '../../../core/message.js';
import { preview } from '../../../core/text.js';
import { SafeMarkdown } from './safeMarkdown.js';

/** How much of a question VS Code shows before a tool is used. */
const SHOWN = 200;

/** What VS Code asks before one of our tools is used, and says while it is. */
export function preparedCall(
  name: (typeof sessionToolNames)[number],
  input: unknown,
): vscode.PreparedToolInvocation {
  const title = plain(t`Let the model read recorded sessions?`);
  switch (name) {
    case 'search_agent_sessions': {
      const question = textIn(input, 'question');
      const message =
        question === ''
          ? t`It lists the sessions that are recorded in this workspace, without secrets.`
          : t`It looks for ${question} in the sessions that are recorded in this workspace; what it finds is told without secrets.`;
      return toolConfirmation(title, message, t`Looking through recorded sessions`);
    }
    case 'read_agent_session': {
      const message = t`It reads the recorded session ${textIn(input, 'session')}: messages and tool calls, without secrets.`;
      return toolConfirmation(title, message, t`Reading a recorded session`);
    }
    case 'get_agent_session_cost':
      return toolConfirmation(
        title,
        t`It reads what recorded sessions cost.`,
        t`Counting what recorded sessions cost`,
      );
  }
}

function textIn(input: unknown, name: string): string {
  const value = isObject(input) ? input[name] : undefined;
  return typeof value === 'string' ? preview(value, SHOWN) : '';
}

/** The same of any words; texts of models in it read literally. */
function toolConfirmation(title: PlainText, message: string, doing: string): vscode.PreparedToolInvocation {
  return {
    invocationMessage: new SafeMarkdown().paragraph(doing).value,
    confirmationMessages: { title, message: new SafeMarkdown().paragraph(message).value },
  };
}

/** What an earlier answer of the Chat view says, as its Markdown. */
export function textOfTurn({ response }: vscode.ChatResponseTurn): string {
  return response
    .map((part) => (part instanceof vscode.ChatResponseMarkdownPart ? part.value.value : ''))
    .join('');
}
