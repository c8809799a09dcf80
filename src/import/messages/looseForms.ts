import { isObject } from '../../core/message.js';
import { asText, fields, list, objects, parsed, text, type Fields } from '../reading/fields.js';

/**
 * Messages whose fields mean something else than their names say, rewritten with the names that others use: pieces of
 * Ollama's `generate`, steps of runs of OpenAI's assistants, Cursor's bubbles, code that Open Interpreter ran, chunks of
 * Google's AI Studio, turns of Evener, messages of Codebuff, events of Poolside. Any other object is given back as it is.
 */
export function usualForm(value: Fields): Fields {
  if (
    typeof value.response === 'string' &&
    typeof value.done === 'boolean' &&
    typeof value.model === 'string'
  )
    return { ...value, role: 'assistant', content: value.response };
  if (value.object === 'thread.run.step') return runStep(value);
  if (typeof value.bubbleId === 'string' && (value.type === 1 || value.type === 2)) return bubble(value);
  if (value.role === 'assistant' && value.type === 'code' && typeof value.format === 'string')
    return code(value);
  if (value.isThought === true && typeof value.text === 'string')
    return { ...value, text: undefined, content: [{ type: 'thinking', text: value.text }] };
  if (typeof value.parts === 'string' && isBlocks(parsed(value.parts)))
    return { ...value, parts: parsed(value.parts) };
  if (value.kind === 'entry' && isObject(value.turn)) return evenerTurn(value.turn);
  if (isNetPiece(value))
    return { ...value, Role: undefined, role: value.Role ?? value.role ?? 'assistant', delta: true };
  if (/^(?:user|ai|agent|error)$/.test(asText(value.variant)) && typeof value.content === 'string')
    return codebuffMessage(value);
  return poolsideEvent(value) ?? stepLine(value) ?? value;
}

/** Whether an object is an update of .NET's streamed chats, of which only the first says who speaks. */
function isNetPiece(value: Fields): boolean {
  const parts = objects(value.Contents ?? value.contents ?? value.Items);
  if (parts.length === 0 || !parts.every(({ $type }) => typeof $type === 'string')) return false;
  const isUpdate = 'ResponseId' in value || 'responseId' in value;
  return isUpdate || parts.some(({ $type }) => asText($type).startsWith('Streaming'));
}

/** Words of research programs for who speaks on a line of a log of steps. */
const STEP_ROLES: ReadonlyMap<string, string> = new Map([
  ['system_prompt', 'system'],
  ['task', 'user'],
  ['goal', 'user'],
  ['objective', 'user'],
  ['instruction', 'user'],
  ['question', 'user'],
  ['query', 'user'],
  ['prompt', 'user'],
  ['user_prompt', 'user'],
  ['answer', 'assistant'],
  ['final_answer', 'assistant'],
  ['final', 'assistant'],
  ['reply', 'assistant'],
  ['completion', 'assistant'],
  ['llm_output', 'assistant'],
  ['model_output', 'assistant'],
]);

/** Their words for what an agent runs, and for what that gave. */
const STEP_CALLS = /^(?:command|shell|bash|cmd|action|exec|execute|code|tool_input|tool_use)$/;
const STEP_RESULTS = /^(?:output|command_output|stdout|stderr|result|execution_result|tool_result|returned)$/;

/** A line of a log of steps, `{turn, kind, content, ts}` by whatever names: who speaks stands as a kind, and every line is numbered. */
function stepLine(value: Fields): Fields | undefined {
  const key = ['kind', 'type', 'event', 'entry_type'].find((each) => typeof value[each] === 'string');
  const words = ['content', 'text', 'body', 'value', 'message', 'data'].find(
    (each) => typeof value[each] === 'string',
  );
  const isNumbered = ['turn', 'step', 'iteration', 'round', 'seq', 'index', 'i'].some(
    (each) => typeof value[each] === 'number',
  );
  if (key === undefined || words === undefined || !isNumbered || typeof value.role === 'string')
    return undefined;
  const kind = asText(value[key]).toLowerCase();
  const rest = { ...value, [key]: undefined, [words]: undefined };
  const content = value[words];
  const role = STEP_ROLES.get(kind);
  if (role !== undefined) return { ...rest, role, content };
  const name = text(value.tool) ?? text(value.tool_name) ?? text(value.name);
  if (STEP_CALLS.test(kind))
    return { ...rest, type: 'tool_call', name: name ?? kind, arguments: { [kind]: content } };
  return STEP_RESULTS.test(kind) ? { ...rest, type: 'tool_result', name, content } : undefined;
}

/** The words of Evener's turns for who speaks; what it steers by itself is no person. */
const EVENER_ROLES: ReadonlyMap<unknown, string> = new Map([
  ['USER_INPUT', 'user'],
  ['ASSISTANT', 'assistant'],
  ['TOOL', 'tool'],
  ['TOOL_RESULTS', 'tool'],
]);

/** A turn of Evener's, which says by its kind who speaks, and beside the message what that cost. */
function evenerTurn(turn: Fields): Fields {
  const { kind, message, response_model, usage, timestamp, steering_source } = turn;
  const isSteered = kind === 'STEERING' && steering_source === 'user';
  const role = isSteered ? 'user' : (EVENER_ROLES.get(kind) ?? 'system');
  const { content } = fields(message);
  // A failure or a switch of the model that says nothing is no message.
  if (content === undefined) return { ...turn, type: kind };
  return {
    role,
    content,
    timestamp,
    usage,
    ...(text(response_model) !== undefined && { model: response_model }),
  };
}

/** A message of Codebuff's, whose agents answer in blocks within the one that asks them. */
function codebuffMessage(value: Fields): Fields {
  const role = value.variant === 'user' ? 'user' : value.variant === 'ai' ? 'assistant' : 'system';
  const blocks = objects(value.blocks).map((block) => codebuffBlock(block));
  const content = blocks.length > 0 ? blocks : value.content;
  return { ...value, variant: undefined, blocks: undefined, role, content };
}

function codebuffBlock(block: Fields): Fields {
  const { type, textType, content, blocks } = block;
  if (type === 'text' && textType === 'reasoning') return { type: 'thinking', thinking: content };
  if (type === 'text') return { type: 'text', text: content };
  if (type === 'tool')
    return {
      type: 'tool_call',
      id: block.toolCallId,
      name: block.toolName,
      arguments: block.input,
      output: block.output,
    };
  if (type !== 'agent') return block;
  const said = objects(blocks).flatMap((each) => (each.type === 'text' ? asText(each.content) : []));
  const output = [asText(content), ...said].filter((each) => each !== '').join('\n');
  const name = block.agentName ?? block.agentType;
  return { type: 'tool_call', id: block.agentId, name, arguments: block.params ?? {}, output };
}

/** An event of Poolside's trajectories, whose words stand under a key that is called like its type. */
function poolsideEvent(value: Fields): Fields | undefined {
  const type = text(value.type);
  const own = type?.includes('.') === true ? value[type.replaceAll('.', '_')] : undefined;
  if (!isObject(own)) return undefined;
  const about = { timestamp: value.timestamp ?? value.time };
  if (type === 'session.input' && text(own.prompt) !== undefined)
    return { ...about, role: 'user', content: own.prompt };
  if (type === 'thought.end') return { ...about, role: 'assistant', type: 'thought', content: own.thought };
  if (type === 'tool_call.parsed')
    return { ...about, type: 'tool_call', id: own.id, name: own.name, arguments: own.args };
  if (type === 'tool_call.result')
    return { ...about, type: 'tool_result', tool_call_id: own.id, output: own.observation, error: own.error };
  if (type === 'assistant_message.end')
    return { ...about, role: 'assistant', content: own.assistant_message };
  return undefined;
}

function isBlocks(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => isObject(each) && typeof each.type === 'string');
}

/** A step of a run: the calls of tools with what they gave. */
function runStep(value: Fields): Fields {
  const calls = objects(fields(value.step_details).tool_calls).map((call): Fields => {
    const { type, id } = call;
    const own = fields(call[asText(type)]);
    const { name = type, arguments: given = own.input, output = own.outputs ?? own.results } = own;
    return { type: 'tool_call', id, name, arguments: given ?? {}, output };
  });
  return { ...value, type: undefined, role: 'assistant', content: null, tool_calls: calls };
}

function bubble(value: Fields): Fields {
  const { toolCallId, name, rawArgs, params, result, error } = fields(value.toolFormerData);
  const call = {
    type: 'tool_call',
    id: toolCallId,
    name,
    arguments: rawArgs ?? params,
    output: result,
    error,
  };
  const { clientStartTime } = fields(value.timingInfo);
  return {
    ...value,
    type: undefined,
    role: value.type === 1 ? 'user' : 'assistant',
    ...(value.createdAt === undefined && clientStartTime !== undefined && { createdAt: clientStartTime }),
    ...(text(name) !== undefined && { tool_calls: [call] }),
  };
}

function code(value: Fields): Fields {
  const call = { type: 'tool_call', name: value.format, arguments: { code: value.content } };
  return { ...value, type: undefined, content: null, tool_calls: [...list(value.tool_calls), call] };
}
