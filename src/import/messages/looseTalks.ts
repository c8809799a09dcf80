import { isObject } from '../../core/message.js';
import { fields, list, objects, parsed, text, without, type Fields } from '../reading/fields.js';
import { isLoose } from './looseMessage.js';
import { plainWord } from '../reading/roleWords.js';
import { looseModel, speakerIn } from './looseWords.js';

/** A list of messages somewhere in a value. */
export interface Talk {
  readonly items: readonly unknown[];
  /** The list of the file, where the messages were found in a tree below its own. */
  readonly of?: readonly unknown[];
  /** The keys on the way to it. */
  readonly path: readonly string[];
  /** The object that has it. */
  readonly holder: Fields;
}

/** The shortest JSON text that is looked into for messages. */
const MIN_JSON = 20;

/** How deep values are looked into. */
const MAX_DEPTH = 24;

/** The lists of messages in a value, wherever they stand, in their order. What stands within messages is not looked at. */
export function talksIn(value: unknown, path: readonly string[] = [], holder: Fields = {}): Talk[] {
  if (path.length > MAX_DEPTH) return [];
  if (Array.isArray(value)) {
    const streamed = streamedIn(value);
    if (streamed) return [{ items: [streamed], of: value, path, holder }];
    if (isTalk(value)) return [{ ...flattened(value), path, holder }];
    const marked = markedTalk(value);
    if (marked) return [{ items: marked, of: value, path, holder }];
    return value.flatMap((each) => talksIn(each, path, holder));
  }
  if (typeof value === 'string') {
    const inside = value.length >= MIN_JSON && /^\s*[[{]/.test(value) ? parsed(value) : undefined;
    return typeof inside === 'object' ? talksIn(inside, path, holder) : [];
  }
  if (!isObject(value)) return [];
  if (repliesIn(value).length > 0 && isTalk([value])) return [{ ...flattened([value]), path, holder }];
  const inOrder = Object.values(value);
  if (inOrder.length > 1 && isTalk(inOrder)) return [{ items: inOrder, path, holder }];
  return withoutRepeats(Object.entries(value).flatMap(([key, each]) => talksIn(each, [...path, key], value)));
}

/** The message, or the piece of one, that LangGraph streams in a pair with what it knows of its node; undefined for anything else. */
function streamedIn(value: readonly unknown[]): unknown {
  const [message, about] = value;
  const isAbout =
    value.length === 2 && Object.keys(fields(about)).some((key) => key.startsWith('langgraph_'));
  return isAbout && isLoose(message)?.isCertain === true ? message : undefined;
}

/** Messages in pairs with the marks that each has, as AgentScope's memories have them; undefined for anything else. */
function markedTalk(value: readonly unknown[]): readonly unknown[] | undefined {
  const isPair = (each: unknown) => Array.isArray(each) && each.length === 2 && Array.isArray(each[1]);
  if (value.length === 0 || !value.every((each) => isPair(each) || typeof each !== 'object'))
    return undefined;
  const items = value.map((each) => (isPair(each) ? list(each)[0] : each));
  return isTalk(items) ? items : undefined;
}

/** The answers to a message that stand within it, as exports of trees have them. */
function repliesIn(item: unknown): readonly unknown[] {
  const { children, replies } = fields(item);
  return [children, replies].map((each) => list(each)).find((each) => isTalk(each)) ?? [];
}

/** Messages with the answers that stand within them after each, depth first, which is the order in which they were said. */
function flattened(items: readonly unknown[]): Pick<Talk, 'items' | 'of'> {
  if (!items.some((item) => repliesIn(item).length > 0)) return { items };
  const found: unknown[] = [];
  const waiting = [...items].reverse();
  while (waiting.length > 0) {
    const item = waiting.pop();
    const replies = repliesIn(item);
    found.push(replies.length === 0 ? item : without(fields(item), 'children', 'replies'));
    for (let at = replies.length - 1; at >= 0; at--) waiting.push(replies[at]);
  }
  return { items: found, of: items };
}

/** Whether values are messages: most can be read as such, and a word for a role says so of one. */
export function isTalk(values: readonly unknown[]): boolean {
  let loose = 0;
  let certain = 0;
  for (const value of values) {
    const found = isLoose(value);
    if (found) loose++;
    if (found?.isCertain === true) certain++;
  }
  return certain > 0 && loose * 2 > values.length;
}

/** Leaves out lists that another list of the same object has whole, as exports that keep a tree and a branch do. */
export function withoutRepeats(talks: Talk[]): Talk[] {
  if (talks.length < 2) return talks;
  const keys = talks.map(({ items }) => items.map((item) => wordsKey(item)));
  return talks.filter((_talk, index) => {
    const own = keys[index] ?? [];
    return !keys.some((other, at) => {
      if (at === index || other.length < own.length || (other.length === own.length && at > index))
        return false;
      const has = new Set(other);
      return own.every((key) => has.has(key));
    });
  });
}

/** What a message says, without what is said of it. */
export function wordsKey(item: unknown): string {
  const { content, text: said, parts, message, value, id } = fields(item);
  const words = content ?? said ?? parts ?? message ?? value;
  return words === undefined
    ? JSON.stringify(item)
    : JSON.stringify([words, content === '' ? id : undefined]);
}

const ID_KEYS = [
  'id',
  'uuid',
  'conversation_id',
  'conversationId',
  'session_id',
  'sessionId',
  'sessionID',
  'thread_id',
  'threadId',
  'chat_id',
  'chatId',
  'evalId',
  'custom_id',
  'instance_id',
  'task_id',
  'trace_id',
  'run_id',
];

const TITLES = ['title', 'chat_title', 'name', 'topic'];

/** The id of a conversation, from the object that holds it. */
export function idIn(root: unknown): string | undefined {
  const about = fields(root);
  const found = ID_KEYS.map((key) => about[key]).find(
    (each) => typeof each === 'string' || typeof each === 'number',
  );
  return found === undefined ? undefined : String(found);
}

/** The title of a conversation, from the object that holds it. */
export function titleIn(root: unknown): string | undefined {
  const about = fields(root);
  // Exports put what is known of the whole beside its messages.
  const holders = [about, fields(about.session), fields(about.info)];
  const said = holders
    .flatMap((holder) => TITLES.map((key) => text(holder[key])))
    .find((each) => each !== undefined && each.length <= 200);
  // Cortex calls a conversation so until it has a title.
  return said?.startsWith('Chat for session:') === true ? undefined : said;
}

/** The id of the session that a message says it belongs to. */
export function sessionOf(value: unknown): string | undefined {
  const about = fields(value);
  return ID_KEYS.slice(2, 10)
    .map((key) => text(about[key]))
    .find((each) => each !== undefined);
}

/** The system prompt beside a list of messages; '' where there is none. */
export function promptBeside({ holder, items, path }: Talk, root?: unknown): unknown {
  const { system, systemPrompt, system_prompt, instructions } = holder;
  const systemInstruction =
    holder.systemInstruction ?? (path.at(-1) === 'chunks' ? fields(root).systemInstruction : undefined);
  const isSaid = objects(items).some(({ role, from }) => plainWord(role ?? from) === 'system');
  const prompt = system ?? systemPrompt ?? system_prompt ?? systemInstruction ?? instructions;
  return isSaid ? undefined : prompt;
}

/** The keys under which a request has the messages that its answer stands beside. */
const SENT = /^(?:input_?messages|messages|prompt|input|request|contents)$/i;

/** The last question of a request to Cohere's first chat API, which stands beside what was said before it. */
export function questionBeside({ holder, path }: Talk): Fields | undefined {
  return path.at(-1) === 'chat_history' && text(holder.message) !== undefined
    ? { role: 'user', content: holder.message }
    : undefined;
}

/** The answer beside the messages of a request; undefined where there is none, or where they end with it. */
export function answerBeside({ holder, path, items }: Talk): Fields | undefined {
  if (questionBeside({ holder, path, items: [] }) && text(holder.text) !== undefined)
    return { role: 'assistant', content: holder.text, usage: fields(fields(holder.meta).tokens) };
  if (!SENT.test(path.at(-1) ?? '')) return undefined;
  const given = holder.response ?? holder.output ?? holder.completion;
  const answer = typeof given === 'string' && given !== '' ? { content: given } : saidIn(given);
  const isSaid =
    typeof answer.content === 'string' ||
    Array.isArray(answer.content) ||
    objects(answer.tool_calls).length > 0;
  const sampled = list(holder.sampled).filter((each) => typeof each === 'string');
  if (sampled.length > 0) return { role: 'assistant', content: sampled.join('\n') };
  if (!isSaid || !isOfAssistant(answer) || wordsKey(items.at(-1)) === wordsKey(answer)) return undefined;
  const { timestamp, model } = holder;
  return {
    ...(timestamp !== undefined && { timestamp }),
    ...(model !== undefined && { model }),
    ...answer,
    role: 'assistant',
  };
}

/** What an answer says: itself, or the message in it. A list in it is found as one of messages. */
function saidIn(given: unknown): Fields {
  const { message, ...about } = fields(given);
  return isObject(message)
    ? { ...about, ...message }
    : { ...about, ...(message !== undefined && { message }) };
}

/** Whether nobody, or the assistant, is said to speak. */
function isOfAssistant(answer: Fields): boolean {
  if (answer.role === undefined) return answer.type === undefined;
  return speakerIn(answer)?.role === 'assistant';
}

/** The model that an object names for all answers in it; undefined where it names none, or several. */
export function modelBeside({ holder, path }: Talk, root: unknown): string | undefined {
  const about = fields(root);
  // The arena keeps two conversations in one object, each with a model of its own.
  const side = /_[ab]$/.exec(path.at(-1) ?? '')?.[0];
  if (side !== undefined) return text(holder[`model${side}`]);
  const { session, root: head, info, options, metadata, runSettings, preferences } = about;
  const { config } = fields(info);
  const holders = [holder, about, session, head, options, metadata, runSettings, preferences];
  const configured = [
    ...[fields(config).model, fields(config).agent].map((each) => fields(each).model_name),
    fields(fields(metadata).agent_config).active_model,
  ];
  return [...holders.map((each) => looseModel(fields(each))), ...configured.map((each) => text(each))].find(
    (each) => each !== undefined,
  );
}

/** A copy of a value without the lists of messages in it, by identity; undefined where nothing else stands in it. */
export function withoutTalks(value: unknown, talks: ReadonlySet<unknown>): unknown {
  if (talks.has(value)) return undefined;
  if (Array.isArray(value)) {
    const rest = value.map((each) => withoutTalks(each, talks)).filter((each) => each !== undefined);
    return rest.length === 0 && value.length > 0 ? undefined : rest;
  }
  if (!isObject(value)) return value;
  const isWhole = Object.values(value);
  if (
    isWhole.length > 0 &&
    [...talks].some(
      (talk) =>
        Array.isArray(talk) &&
        talk.length === isWhole.length &&
        isWhole.every((each, at) => each === list(talk)[at] && typeof each === 'object'),
    )
  )
    return undefined;
  const rest = Object.entries(value).flatMap(([key, each]) => {
    const left = withoutTalks(each, talks);
    return left === undefined ? [] : [[key, left] as const];
  });
  return rest.length === 0 && isWhole.length > 0 ? undefined : Object.fromEntries(rest);
}
