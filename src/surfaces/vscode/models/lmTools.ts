import * as vscode from 'vscode';
import { onAbort } from '../../../core/abort.js';
import { sessionToolNames } from '../../../app/manifest.js';
import { isObject } from '../../../core/message.js';
import type { ForeignPart, ForeignToolInfo, ForeignTools } from '../../../agents/tools/foreignTool.js';

/** The tools registered in VS Code: those of other extensions and of the user's MCP servers. */
export const lmTools: ForeignTools = {
  list: () => vscode.lm.tools.filter(({ name }) => !isOurs(name)).map(toInfo),

  async invoke(name, input, signal) {
    const source = new vscode.CancellationTokenSource();
    const leave = onAbort(signal, () => source.cancel());
    try {
      const options = { input, toolInvocationToken: undefined };
      const { content } = await vscode.lm.invokeTool(name, options, source.token);
      return content.map(partOf);
    } catch (error) {
      throw isCancellation(error) && !signal.aborted ? new Error(REFUSED) : error;
    } finally {
      leave();
      source.dispose();
    }
  },
};

/** How VS Code begins the names of the tools of our own MCP server. */
const OWN_SERVER = 'mcp_agent-logbook_';

/** Whether a tool reads our own records, which agents that we run are not given: one that is told to could read them all. */
function isOurs(name: string): boolean {
  return name.startsWith(OWN_SERVER) || sessionToolNames.some((own) => own === name);
}

/** VS Code asks in a dialog of its own about MCP tools that do not declare themselves read-only. */
const REFUSED = 'VS Code asked about it as well, and it was not allowed there.';

/** Whether an error is a cancellation; one from another VS Code process has the name, but not the class. */
function isCancellation(error: unknown): boolean {
  return error instanceof Error && (error instanceof vscode.CancellationError || error.name === 'Canceled');
}

function toInfo(tool: vscode.LanguageModelToolInformation): ForeignToolInfo {
  const { name, description, inputSchema } = tool;
  const schema = isObject(inputSchema) ? inputSchema : undefined;
  // Newer versions of VS Code name the MCP server of a tool.
  const source: unknown = 'source' in tool && isObject(tool.source) ? tool.source.label : undefined;
  return { name, description, schema, ...(typeof source === 'string' && { source }) };
}

/** Older versions of VS Code do not declare the class of data parts, so these are recognised by their shape. */
function partOf(part: unknown): ForeignPart {
  if (part instanceof vscode.LanguageModelTextPart) return part.value;
  if (part instanceof vscode.LanguageModelPromptTsxPart) return JSON.stringify(part.value);
  if (!isObject(part) || typeof part.mimeType !== 'string') return '(a part that has no text)';
  const { mimeType, data } = part;
  return data instanceof Uint8Array ? { mimeType, data } : `(${mimeType}, which has no text)`;
}
