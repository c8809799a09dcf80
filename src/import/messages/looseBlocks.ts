import { endIn, endOfWord, worst, type CallEnd } from './callEnd.js';
import { isObject } from '../../core/message.js';
import { asText, fields, list, text, type Fields } from '../reading/fields.js';
import { contentOf } from './anthropicBlocks.js';
import { linkedPicture, toolCall, toolMessage } from './chatMessage.js';
import { plainWord } from '../reading/roleWords.js';

/** What a content says, whoever wrote it: words and pictures, reasoning, calls and results of tools. */
export interface LooseContent {
  readonly parts: Fields[];
  readonly reasoning: string[];
  readonly calls: Fields[];
  readonly results: LooseResult[];
  /** What a system prompt among the parts of a request says. */
  readonly system: string[];
}

/** The result of a tool call as a chat message. */
export interface LooseResult {
  readonly message: Fields;
  readonly name: string | undefined;
  readonly end: CallEnd | undefined;
}

type Kind = 'text' | 'system' | 'thought' | 'call' | 'result' | 'image' | 'mark';

const KINDS: Readonly<Record<Kind, readonly string[]>> = {
  text: [
    'text',
    'inputtext',
    'outputtext',
    'userprompt',
    'textdelta',
    'markdown',
    'summarytext',
    'contentblock',
    // .NET's pieces of streamed texts.
    'streamingtext',
    'streamingchatmessage',
  ],
  system: ['systemprompt'],
  thought: ['thinking', 'reasoning', 'think', 'thought', 'reasoningtext', 'thinkingdelta'],
  call: [
    'tooluse',
    'toolcall',
    'functioncall',
    'servertooluse',
    'servertoolcall',
    'mcptooluse',
    'toolinvocation',
    'toolrequest',

    'toolcallrequest',
    'builtintoolcall',
    'customtoolcall',
    'dynamictool',
    'toolcallstart',
    'functioncallrequest',
    'backendtoolcall',
  ],
  result: [
    'toolresult',
    'functionresult',
    'functionresponse',
    'toolcallresult',
    'toolcallresponse',
    'servertoolcallresponse',
    'toolreturn',

    'retryprompt',
    'toolcalloutput',
    'functioncalloutput',
    'toolresponse',
    'tooloutput',
    'builtintoolreturn',

    'functioncallresult',
    'customtoolcalloutput',
    'toolexecutionresult',
    'functionexecutionresult',
    'toolcallend',
  ],
  // Crush keeps pictures among other files.
  image: ['image', 'imageurl', 'inputimage', 'imagefile', 'img', 'binary'],
  // What only says that something began or ended stays with the message's source.
  mark: ['finish', 'usage', 'stepstart', 'stepfinish', 'stepend', 'startstep', 'finishstep'],
};

const KIND_OF = new Map(
  Object.entries(KINDS).flatMap(([kind, words]) => words.map((word) => [word, kind as Kind] as const)),
);

/** The keys under which a block says what it is. */
const DECLARED = [
  'type',
  'kind',
  'part_kind',
  'block_type',
  'content_type',
  '$type',
  '_type',
  'message_type',
  'messageType',
] as const;

/** A block of a known kind, with its own fields at hand. */
interface Block {
  readonly kind: Kind;
  readonly body: Fields;
}

/** The kind of a block, which it declares, or by which its only field is called, or which its fields show. */
export function blockOf(value: Fields): Block | undefined {
  const declared = DECLARED.map((key) => value[key]).find((each) => typeof each === 'string');
  if (typeof declared === 'string') {
    const word = kindWord(declared);
    const kind =
      KIND_OF.get(word) ?? (declared.startsWith('tool-') && 'toolCallId' in value ? 'call' : undefined);
    const own = Object.entries(value).find(([key, each]) => isObject(each) && kindWord(key) === word);
    const inner = own
      ? fields(own[1])
      : fields(value.data ?? (isObject(value.kind) ? value.kind : undefined));
    if (kind) return { kind, body: { ...value, ...inner } };
  }
  const wrapped = Object.entries(value).flatMap(([key, each]): Block[] => {
    const kind = KIND_OF.get(kindWord(key));
    if (kind === undefined || (!isObject(each) && (kind === 'call' || kind === 'result'))) return [];
    return [{ kind, body: isObject(each) ? each : { [kind === 'thought' ? 'thinking' : 'text']: each } }];
  });
  const [only] = wrapped;
  if (only && declared === undefined) return only;
  if (declared !== undefined && !/^(?:function|event)$/.test(asText(declared))) return undefined;
  return shown(value);
}

/** The kind that the fields of a block show where nothing declares it. */
function shown(value: Fields): Block | undefined {
  const isNamed = nameOf(value) !== '';
  const hasInput = ['arguments', 'args', 'input', 'parameters', 'tool_input'].some((key) => key in value);
  if ((isNamed && hasInput) || isObject(value.function)) return { kind: 'call', body: value };
  const answers = ['tool_use_id', 'tool_call_id', 'toolCallId', 'call_id'].some((key) => key in value);
  return answers ? { kind: 'result', body: value } : undefined;
}

function kindWord(word: string): string {
  const plain = plainWord(word);
  return KIND_OF.has(plain) ? plain : plain.replace(/(?:content|block|part|chunk|event|message)$/, '');
}

/** What a content says: a text, one block, or a list of blocks and texts. What is of no known kind stays as a part. */
export function looseContent(content: unknown): LooseContent {
  const said: LooseContent = { parts: [], reasoning: [], calls: [], results: [], system: [] };
  addContent(said, content);
  return said;
}

function addContent(said: LooseContent, content: unknown): void {
  if (typeof content === 'string') {
    if (content !== '') said.parts.push({ type: 'text', text: content });
  } else if (Array.isArray(content)) for (const each of content) addContent(said, each);
  else if (isObject(content)) addBlock(said, content);
}

function addBlock(said: LooseContent, value: Fields): void {
  const block = blockOf(value);
  const words = block ? wordsIn(block.body) : wordsIn(value);
  const thought = block?.kind === 'thought' ? reasoningOrSummary(block.body, words) : undefined;
  if (block?.kind === 'call') addCall(said, block.body);
  else if (block?.kind === 'result') said.results.push(resultOf(block.body));
  else if (thought !== undefined) said.reasoning.push(thought);
  else if (block?.kind === 'system' && words !== undefined) said.system.push(words);
  else if (block?.kind === 'mark') return;
  else if (block?.kind === 'image') said.parts.push(picture(value, block.body));
  else if (block?.kind === 'text' && words !== undefined) {
    if (words !== '') said.parts.push({ type: 'text', text: words });
  } else if (block?.kind === 'text' && Array.isArray(value.content ?? value.parts))
    addContent(said, value.content ?? value.parts);
  else if (!block && Array.isArray(value.parts)) addContent(said, value.parts);
  else said.parts.push(otherPart(value));
}

/** What a block of reasoning says, or where that is hidden the summaries of it. */
function reasoningOrSummary(body: Fields, words: string | undefined): string | undefined {
  if (words !== undefined && words !== '') return words;
  const summaries = list(body.summaries ?? body.summary ?? body.details).flatMap(
    (each) => wordsIn(each) ?? [],
  );
  return summaries.length === 0 ? words : summaries.join('\n');
}

function otherPart(value: Fields): Fields {
  if (typeof value.type === 'string' && value.type !== 'text') return value;
  return { ...value, type: 'part' };
}

function addCall(said: LooseContent, body: Fields): void {
  const call = callOf(body);
  said.calls.push(call);
  const state = fields(body.state);
  const output = givenIn(body) ?? state.output;
  const failed =
    text(body.errorText) ?? text(state.error) ?? (output === undefined ? text(body.error) : undefined);
  if (isNothing(output) && failed === undefined) return;
  const message = toolMessage(call.id, failed ?? resultContent(output));
  said.results.push({
    message,
    name: nameOf(body),
    end: failed === undefined ? endOf(body) : worst('failed', endOfWord(body.state ?? body.status)),
  });
}

/** What a call says that it gave, under any key that tools have for it; undefined where it says nothing of it. */
function givenIn(body: Fields): unknown {
  return [
    body.output,
    body.result,
    body.Result,
    body.response,
    body.tool_output,
    body.toolOutput,
    body.tool_result,
    body.toolResult,
    body.observation,
    body.return_value,
    body.returned,
    body.stdout,
  ].find((each) => !isNothing(each));
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}

/** A call in any shape as one of chat completions. */
export function callOf(body: Fields): Fields {
  const inner = fields(body.function);
  const invocation = fields(body.toolInvocation);
  const about = Object.keys(invocation).length > 0 ? { ...body, ...invocation } : body;
  const input =
    inner.arguments ??
    about.input ??
    about.arguments ??
    about.Arguments ??
    about.args ??
    about.parameters ??
    about.params ??
    about.tool_input ??
    about.toolInput ??
    about.tool_args ??
    about.toolArgs ??
    about.kwargs ??
    about.raw_input ??
    about.action ??
    fields(about.state).input;
  return toolCall(idOf(about), text(inner.name) ?? nameOf(about), input);
}

/** The id of a call, '' where it has none. */
function idOf(body: Fields): string {
  const ids = [
    body.tool_use_id,
    body.toolUseId,
    body.tool_call_id,
    body.toolCallId,
    body.call_id,
    body.callId,

    body.CallId,
    body.callID,
    body.tool_id,
    body.toolId,
    fields(body.origin).id,
    fields(body.toolCall).id,
    fields(body.tool_call).id,
    body.id,
    body.Id,
  ];
  return asText(ids.find((each) => typeof each === 'string' || typeof each === 'number'));
}

/** The name of a tool, '' where nothing names it. */
function nameOf(body: Fields): string {
  const plugin = text(body.PluginName) ?? text(body.plugin_name) ?? text(body.server);
  const typed = /^tool-(.+)$/.exec(asText(body.type))?.[1];
  const names = [
    body.tool_name,
    body.toolName,
    body.FunctionName,
    body.function_name,
    body.tool,
    body.name,
    body.Name,
    body.tool_type,
    body.function,
    fields(body.function).name,
    fields(body.origin).tool_name,
    fields(body.toolCall).name,

    fields(fields(body.toolCall).function).name,
    typed === 'call' || typed === 'result' ? undefined : typed,
  ];
  const name = names.map((each) => text(each)).find((each) => each !== undefined) ?? '';
  return plugin === undefined || plugin === name ? name : `${plugin}-${name}`;
}

/** A result in any shape as a chat message. */
export function resultOf(body: Fields): LooseResult {
  const keys = [
    'output',
    'content',
    'Content',
    'result',
    'Result',
    'response',
    'tool_output',
    'tool_return',
    'toolResult',
    'value',
    'text',
    'message',
    'error',
  ];
  const key = keys.find((each) => !isNothing(body[each]) && body[each] !== '');
  const said = key === undefined ? '' : body[key];
  const found = key === 'message' ? (fields(said).content ?? said) : said;
  const name = nameOf(body);
  return {
    message: { ...toolMessage(idOf(body), resultContent(found)), ...(name !== '' && { name }) },
    name: name === '' ? undefined : name,
    end: endOf(body),
  };
}

function endOf(body: Fields): CallEnd | undefined {
  return worst(endIn(body), fields(body.toolResult).success === false ? 'failed' : undefined);
}

/** What a tool answered: words and pictures as parts, anything else as JSON. */
function resultContent(output: unknown): unknown {
  if (typeof output === 'string') return output;
  const { parts, calls, results, reasoning } = looseContent(output);
  const isShown = parts.length > 0 && parts.every(({ type }) => type === 'text' || type === 'image_url');
  const isWhole = calls.length + results.length + reasoning.length === 0;
  if (isShown && isWhole && isContentLike(output)) return contentOf(parts);
  return asText(output);
}

/** Whether a value is blocks and nothing else, so that their words say all of it. */
function isContentLike(output: unknown): boolean {
  return list(Array.isArray(output) ? output : [output]).every(
    (each) => typeof each === 'string' || (isObject(each) && blockOf(each) !== undefined),
  );
}

/** The words of a block under any key that tools have for them. */
export function wordsIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const body = fields(value);
  const keys = [
    'text',
    'Text',
    'thinking',
    'think',
    'reasoning',
    'thought',
    'content',
    'value',
    'markdown',
    'summary',
    'reasoning_text',
  ];
  for (const key of keys) {
    const each = body[key];
    if (typeof each === 'string') return each;
    if (isObject(each)) {
      const inner = wordsIn(each);
      if (inner !== undefined) return inner;
    }
  }
  const { reasoningText } = body;
  return isObject(reasoningText) ? wordsIn(reasoningText) : undefined;
}

function picture(block: Fields, body: Fields): Fields {
  const source = fields(body.source);
  const link = fields(body.image_url);
  const data =
    text(body.data) ??
    text(body.Data) ??
    text(body.bytes) ??
    text(source.data) ??
    text(source.bytes) ??
    text(body.base64);
  const url =
    text(body.url) ?? text(body.image_url) ?? text(link.url) ?? text(source.url) ?? text(body.image);
  const format = text(body.format);
  const kind =
    text(body.mimeType) ??
    text(body.mime_type) ??
    text(body.MIMEType) ??
    text(body.media_type) ??
    text(source.media_type) ??
    (format === undefined ? 'image/png' : `image/${format}`);
  if (url !== undefined && /^(?:data:|https?:)/.test(url)) return linkedPicture(url);
  const base64 = data ?? url;
  if (base64 === undefined || !kind.startsWith('image/')) return otherPart(block);
  return linkedPicture(base64.startsWith('data:') ? base64 : `data:${kind};base64,${base64}`);
}
