import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { isObject } from '../../src/core/message.js';

/** An item of OpenAI's Responses API. */
export type ResponseItem = Readonly<Record<string, unknown>>;

/** An answer that says a text. */
export function saidItem(words: string): ResponseItem {
  const content = [{ type: 'output_text', text: words, annotations: [] }];
  return { type: 'message', id: `msg_${words.length}`, role: 'assistant', status: 'completed', content };
}

/** An answer that calls a tool. */
export function calledItem(id: string, name: string, args: object): ResponseItem {
  const about = { call_id: id, name, arguments: JSON.stringify(args) };
  return { type: 'function_call', id: `fc_${id}`, status: 'completed', ...about };
}

/**
 * An endpoint of OpenAI's Responses API on a loopback port, which answers one request after another with the planned items,
 * streamed where that is asked for. A request without a plan, or with a result for a call that it does not repeat, is
 * answered 400.
 */
export async function responsesServer(planned: readonly (readonly ResponseItem[])[]) {
  let asked = 0;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const sent = JSON.parse(body) as Record<string, unknown>;
      const output = planned[asked++];
      const problem = output ? problemOf(sent) : 'no answer is planned';
      if (!output || problem !== undefined) {
        response.writeHead(400, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ error: { message: problem } }));
        return;
      }
      const answer = answerOf(sent, output, asked);
      const isStream = sent.stream === true;
      response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
      response.end(isStream ? eventsOf(answer, output) : JSON.stringify(answer));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function problemOf({ model, input }: Record<string, unknown>): string | undefined {
  if (typeof model !== 'string') return 'no model is named';
  const items = Array.isArray(input) ? input.filter(isObject) : [];
  const calls = new Set(items.flatMap(({ type, call_id }) => (type === 'function_call' ? [call_id] : [])));
  const orphan = items.find(({ type, call_id }) => type === 'function_call_output' && !calls.has(call_id));
  return orphan && `there is no call ${String(orphan.call_id)}`;
}

function answerOf(sent: Record<string, unknown>, output: readonly ResponseItem[], number: number) {
  return {
    id: `resp_${number}`,
    object: 'response',
    created_at: 1_790_000_000,
    status: 'completed',
    error: null,
    incomplete_details: null,
    instructions: sent.instructions ?? null,
    model: sent.model,
    output,
    parallel_tool_calls: true,
    previous_response_id: null,
    tool_choice: 'auto',
    tools: sent.tools ?? [],
    temperature: 1,
    top_p: 1,
    text: { format: { type: 'text' } },
    usage: {
      input_tokens: 10 * number,
      output_tokens: 5,
      total_tokens: 10 * number + 5,
      input_tokens_details: { cached_tokens: 3 },
      output_tokens_details: { reasoning_tokens: 1 },
    },
  };
}

function eventsOf(answer: ReturnType<typeof answerOf>, output: readonly ResponseItem[]): string {
  let number = 0;
  const event = (type: string, data: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number++, ...data })}\n\n`;
  return [
    event('response.created', { response: { ...answer, status: 'in_progress', output: [], usage: null } }),
    ...output.flatMap((item, output_index) => [
      event('response.output_item.added', { output_index, item }),
      event('response.output_item.done', { output_index, item }),
    ]),
    event('response.completed', { response: answer }),
  ].join('');
}
