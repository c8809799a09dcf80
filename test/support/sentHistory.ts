import { isObject, type ChatMessage } from '../../src/core/message.js';
import { bodyOf } from '../../src/agents/models/wireRequest.js';

/** What of a history goes over the wire when one more prompt is asked. */
export function sentHistory(messages: readonly ChatMessage[]): unknown {
  const asked: readonly ChatMessage[] = [...messages, { role: 'user', content: 'and now?' }];
  const request = { messages: asked, tools: [], agent: 'P', signal: new AbortController().signal };
  const body: unknown = JSON.parse(bodyOf(request, { model: 'm', without: new Set() }).toString());
  return isObject(body) ? body.messages : undefined;
}
