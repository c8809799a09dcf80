import { isObject } from '../../../core/message.js';
import { ringsIn, type ConversationBuilder } from '../../building/conversationBuilder.js';
import type { ImportSink } from '../../building/importSink.js';
import { asText, fields, list, objects, text, time, without, type Fields } from '../../reading/fields.js';
import { contentOf } from '../../messages/anthropicBlocks.js';
import { chatMessage, toolCall, toolMessage } from '../../messages/chatMessage.js';
import { roleOf } from '../../messages/anyMessage.js';
import { most, type TranscriptFormat } from '../../building/transcriptFormat.js';

/**
 * ChatGPT's data export: conversations whose messages are a tree, because prompts can be edited and answers made anew.
 * The branch that was last shown is the conversation; what stands on others follows it as runs of its own.
 */
export const chatGpt: TranscriptFormat = {
  name: 'chatgpt',
  of: 'ChatGPT',
  files: "the export of one's data (`conversations.json`), one conversation of it",
  carries: ['messages', 'calls', 'times', 'models', 'thinking'],
  detect: (head) => head.length > 0 && most(head.flat(), isConversation),
  *readLines(lines, sink) {
    for (const value of sink.each(lines)) {
      for (const talk of [value].flat()) readConversation(talk, sink);
      yield;
    }
  },
};

/** A message of the tree and what is said of its place there. */
interface Node {
  readonly id: string;
  readonly about: Fields;
  readonly message: Fields | undefined;
}

function isConversation(value: unknown): boolean {
  const nodes = Object.values(fields(fields(value).mapping));
  return nodes.length > 0 && most(nodes, (node) => isObject(node) && 'message' in node && 'children' in node);
}

function readConversation(value: unknown, sink: ImportSink): void {
  const about = fields(value);
  const builder = sink.conversation(about.conversation_id ?? about.id, 'ChatGPT');
  builder.title = text(about.title);
  const rest = isConversation(value) ? without(about, 'mapping') : value;
  builder.keep(builder.entry, 'conversation', rest, time(about.create_time));
  const nodes = new Map(
    Object.entries(fields(about.mapping)).map(([id, node]): [string, Node] => {
      const { message } = fields(node);
      return [id, { id, about: fields(node), message: isObject(message) ? message : undefined }];
    }),
  );
  builder.rings += ringsIn(new Map(Array.from(nodes, ([id, { about }]) => [id, asText(about.parent)])));
  const said = new Set<string>();
  for (const [index, leaf] of leavesOf(nodes, asText(about.current_node)).entries()) {
    const branch = branchTo(leaf, nodes).filter(({ id }) => !said.has(id));
    for (const { id } of branch) said.add(id);
    const callSite =
      index === 0 || branch.every(({ message }) => !message) ? builder.entry : builder.run('ChatGPT');
    new Branch(builder, callSite).read(branch);
  }
}

/** The ends of all branches, the one that was shown first. */
function leavesOf(nodes: ReadonlyMap<string, Node>, current: string): string[] {
  const parents = new Set([...nodes.values()].map(({ about }) => about.parent));
  const leaves = [...nodes.keys()].filter((id) => !parents.has(id));
  // Where parents are in a circle, everything is some branch's.
  const all = [...(nodes.has(current) ? [current] : []), ...leaves, ...nodes.keys()];
  return [...new Set(all)];
}

function branchTo(leaf: string, nodes: ReadonlyMap<string, Node>): Node[] {
  const branch: Node[] = [];
  const seen = new Set<string>();
  for (let node = nodes.get(leaf); node && !seen.has(node.id); node = nodes.get(asText(node.about.parent))) {
    seen.add(node.id);
    branch.push(node);
  }
  return branch.reverse();
}

/** Reads one branch; calls have no ids, so a result answers the call before it. */
class Branch {
  readonly #builder: ConversationBuilder;
  readonly #callSite: ConversationBuilder['entry'];
  #reasoning: { readonly text: string; readonly raw: unknown }[] = [];
  #call: string | undefined;

  constructor(builder: ConversationBuilder, callSite: ConversationBuilder['entry']) {
    this.#builder = builder;
    this.#callSite = callSite;
  }

  read(branch: readonly Node[]): void {
    for (const { id, about, message } of branch) {
      if (message) this.#add(id, about, message);
      else if (Object.keys(about).length > 0) this.#builder.keep(this.#callSite, 'node', about);
    }
    for (const { raw } of this.#reasoning.splice(0)) this.#builder.keep(this.#callSite, 'thoughts', raw);
  }

  #add(id: string, about: Fields, message: Fields): void {
    const role = roleOf(fields(message.author).role);
    const when = time(message.create_time);
    const content = fields(message.content);
    const thought = role === 'assistant' ? reasoningIn(content) : '';
    const model = text(fields(message.metadata).model_slug);
    const words = contentIn(content);
    if (thought !== '') {
      this.#reasoning.push({ text: thought, raw: about });
    } else if (words === null) this.#builder.keep(this.#callSite, role, about, when);
    else if (role === 'tool') {
      const result = { ...toolMessage(this.#call ?? id, words), name: fields(message.author).name };
      this.#builder.message(this.#callSite, result, { time: when, raw: about });
    } else this.#say(role, words, { id, about, message, when, model });
  }

  #say(
    role: string,
    words: unknown,
    said: { id: string; about: Fields; message: Fields; when: number | undefined; model: string | undefined },
  ): void {
    const { id, about, message, when, model } = said;
    const recipient = text(message.recipient) ?? 'all';
    const isCall = role === 'assistant' && recipient !== 'all';
    const thoughts = role === 'assistant' ? this.#reasoning.splice(0) : [];
    const reasoning = thoughts.map((each) => each.text).join('\n');
    const calls = isCall ? [toolCall(id, recipient, inputIn(words))] : [];
    const draft = this.#builder.message(
      this.#callSite,
      chatMessage(role, isCall ? null : words, { reasoning, calls }),
      {
        time: when,
        model: role === 'assistant' ? model : undefined,
        raw: about,
      },
    );
    for (const { raw } of thoughts) draft.raws.push(raw);
    this.#call = isCall ? id : undefined;
  }
}

/** What a tool is told: JSON as it is, anything else as its only argument. */
function inputIn(words: unknown): unknown {
  const said = asText(words);
  return /^\s*\{/.test(said) ? said : { input: said };
}

/** What a content says of the model's reasoning; '' where it is no reasoning. */
function reasoningIn(content: Fields): string {
  if (content.content_type === 'reasoning_recap') return asText(content.content);
  const thoughts = objects(content.thoughts).map(({ summary, content: said }) =>
    [text(summary), text(said)].filter((part) => part !== undefined).join('\n'),
  );
  return content.content_type === 'thoughts' ? thoughts.join('\n') : '';
}

/** The words of a content, its parts where it has pictures or files; null where it says nothing. */
function contentIn(content: Fields): unknown {
  const whole = text(content.text) ?? text(content.result) ?? text(content.user_instructions);
  if (whole !== undefined) return whole;
  const parts = list(content.parts).flatMap((part): Fields[] => {
    if (typeof part === 'string') return part === '' ? [] : [{ type: 'text', text: part }];
    const { text: said, ...rest } = fields(part);
    return typeof said === 'string' && Object.keys(rest).length <= 1
      ? [{ type: 'text', text: said }]
      : [typed(fields(part))];
  });
  return contentOf(parts);
}

function typed(part: Fields): Fields {
  return { type: text(part.content_type) ?? 'part', ...part };
}
