import { isObject } from '../../../core/message.js';
import type { CallState } from '../../../core/record.js';
import { endInItem } from './callStates.js';
import { asText, fields, list, number, objects, text, without, type Fields } from '../../reading/fields.js';
import { plainWord } from '../../reading/roleWords.js';

/** What one item of a Codex thread stands for, as items of the Responses API. */
export interface ThreadItem {
  readonly items: readonly Fields[];
  readonly isError: boolean;
  /** What became of the call where it did not come to its end as it should. */
  readonly state?: CallState | undefined;
  readonly durationMs: number | undefined;
}

/** An item of a thread, in the spelling of `codex exec` or of the app server; undefined where its kind says nothing. */
export function threadItem(item: Fields): ThreadItem | undefined {
  const kind = plainWord(item.type ?? item.item_type);
  const items = itemsOf(kind, item);
  if (!items) return undefined;
  return { items, ...stateIn(item), durationMs: number(item.durationMs) ?? number(item.duration_ms) };
}

function stateIn(item: Fields): Pick<ThreadItem, 'isError' | 'state'> {
  const end = endInItem(item);
  return { isError: end === 'failed' || end === 'timedOut', state: end === 'done' ? undefined : end };
}

function itemsOf(kind: string, item: Fields): Fields[] | undefined {
  if (kind === 'usermessage') return [{ type: 'message', role: 'user', content: userContent(item) }];
  if (kind === 'agentmessage' || kind === 'assistantmessage' || kind === 'plan')
    return [{ type: 'message', role: 'assistant', content: asText(item.text ?? item.message) }];
  if (kind === 'reasoning') return [reasoning(item)];
  if (kind === 'commandexecution')
    return call(
      item,
      'shell',
      known(item, 'command', 'cwd'),
      item.aggregated_output ?? item.aggregatedOutput,
    );
  if (kind === 'filechange')
    return call(item, 'apply_patch', known(item, 'changes'), item.output ?? item.status);
  if (kind === 'mcptoolcall') {
    const name = [text(item.server), text(item.tool)].filter((part) => part !== undefined).join('__');
    return call(item, name, item.arguments, answerIn(item));
  }
  if (kind === 'dynamictoolcall') return call(item, asText(item.tool), item.arguments, item.contentItems);
  if (kind === 'websearch') return call(item, 'web_search', known(item, 'query', 'action'), item.result);
  if (kind === 'collabagenttoolcall' || kind === 'collabtoolcall') {
    const states = item.agentsStates ?? item.agents_states;
    return call(
      item,
      text(item.tool) ?? 'agent',
      known(item, 'prompt', 'receiverThreadIds', 'receiver_thread_ids'),
      states,
    );
  }
  return undefined;
}

function userContent({ content, text: said, message }: Fields): unknown {
  if (!Array.isArray(content)) return asText(content ?? said ?? message);
  return objects(content).map((part) =>
    part.type === 'image' && typeof part.url === 'string'
      ? { type: 'input_image', image_url: part.url }
      : part,
  );
}

function reasoning({ text: said, summary, content }: Fields): Fields {
  const texts = [...list(summary), ...list(content), ...(typeof said === 'string' ? [said] : [])];
  const words = texts.flatMap((each) => (typeof each === 'string' ? each : (text(fields(each).text) ?? [])));
  return { type: 'reasoning', summary: words.map((each) => ({ type: 'summary_text', text: each })) };
}

function answerIn(item: Fields): unknown {
  const failure = text(item.error) ?? text(fields(item.error).message);
  const result = fields(item.result);
  const inner = isObject(result.Ok) ? fields(result.Ok) : result;
  const words = objects(inner.content).map((part) =>
    part.type === 'text' ? asText(part.text) : asText(part),
  );
  return failure ?? text(result.Err) ?? (words.length > 0 ? words.join('\n') : item.result);
}

function call(item: Fields, name: string, input: unknown, output: unknown): Fields[] {
  const begun = { type: 'function_call', call_id: item.id, name, arguments: input ?? {} };
  const isOver = !/^in_?progress$/i.test(asText(item.status));
  if (!isOver) return [begun];
  return [begun, { type: 'function_call_output', call_id: item.id, output: output ?? '' }];
}

function known(item: Fields, ...keys: readonly string[]): Fields {
  return Object.fromEntries(keys.filter((key) => item[key] !== undefined).map((key) => [key, item[key]]));
}

/** The items that an event of Codex's protocol stands for; none where it is about something else. */
export function eventItems(event: Fields): ThreadItem | undefined {
  const type = asText(event.type);
  const begun = /^(exec_command|mcp_tool_call|patch_apply|web_search|dynamic_tool_call)_(begin|end)$/.exec(
    type,
  );
  if (type === 'user_message') return said({ type: 'message', role: 'user', content: asText(event.message) });
  if (type === 'agent_message')
    return said({ type: 'message', role: 'assistant', content: asText(event.message) });
  if (type === 'agent_reasoning') return said(reasoning(event));
  if (!begun) return undefined;
  const [, what, when] = begun;
  const invocation = fields(event.invocation);
  const names: Fields = { exec_command: 'shell', patch_apply: 'apply_patch', web_search: 'web_search' };
  const name =
    text(names[what ?? '']) ??
    [text(invocation.server), text(invocation.tool ?? event.tool)]
      .filter((part) => part !== undefined)
      .join('__');
  const input =
    invocation.arguments ??
    event.arguments ??
    without(event, 'type', 'call_id', 'turn_id', 'parsed_cmd', 'process_id', 'source', 'auto_approved');
  if (when === 'begin')
    return said({ type: 'function_call', call_id: event.call_id, name, arguments: input });
  const { secs, nanos } = fields(event.duration);
  const took =
    number(secs) === undefined ? undefined : Math.round(Number(secs) * 1000 + (number(nanos) ?? 0) / 1e6);
  const output =
    text(event.formatted_output) ??
    text(event.aggregated_output) ??
    ([text(event.stdout), text(event.stderr)].filter((part) => part !== undefined).join('\n') ||
      answerIn(event));
  return {
    items: [{ type: 'function_call_output', call_id: event.call_id, output: output ?? '' }],
    ...stateIn(event),
    durationMs: took,
  };
}

function said(...items: Fields[]): ThreadItem {
  return { items, isError: false, durationMs: undefined };
}
