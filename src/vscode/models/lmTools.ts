import * as vscode from 'vscode';
import { isObject } from '../../core/message.js';
import { messageOf } from '../../core/text.js';
import type { Tool, ToolContext, ToolResult } from '../../ports/tool.js';

/** The largest answer of a foreign tool that goes to a model, in UTF-16 code units; the rest is cut and said so. */
const MAX_ANSWER = 400_000;

/** The tools that VS Code knows: of other extensions and of the user's MCP servers. All ask before they run. */
export function lmTools(): readonly Tool[] {
  return vscode.lm.tools.map(toTool);
}

function toTool({ name, description, inputSchema }: vscode.LanguageModelToolInformation): Tool {
  return {
    name,
    description,
    parameters: isObject(inputSchema) ? inputSchema : { type: 'object' },
    // What a foreign tool says of itself (that it only reads, for example) is not believed.
    effect: 'execute',
    parallel: false,
    execute: (args, context) => invoke(name, args, context),
  };
}

async function invoke(
  name: string,
  input: Readonly<Record<string, unknown>>,
  context: ToolContext,
): Promise<ToolResult> {
  const subject = `${name} ${JSON.stringify(input, null, 2)}`;
  const decision = await context.approvals.decide({
    toolName: name,
    toolCallId: context.toolCallId,
    call: context.call,
    subject,
    title: `Use the tool ${name}`,
    key: subject,
    signal: context.signal,
  });
  if (!decision.approved) {
    return { content: `Not allowed: ${decision.reason ?? 'the user refused.'}`, isError: true };
  }
  const source = new vscode.CancellationTokenSource();
  const cancel = () => source.cancel();
  context.signal.addEventListener('abort', cancel, { once: true });
  try {
    const result = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined }, source.token);
    return { content: cut(result.content.map(textOfPart).join('\n')) };
  } catch (error) {
    return { content: `${name} failed: ${messageOf(error)}`, isError: true };
  } finally {
    context.signal.removeEventListener('abort', cancel);
    source.dispose();
  }
}

function textOfPart(part: unknown): string {
  if (part instanceof vscode.LanguageModelTextPart) return part.value;
  return '(a part that has no text)';
}

function cut(text: string): string {
  if (text.length <= MAX_ANSWER) return text;
  return `${text.slice(0, MAX_ANSWER)}\n(cut: ${text.length - MAX_ANSWER} more characters)`;
}
