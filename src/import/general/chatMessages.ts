import { endIn, ended } from '../messages/callEnd.js';
import { isObject, textOf } from '../../core/message.js';
import { isProse } from '../../core/prose.js';
import type { ConversationBuilder } from '../building/conversationBuilder.js';
import type { SpeakerMark } from '../building/whoSpeaks.js';
import { firstValue } from '../reading/entries.js';
import {
  fields,
  list,
  number,
  objects,
  text,
  time,
  timeIn,
  without,
  type Fields,
} from '../reading/fields.js';
import type { Entry, ImportSink } from '../building/importSink.js';
import { callsOf } from '../messages/anyMessage.js';
import { blockOf } from '../messages/looseBlocks.js';
import { hasTaggedCalls, isLoose } from '../messages/looseMessage.js';
import { LooseReader } from '../messages/looseReader.js';
import { modelBeside } from '../messages/looseTalks.js';
import { looseModel, looseUsage } from '../messages/looseWords.js';
import { taggedResults } from '../messages/textCalls.js';
import { openAiUsage, usageOf } from '../messages/usage.js';
import { ReportedUsage } from '../messages/wholeUsage.js';
import {
  most,
  type StreamedFormat,
  type FormatReader,
  type SidecarEntries,
} from '../building/transcriptFormat.js';

/** The keys under which such files keep their messages: requests, SWE-agent, tau-bench, logs of agent teams. */
const LISTS = ['messages', 'history', 'traj', 'conversation', 'trajectory'] as const;

const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

/**
 * Chat-completions messages in any of the shapes they are stored in: a list, an object with a list, a list of such
 * objects, or one of these per line. The messages themselves are kept unchanged.
 */
export const chatMessages: StreamedFormat = {
  name: 'chat-messages',
  of: 'Chat completions',
  files:
    'requests, fine-tuning files, SWE-agent, tau-bench and tau2-bench, logs of agent teams; messages of Mistral Vibe with the `meta.json` beside them',
  carries: ['messages', 'calls', 'times', 'models', 'usage', 'cost', 'images', 'thinking'],
  isGeneral: true,
  detect: (head) =>
    !isForeign(head) &&
    (head.length === 1 ? isConversations(head[0]) || isMessage(head[0]) : most(head, isOneLine)),
  begin: (sink, sidecars) => new ChatReader(sink, sidecars),
};

class ChatReader implements FormatReader {
  readonly #sink: ImportSink;
  /** The conversation of the messages that stand on lines of their own. */
  #loose: { readonly builder: ConversationBuilder; readonly items: ItemReader } | undefined;

  /** What Mistral Vibe says of a session beside its messages; undefined for messages of anybody else. */
  readonly #about: Fields | undefined;

  constructor(sink: ImportSink, sidecars: readonly SidecarEntries[]) {
    this.#sink = sink;
    const about = sidecars.find(({ name }) => /(?:^|\/)meta\.json$/.test(name));
    const value = about && fields(firstValue(about.entries));
    this.#about = isObject(value?.environment) && text(value.session_id) !== undefined ? value : undefined;
    if (about && !this.#about) sink.leaveOut(about.name);
  }

  take({ value, line }: Entry): void {
    const sink = this.#sink;
    if (messagesIn(value)) readConversation(value, sink);
    else if (talksIn(value)) readTalks(value, sink);
    else {
      const { builder, items } = (this.#loose ??= this.#begun());
      if (isObject(value)) {
        items.add(value);
        if (!isMessage(value)) sink.problem('warning', 'This line is no message.', line);
      } else {
        builder.keep(builder.entry, 'unknown', value);
        sink.unknown('values that are no messages');
      }
    }
  }

  /** All that a session used stands beside its messages, which tell nothing of it. */
  end(): void {
    const { session_prompt_tokens, session_completion_tokens, session_cost } = fields(this.#about?.stats);
    const [input, output] = [number(session_prompt_tokens), number(session_completion_tokens)];
    if (!this.#loose || (input === undefined && output === undefined)) return;
    const { builder } = this.#loose;
    const used = usageOf({ input, output, cost: session_cost });
    builder.request(builder.entry, used, modelOf(this.#about), time(this.#about?.end_time));
  }

  #begun() {
    const about = this.#about;
    const builder = this.#sink.conversation(about?.session_id, about ? 'Vibe' : 'assistant');
    const items = new ItemReader(builder, modelOf(about));
    if (!about) return { builder, items };
    builder.title = text(about.title);
    builder.keep(builder.entry, 'session', without(about, 'system_prompt'), time(about.start_time));
    if (isObject(about.system_prompt)) items.add(about.system_prompt);
    return { builder, items };
  }
}

/** The model that Mistral Vibe was set to use. */
function modelOf(about: Fields | undefined): string | undefined {
  return text(fields(about?.config ?? about?.agent_config).active_model);
}

/**
 * Whether values have what messages of chat completions never have, so that another reader says more of them: parts of a
 * content without a type, or events beside the messages.
 */
function isForeign(head: readonly unknown[]): boolean {
  const items = head.flatMap((value) => {
    const talks = talksIn(value)?.flatMap((talk) => messagesIn(talk) ?? []);
    return messagesIn(value) ?? talks ?? (isMessage(value) ? [value] : []);
  });
  const parts = objects(items).flatMap(({ content }) =>
    isObject(content) && Array.isArray(content.parts) ? [content] : objects(content),
  );
  const isEvents =
    head.length > 1 && head.some((value) => !isMessage(value) && isLoose(value)?.isCertain === false);
  const isUi = objects(items).some(
    ({ parts: own, toolInvocations }) => list(own).length > 0 || list(toolInvocations).length > 0,
  );
  return (
    isUi ||
    isEvents ||
    objects(items).some(({ content }) => isInParts(content)) ||
    // Open Interpreter has messages of what a computer printed, and code as messages.
    objects([...items, ...head]).some(({ role }) => role === 'computer') ||
    parts.some(
      (part) =>
        isUntyped(part) ||
        (typeof part.type === 'string' && blockOf(part) !== undefined && !isChatPart(part)),
    )
  );
}

/** Whether a content holds its words a level deeper than chat completions have them. */
function isInParts(content: unknown): boolean {
  if (isObject(content)) return typeof content.text === 'string' || typeof content.content === 'string';
  return Array.isArray(content) && content.some((part) => Array.isArray(part));
}

/** Whether a part has a kind without saying it, as only other APIs have it. */
function isUntyped(part: Fields): boolean {
  return !('type' in part) && (blockOf(part) !== undefined || Array.isArray(part.parts));
}

/** Whether a part of a content is one of chat completions. */
function isChatPart({ type, text: said }: Fields): boolean {
  return type === 'text'
    ? !('value' in fields(said))
    : /^(?:image_url|input_audio|file|refusal)$/.test(String(type));
}

/** Reads a list of conversations; what a benchmark says of all its runs is kept with the first. */
function readTalks(value: unknown, sink: ImportSink): void {
  const about = isObject(value) ? without(value, 'simulations') : {};
  for (const [index, each] of (talksIn(value) ?? []).entries()) {
    readConversation(each, sink, index === 0 ? about : {});
  }
}

function isOneLine(value: unknown): boolean {
  return isMessage(value) || messagesIn(value) !== undefined || talksIn(value) !== undefined;
}

function isConversations(value: unknown): boolean {
  if (messagesIn(value)) return true;
  return talksIn(value) !== undefined;
}

/** The conversations in a value: a list of them, or the runs of a benchmark (tau2-bench's simulations). */
function talksIn(value: unknown): readonly unknown[] | undefined {
  const talks = Array.isArray(value) ? value : list(fields(value).simulations);
  return talks.length > 0 && most(talks, (each) => messagesIn(each) !== undefined) ? talks : undefined;
}

/** The messages of a conversation: the value itself, or the list that it contains. */
function messagesIn(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value.length > 0 && most(value, isMessage) ? value : undefined;
  if (!isObject(value)) return undefined;
  const key = listKey(value);
  return key === undefined ? undefined : list(value[key]);
}

function listKey(value: Fields): string | undefined {
  return LISTS.find((key) => {
    const messages = value[key];
    return Array.isArray(messages) && messages.length > 0 && most(messages, isSpoken);
  });
}

function isMessage(value: unknown): boolean {
  return isObject(value) && typeof value.role === 'string' && ROLES.has(value.role) && isSpoken(value);
}

/** Less strict than `isMessage`: logs of agent teams have the speaker's name in place of the role. */
function isSpoken(value: unknown): boolean {
  if (!isObject(value) || typeof value.role !== 'string') return false;
  return value.content !== undefined || value.tool_calls !== undefined;
}

function readConversation(value: unknown, sink: ImportSink, beside: Fields = {}): void {
  const about = fields(value);
  const key = listKey(about);
  const messages = messagesIn(value) ?? [];
  const metadata = fields(about.metadata);
  const id = about.id ?? about.conversation_id ?? about.session_id ?? metadata.session_id ?? metadata.id;
  const builder = sink.conversation(id, entryAgentOf(messages));
  builder.title = text(about.title) ?? text(metadata.title) ?? text(about.question);
  if (Object.keys(beside).length > 0) builder.keep(builder.entry, 'runs', beside);
  const { reward } = fields(about.reward_info);
  if (typeof reward === 'number') builder.facts.set('Reward', String(reward));
  const rest = Array.isArray(value) || key === undefined ? {} : without(about, key);
  const { beside: told, rest: kept } = besideMessages(rest, messages);
  for (const { kind, value: said } of told.before) builder.tell(builder.entry, kind, said);
  if (Object.keys(kept).length > 0) builder.keep(builder.entry, 'conversation', kept);
  const model = modelBeside({ items: [], path: [key ?? ''], holder: about }, about);
  const items = new ItemReader(builder, model);
  for (const item of messages) {
    if (isObject(item)) items.add(item);
    else {
      builder.keep(builder.entry, 'unknown', item);
      sink.unknown('values that are no messages');
    }
  }
  for (const { kind, value: said } of told.behind) builder.tell(builder.entry, kind, said);
  items.told.recordWhole(builder, builder.entry, about, model);
}

interface Told {
  readonly kind: string;
  readonly value: unknown;
}

/** What was written beside the messages: prompts of the agents before them, and behind them what only the steps of SWE-agent tell. */
function besideMessages(rest: Fields, messages: readonly unknown[]) {
  const before: Told[] = [];
  const behind: Told[] = [];
  let about = rest;
  for (const key of ['system_prompt', 'system_prompts', 'system', 'instructions']) {
    const prompts = rest[key];
    if (typeof prompts !== 'string' && !isObject(prompts)) continue;
    const named = isObject(prompts) ? Object.entries(prompts) : [];
    if (typeof prompts === 'string') before.push({ kind: 'system prompt', value: prompts });
    for (const [name, value] of named) before.push({ kind: `system prompt of ${name}`, value });
    about = without(about, key);
  }
  const said = new Set(objects(messages).map(({ content }) => textOf(content).trim()));
  const steps = objects(rest.trajectory);
  const seen = (words: string) => words === '' || [...said].some((text) => text.includes(words));
  for (const { observation } of steps) {
    const words = text(observation)?.trim() ?? '';
    if (!seen(words)) behind.push({ kind: 'observation', value: words });
  }
  for (const key of ['question', 'mistake_reason', 'ground_truth']) {
    const words = text(rest[key]) ?? '';
    if (!isProse(words) || seen(words.trim())) continue;
    behind.push({ kind: key, value: words });
    about = without(about, key);
  }
  return { beside: { before, behind }, rest: about };
}

/** Reads the messages of one conversation. */
class ItemReader {
  readonly told = new ReportedUsage();
  readonly #builder: ConversationBuilder;
  readonly #model: string | undefined;
  /** Whether the last answer says what it does besides, as those of SWE-agent: what comes in a person's name is what that gave. */
  #acts = false;
  /** Connects calls in other shapes, and those that a model wrote as tags into its words, with results that name none by an id. */
  #tagged: LooseReader | undefined;

  /** `model` gave the answers that name none. */
  constructor(builder: ConversationBuilder, model?: string) {
    this.#builder = builder;
    this.#model = model;
  }

  add(item: Fields): void {
    const builder = this.#builder;
    if (typeof item.role !== 'string') builder.keep(builder.entry, 'unknown', item);
    else if (isCallingInTags(item) || hasOtherCalls(item)) {
      this.#tagged ??= new LooseReader(builder, builder.entry, this.#model);
      this.#tagged.add(item);
    } else if (this.#tagged && isUnnamedResult(item)) this.#tagged.add({ ...item, role: 'tool' }, item);
    else if (isBundle(item)) for (const each of objects(item.tool_messages)) this.add(each);
    else this.#say(item, item.role);
  }

  #say(item: Fields, role: string): void {
    const message = chatMessage(item);
    const isAnswer = message.role === 'assistant';
    const marks = markOf(item, this.#acts);
    this.#acts = isAnswer ? isDeed(item) : this.#acts && role !== 'user';
    this.#builder.message(this.#builder.entry, message, {
      time: timeIn(item),
      model: isAnswer ? (looseModel(item) ?? this.#model) : text(item.model),
      usage: isAnswer ? this.told.add(openAiUsage(item.usage) ?? looseUsage(item)) : undefined,
      agent: message.role === role ? speakerOf(item) : role,
      marks,
      ...(role === 'tool' && ended(endIn(item))),
      raw: message === item ? undefined : item,
    });
  }
}

/** Whether an answer is one of SWE-agent, with what it does beside what it says; behind its example comes the task. */
function isDeed({ action, thought, is_demo }: Fields): boolean {
  return typeof action === 'string' && typeof thought === 'string' && is_demo !== true;
}

/** Whose words SWE-agent says that a message in a person's name holds: those of an example, or what an action gave. */
function markOf({ is_demo, message_type }: Fields, isBehindAction: boolean): SpeakerMark | undefined {
  if (is_demo === true || message_type === 'demonstration') return { kind: 'instructions' };
  // Newer versions call the task an observation as well.
  return isBehindAction ? { kind: 'output' } : undefined;
}

/** Whether an answer has its calls as tags in its words, as Hermes' and Qwen's templates have them. */
function isCallingInTags({ role, content, tool_calls }: Fields): boolean {
  const isPlain = role === 'assistant' && typeof content === 'string' && list(tool_calls).length === 0;
  return isPlain && hasTaggedCalls(content);
}

/** The keys under which calls have what they gave, where no message of a tool tells it. */
const GIVEN = ['output', 'result', 'response', 'observation', 'tool_output', 'error'] as const;

/** Whether an answer has calls in a shape of its own: named by another word, or with their results in them. */
function hasOtherCalls({ role, tool_calls }: Fields): boolean {
  return (
    role === 'assistant' &&
    objects(tool_calls).some((call) => {
      const isNamed = isObject(call.function) || typeof (call.name ?? call.function) === 'string';
      return !isNamed || GIVEN.some((key) => call[key] !== undefined && call[key] !== null);
    })
  );
}

/** Whether a message holds the results of several calls, and says nothing itself, as in tau2-bench. */
function isBundle({ role, content, tool_messages: results }: Fields): boolean {
  return role === 'tool' && content === undefined && objects(results).length > 0;
}

/** Whether a message answers a call without naming it: a tool's, or one of results in tags that is given as a person's. */
function isUnnamedResult({ role, content, tool_call_id, id }: Fields): boolean {
  if (role === 'tool' || role === 'function') return tool_call_id === undefined && id === undefined;
  return role === 'user' && typeof content === 'string' && taggedResults(content).length > 0;
}

/**
 * A message in the shape of chat completions; most are in it already. Elsewhere calls are flat, results name the call by
 * their own id, and users who call tools are agents of their own: only an assistant's calls have results.
 */
function chatMessage(item: Fields): Fields {
  const calls = objects(item.tool_calls);
  const isFlat = calls.some((call) => !isObject(call.function) && typeof call.name === 'string');
  const isCalling = item.role === 'user' && calls.length > 0;
  const isNamed = item.role === 'tool' && item.tool_call_id === undefined && typeof item.id === 'string';
  if (!isFlat && !isCalling && !isNamed) return item;
  return {
    ...item,
    ...(isFlat && callsOf(calls)),
    ...(isCalling && { role: 'assistant' }),
    ...(isNamed && { tool_call_id: item.id }),
  };
}

/** The roles of those who ask an agent, or tell it what it is and what its tools have said. */
const OTHERS: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'human', 'tool', 'function']);

/** The agent that is asked first: whoever answers first under a name; an assistant where nobody has one. */
function entryAgentOf(messages: readonly unknown[]): string {
  const first = objects(messages).find(({ role }) => typeof role === 'string' && !OTHERS.has(role));
  return (first && speakerOf(first)) ?? 'assistant';
}

/** The speaker of a message: its name, its agent, or a role that is a speaker, like `Orchestrator (thought)`. */
function speakerOf({ role, name, agent }: Fields): string | undefined {
  if (typeof role === 'string' && !ROLES.has(role) && role !== 'human') return role.replace(/ \(.*\)$/, '');
  if (role === 'tool' || role === 'function') return text(agent);
  return text(name) ?? text(agent);
}
