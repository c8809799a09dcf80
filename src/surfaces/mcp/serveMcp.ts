import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { onAbort } from '../../core/abort.js';
import { checkedFrames } from './checkedFrames.js';
import type { McpLibrary } from './library.js';
import { checkArguments } from './checkArguments.js';
import { languageExplained, LANGUAGE_URI, serverInstructions } from './explained.js';
import { UserError } from '../../app/userError.js';
import { messageOf } from '../../core/text.js';
import { readTools } from './readTools.js';

/** Serves models on the standard streams of this process, in either era of the protocol, until these are closed. */
export async function serveMcp(library: McpLibrary, version: string): Promise<void> {
  const frames = checkedFrames((refusal) => process.stdout.write(`${JSON.stringify(refusal)}\n`));
  const transport = new StdioServerTransport(process.stdin.pipe(frames), process.stdout);
  const handle = serveStdio(() => mcpServer(library, version), { transport });
  await new Promise<void>((resolve) => {
    process.stdin.once('close', resolve);
    frames.once('end', resolve);
    onAbort(library.signal, resolve);
  });
  await handle.close();
}

/** A server of the model context protocol that lets models read recorded sessions. It changes nothing. */
function mcpServer(library: McpLibrary, version: string): McpServer {
  const server = new McpServer(
    { name: 'agent-logbook', version },
    { capabilities: { tools: {}, resources: {} }, instructions: serverInstructions() },
  );
  server.registerResource(
    'question-language',
    LANGUAGE_URI,
    {
      title: 'The language of questions',
      description: 'What the question of search_sessions may say: all fields and operators, with examples.',
      mimeType: 'text/plain',
    },
    (uri) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: languageExplained() }] }),
  );
  for (const tool of readTools) {
    const { name, title, description, properties, required, answer: schema, run } = tool;
    const inputSchema = unchecked(
      fromJsonSchema<Record<string, unknown>>({
        type: 'object',
        properties: { ...properties },
        required: [...required],
        additionalProperties: false,
      }),
    );
    const outputSchema = fromJsonSchema<Record<string, unknown>>({ ...schema });
    const annotations = { readOnlyHint: true, openWorldHint: false };
    server.registerTool(
      name,
      { title, description, inputSchema, outputSchema, annotations },
      async (given: Record<string, unknown>) => {
        try {
          const answer = library.clean(await run(library, checkArguments(tool, given)));
          return {
            content: [{ type: 'text' as const, text: JSON.stringify(answer) }],
            structuredContent: { ...answer },
          };
        } catch (error) {
          const words =
            error instanceof UserError ? error.message : `This could not be read: ${messageOf(error)}`;
          return { content: [{ type: 'text' as const, text: library.clean(words) }], isError: true };
        }
      },
    );
  }
  return server;
}

type ArgumentsSchema = ReturnType<typeof fromJsonSchema<Record<string, unknown>>>;

/** A schema that is told to clients, and lets everything through: what is wrong is told in words that lead to what is right. */
function unchecked(schema: ArgumentsSchema): ArgumentsSchema {
  const validate = (value: unknown) => ({ value: value as Record<string, unknown> });
  return { '~standard': { ...schema['~standard'], validate } };
}
