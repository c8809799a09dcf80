import { isObject } from '../../core/message.js';
import { asText, fields, list, objects, text, unquoted, without, type Fields } from '../reading/fields.js';
import { messagesOfBlocks, partTurns, type PartPlace } from './anthropicBlocks.js';
import { wordForRole } from '../reading/roleWords.js';
import { linkedPicture, chatMessage, toolCall, toolMessage } from './chatMessage.js';

/** Blocks that only Anthropic's messages have. */
const ANTHROPIC = /^(?:(?:server_|mcp_)?tool_use|(?:\w+_)?tool_result|thinking|redacted_thinking)$/;

/** The kinds of parts of a Gemini content, which have no `type`. */
const GEMINI_PARTS = [
  'text',
  'functionCall',
  'function_call',
  'functionResponse',
  'function_response',
  'inlineData',
  'inline_data',
  'fileData',
  'file_data',
  'executableCode',
  'executable_code',
  'codeExecutionResult',
  'code_execution_result',
];

/** The chat role for another library's word; words that are no role are the assistant's. */
export function roleOf(value: unknown): string {
  return wordForRole(value) ?? 'assistant';
}

/**
 * The chat messages in a value of any known shape: a list of messages, an object with such a list (a request, LangChain's
 * batch of lists, Vercel's prompt with its system text), one message, or a JSON text of these. Empty for anything else.
 */
export function messagesIn(value: unknown): Fields[] {
  const given = unquoted(value);
  if (Array.isArray(given)) {
    const [first] = given as unknown[];
    if (given.length > 0 && Array.isArray(first)) return given.flatMap((each) => messagesIn(each));
    return objects(given).every((each) => isMessage(each)) ? objects(given).flatMap(chatMessages) : [];
  }
  if (!isObject(given)) return [];
  if (isMessage(given)) return chatMessages(given);
  const system = given.system ?? given.systemInstruction ?? given.system_instruction ?? given.instructions;
  const said = messagesIn(given.messages ?? given.contents ?? given.chat_history);
  const prompt = text(given.prompt);
  const asked = prompt === undefined ? said : [...said, { role: 'user', content: prompt }];
  const isRequest = asked.length > 0 && system !== undefined && system !== null;
  return isRequest ? [{ role: 'system', content: wordsOf(system) }, ...asked] : asked;
}

/** Whether an object is a message of one of the known shapes. */
export function isMessage(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (value.lc !== undefined && isObject(value.kwargs)) return true;
  const isSaid = 'content' in value || 'parts' in value || 'tool_calls' in value;
  if (typeof value.role === 'string') return isSaid;
  if (Array.isArray(value.parts)) return objects(value.parts).some(isGeminiPart);
  return wordForRole(value.type) !== undefined && isSaid;
}

/**
 * The chat messages that one message of another shape stands for, in the order of its parts: results of tools become messages
 * of their own, and so does what an assistant says behind them.
 */
export function chatMessages(message: Fields): Fields[] {
  const key = Array.isArray(message.parts) ? 'parts' : 'content';
  const isAsked = typeof message.role === 'string' && roleOf(message.role) !== 'assistant';
  const turns = isAsked ? [] : partTurns(list(message[key]), placeOf);
  if (turns.length < 2) return messagesOfTurn(message);
  return turns.flatMap((turn, at) =>
    messagesOfTurn({ ...(at === 0 ? message : { role: message.role, type: message.type }), [key]: turn }),
  );
}

/** What a part of any of the shapes is, as far as its place among the others goes. */
function placeOf(part: unknown): PartPlace {
  const { type, functionResponse, function_response, codeExecutionResult, code_execution_result } =
    fields(part);
  const isResult =
    RESULT.test(asText(type)) ||
    isObject(functionResponse ?? function_response ?? codeExecutionResult ?? code_execution_result);
  return isResult ? 'result' : 'said';
}

/** The types of parts that tell what a tool gave, in any of the shapes. */
const RESULT = /(?:^|[_-])tool[_-](?:result|return|output|(?:call_)?response)$/;

/** The messages of parts in which nothing is said behind a result. */
function messagesOfTurn(message: Fields): Fields[] {
  if (message.lc !== undefined && isObject(message.kwargs)) return langChain(message);
  if (typeof message.role !== 'string' && typeof message.type === 'string') return fromLangChain(message);
  if (Array.isArray(message.parts)) return fromParts(message);
  const parts = objects(message.content);
  if (parts.some(({ type }) => ANTHROPIC.test(asText(type)))) return fromBlocks(message);
  if (parts.some(({ type }) => /^(?:tool-(?:call|result)|reasoning|image|file)$/.test(asText(type)))) {
    return fromVercel(message, parts);
  }
  const role = roleOf(message.role);
  const known = role === message.role ? {} : { role, name: text(message.name) ?? message.role };
  return [{ ...message, ...known, ...callsOf(message.tool_calls), ...contentOf(message.content) }];
}

/** A content that is neither text nor parts, as JSON; a chat message has one of these. */
function contentOf(content: unknown): Fields {
  if (content === undefined || content === null || typeof content === 'string') return {};
  if (!Array.isArray(content)) return { content: asText(content) };
  return { content: list(content).map((part) => typedPart(part)) };
}

function typedPart(part: unknown): Fields {
  if (typeof part === 'string') return { type: 'text', text: part };
  const given = fields(part);
  if (typeof given.type === 'string')
    return given.type === 'text' ? { ...given, text: asText(given.text) } : given;
  return typeof given.text === 'string' ? { type: 'text', ...given } : { type: 'part', ...given };
}

/** The calls of a message in OpenAI's shape, from it or from a flat one: `{id, name, args}` or `{id, name, arguments}`. */
export function callsOf(value: unknown): Fields {
  const calls = objects(value);
  if (calls.length === 0) return {};
  return {
    tool_calls: calls.map((call) => {
      const { name, arguments: input } = fields(call.function);
      if (isObject(call.function)) return { ...call, ...toolCall(asText(call.id), asText(name), input) };
      const rest = without(call, 'id', 'name', 'args', 'arguments', 'input', 'type', 'function');
      const called = call.args ?? call.arguments ?? call.input;
      const named = asText(call.name ?? call.function);
      return { ...rest, ...toolCall(asText(call.id), named, called) };
    }),
  };
}

function langChain({ id, kwargs }: Fields): Fields[] {
  const kind = asText(list(id).at(-1)).replace(/Message(?:Chunk)?$/, '');
  return fromLangChain({ type: kind.toLowerCase(), ...fields(kwargs) });
}

function fromLangChain(message: Fields): Fields[] {
  const { type, data, ...rest } = message;
  if (isObject(data)) return fromLangChain({ type, ...data });
  const extra = fields(rest.additional_kwargs);
  const calls = objects(rest.tool_calls).length > 0 ? rest.tool_calls : extra.tool_calls;
  const kind = typeof type === 'string' && /chunk$/i.test(type) ? 'ai' : type;
  return chatMessages({
    ...rest,
    role: roleOf(kind),
    tool_calls: calls ?? undefined,
    content: rest.content ?? null,
  });
}

function fromBlocks(message: Fields): Fields[] {
  const role = roleOf(message.role);
  const rest = without(message, 'role', 'content');
  return messagesOfBlocks(role, message.content).map(({ message: said, isResult }) =>
    isResult ? said : { ...rest, ...said },
  );
}

/** The messages of Vercel's AI SDK: parts for text, reasoning, files, calls and results. */
function fromVercel(message: Fields, parts: readonly Fields[]): Fields[] {
  const kindOf = ({ type }: Fields) => asText(type);
  const results = parts.filter((part) => kindOf(part) === 'tool-result').map(vercelResult);
  const calls = parts
    .filter((part) => kindOf(part) === 'tool-call')
    .map((part) => ({
      ...without(part, 'type', 'toolCallId', 'toolName', 'input', 'args'),
      ...toolCall(asText(part.toolCallId), asText(part.toolName), part.input ?? part.args),
    }));
  const reasoning = parts.filter((part) => kindOf(part) === 'reasoning').map((part) => asText(part.text));
  const said = parts
    .filter((part) => !/^(?:tool-(?:call|result)|reasoning)$/.test(kindOf(part)))
    .map(vercelPart);
  if (said.length + calls.length + reasoning.length === 0) return results;
  const [only] = said;
  const isPlain = said.length === 1 && only?.type === 'text' && Object.keys(only).length === 2;
  const content = said.length === 0 ? null : isPlain ? only.text : said;
  const rest = without(message, 'role', 'content');
  const spoken = chatMessage(roleOf(message.role), content, { reasoning: reasoning.join('\n'), calls });
  return [{ ...rest, ...spoken }, ...results];
}

function vercelPart(part: Fields): Fields {
  if (part.type === 'text') return typedPart(part);
  const data = text(part.image) ?? text(part.data) ?? text(part.url);
  const kind = text(part.mediaType) ?? text(part.mimeType) ?? (part.type === 'image' ? 'image/png' : '');
  if (data === undefined || !kind.startsWith('image/')) return typedPart(part);
  return linkedPicture(/^(?:data|https?):/.test(data) ? data : `data:${kind};base64,${data}`);
}

/** A result of Vercel's AI SDK; since version 5 its output is a typed value. */
function vercelResult(part: Fields): Fields {
  const output = part.output ?? part.result;
  const typed = fields(output);
  const isTyped = typeof typed.type === 'string' && 'value' in typed;
  const rest = without(part, 'type', 'toolCallId', 'output', 'result', 'toolName');
  const name = text(part.toolName);
  return {
    ...rest,
    ...(name !== undefined && { name }),
    ...toolMessage(asText(part.toolCallId), asText(isTyped ? typed.value : output)),
  };
}

function isGeminiPart(part: Fields): boolean {
  return typeof part.type !== 'string' && GEMINI_PARTS.some((key) => key in part);
}

/** A message with `parts`: Gemini's content, or one of the conventions of OpenTelemetry. */
function fromParts(message: Fields): Fields[] {
  const parts = objects(message.parts);
  return parts.some(isGeminiPart) || parts.length === 0
    ? fromGemini(message, parts)
    : fromConvention(message, parts);
}

function fromGemini(message: Fields, parts: readonly Fields[]): Fields[] {
  const role = roleOf(message.role ?? 'user');
  const reasoning = parts.filter(({ thought, text: said }) => thought === true && said !== undefined);
  const results = parts.flatMap((part) => {
    const printed = codeResult(part);
    if (printed) return [printed];
    const answer = fields(part.functionResponse ?? part.function_response);
    if (Object.keys(answer).length === 0) return [];
    const { id, name, response, ...rest } = answer;
    const { output, result, error } = fields(response);
    const only = Object.keys(fields(response)).length === 1 ? (output ?? result ?? error) : undefined;
    return [{ ...toolMessage(asText(id), asText(only ?? response)), name: asText(name), ...rest }];
  });
  const calls = parts.flatMap((part) => {
    const { id, name, args, ...rest } = fields(part.functionCall ?? part.function_call);
    const signature = part.thoughtSignature ?? part.thought_signature;
    const extra =
      signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };
    const code = codeCall(part);
    if (code) return [{ ...code, ...extra }];
    return name === undefined ? [] : [{ ...toolCall(asText(id), asText(name), args), ...rest, ...extra }];
  });
  const said = parts.filter((part) => !reasoning.includes(part) && !isGeminiCall(part)).map(geminiPart);
  if (said.length + calls.length + reasoning.length === 0) return results;
  const [only] = said;
  const isPlain = said.length === 1 && only?.type === 'text' && Object.keys(only).length === 2;
  const spoken = chatMessage(role, said.length === 0 ? null : isPlain ? only.text : said, {
    reasoning: reasoning.map((part) => asText(part.text)).join('\n'),
    calls,
  });
  const whole = { ...without(message, 'role', 'parts'), ...spoken };
  return role === 'assistant' ? [whole, ...results] : [...results, whole];
}

/** What the provider's own code execution ran; nothing names its run where the part has no id. */
function codeCall(part: Fields): Fields | undefined {
  const code = fields(part.executableCode ?? part.executable_code);
  if (Object.keys(code).length === 0) return undefined;
  return toolCall(asText(code.id), 'code_execution', without(code, 'id'));
}

function codeResult(part: Fields): Fields | undefined {
  const told = fields(part.codeExecutionResult ?? part.code_execution_result);
  if (Object.keys(told).length === 0) return undefined;
  const { id, output, ...rest } = told;
  return { ...rest, ...toolMessage(asText(id), asText(output ?? rest.outcome)), name: 'code_execution' };
}

function isGeminiCall(part: Fields): boolean {
  return GEMINI_PARTS.some((key) => /(?:call|response|code|result)$/i.test(key) && isObject(part[key]));
}

/** A part of a content of Gemini's API as chat completions have it; a picture within it as one. */
export function geminiPart(part: Fields): Fields {
  const data = fields(part.inlineData ?? part.inline_data);
  const kind = text(data.mimeType) ?? text(data.mime_type) ?? '';
  const base64 = text(data.data);
  if (kind.startsWith('image/') && base64 !== undefined)
    return linkedPicture(`data:${kind};base64,${base64}`);
  return typedPart(part.thought === false ? without(part, 'thought') : part);
}

/** A message of OpenTelemetry's semantic conventions for generative AI: typed parts. */
function fromConvention(message: Fields, parts: readonly Fields[]): Fields[] {
  const ofType = (pattern: RegExp) => parts.filter(({ type }) => pattern.test(asText(type)));
  const results = ofType(RESULT);
  const calls = ofType(/^(?:(?:server_)?tool_call|tool-call|tool_use)$/);
  const thoughts = ofType(/^(?:reasoning|thinking)$/);
  const rest = parts.filter((part) => ![...results, ...calls, ...thoughts].includes(part));
  const said = rest.map((part) =>
    /^(?:(?:input|output)_)?text$/.test(asText(part.type))
      ? { ...without(part, 'content'), type: 'text', text: asText(part.content ?? part.text) }
      : typedPart(part),
  );
  const tools = results.map((part) => conventionResult(part));
  if (said.length + calls.length + thoughts.length === 0) return tools;
  const [only] = said;
  const isPlain = said.length === 1 && only?.type === 'text' && Object.keys(only).length === 2;
  const spoken = chatMessage(
    roleOf(message.role),
    said.length === 0 ? null : isPlain ? asText(only.text) : said,
    {
      reasoning: thoughts.map(({ content, text: thought }) => asText(content ?? thought)).join('\n'),
      calls: calls.map((call) => conventionCall(call)),
    },
  );
  const whole = { ...without(message, 'role', 'parts'), ...spoken };
  return roleOf(message.role) === 'assistant' ? [whole, ...tools] : [...tools, whole];
}

/** A call in a part of the conventions, or of a library that puts its own names into them. */
function conventionCall(call: Fields): Fields {
  const { id, name, toolCallId, toolName, tool_name, input, args } = call;
  const given = call.arguments ?? input ?? args ?? call.server_tool_call;
  return {
    ...without(
      call,
      'type',
      'id',
      'toolCallId',
      'name',
      'toolName',
      'tool_name',
      'arguments',
      'input',
      'args',
      'server_tool_call',
    ),
    ...toolCall(asText(id ?? toolCallId), asText(name ?? toolName ?? tool_name), given),
  };
}

/** The keys under which a part of the conventions, or of a library that puts its own names into them, has what a tool gave. */
const GIVEN = ['response', 'result', 'output', 'content', 'server_tool_call_response'] as const;

function conventionResult(part: Fields): Fields {
  const { id, toolCallId, tool_call_id, tool_use_id, toolName, name } = part;
  const given = GIVEN.map((key) => part[key]).find((each) => each !== undefined && each !== null);
  const typed = fields(given);
  const isTyped = typeof typed.type === 'string' && 'value' in typed;
  const called = text(name) ?? text(toolName);
  return {
    ...without(part, 'type', 'id', 'toolCallId', 'tool_call_id', 'tool_use_id', 'name', 'toolName', ...GIVEN),
    ...(called !== undefined && { name: called }),
    ...toolMessage(
      asText(id ?? toolCallId ?? tool_call_id ?? tool_use_id),
      asText(isTyped ? typed.value : given),
    ),
  };
}

/** The words of a system prompt: a text, a message's parts, or a list of texts or parts. */
export function wordsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value))
    return value
      .map((each) => wordsOf(each))
      .filter((each) => each !== '')
      .join('\n');
  const { parts, content, text: said } = fields(value);
  return said === undefined && content === undefined && parts === undefined
    ? asText(value)
    : wordsOf(said ?? content ?? parts);
}
