import { ended } from '../messages/callEnd.js';
import { isObject } from '../../core/message.js';
import { isProse, textsIn } from '../../core/prose.js';
import type { Draft, ConversationBuilder } from '../building/conversationBuilder.js';
import { foundIn } from '../reading/entries.js';
import { asText, fields, list, objects, text, timeIn, type Fields } from '../reading/fields.js';
import { chatMessage, toolCall, toolMessage } from '../messages/chatMessage.js';
import { addFailure } from '../messages/failures.js';
import { LooseReader } from '../messages/looseReader.js';
import { plainWord } from '../reading/roleWords.js';
import { most, type TranscriptFormat } from '../building/transcriptFormat.js';

/**
 * What agents stream to the pages that show them: AG-UI's events and the stream of Vercel's AI SDK. Both say by events
 * that a text, a reasoning or the arguments of a call begin, go on and end, each by its id.
 */
export const uiStream: TranscriptFormat = {
  name: 'ui-stream',
  of: 'AG-UI, Vercel AI SDK',
  files: 'events as they are streamed to a page, as lines, as a list or as server-sent events',
  carries: ['messages', 'calls', 'times', 'thinking'],
  detect: (head) => {
    const events = head.flatMap((value) => eventsIn(value));
    return most(events, isEvent) && events.some(isPiece);
  },
  *readLines(lines, sink) {
    const thread = foundIn(lines, (value) =>
      objects(eventsIn(value))
        .map(({ threadId }) => text(threadId))
        .find((id) => id !== undefined),
    );
    const reader = new StreamReader(sink.conversation(thread, 'assistant'));
    for (const value of sink.each(lines)) {
      for (const event of eventsIn(value)) reader.add(event);
      yield;
    }
  },
};

function eventsIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const { events } = fields(value);
  return Array.isArray(events) ? list(events) : [value];
}

/** What an event says, whatever its SDK calls it. */
type Kind = 'text' | 'thought' | 'call' | 'input' | 'whole' | 'result' | 'refused' | 'messages' | 'mark';

const KINDS: Readonly<Record<Kind, readonly string[]>> = {
  text: ['textmessagestart', 'textmessagecontent', 'textmessagechunk', 'textstart', 'textdelta'],
  thought: [
    'reasoningstart',
    'reasoningdelta',
    'thinkingtextmessagestart',
    'thinkingtextmessagecontent',
    'reasoningmessagestart',
    'reasoningmessagecontent',
    'reasoningmessagechunk',
  ],
  call: ['toolcallstart', 'toolinputstart'],
  input: ['toolcallargs', 'toolcallchunk', 'toolinputdelta'],
  whole: ['toolinputavailable'],
  result: ['toolcallresult', 'tooloutputavailable'],
  refused: ['tooloutputerror', 'tooloutputdenied', 'toolinputerror'],
  messages: ['messagessnapshot'],
  mark: [
    'textmessageend',
    'textend',
    'toolcallend',
    'runstarted',
    'runfinished',
    'runerror',
    'stepstarted',
    'stepfinished',
    'statesnapshot',
    'statedelta',
    'start',
    'startstep',
    'finishstep',
    'finish',
    'raw',

    'reasoningend',
    'thinkingstart',
    'thinkingend',
    'thinkingtextmessageend',
    'reasoningmessageend',
    'custom',

    'activitysnapshot',
    'activitydelta',
    'messagemetadata',
    'abort',
    'sourceurl',
    'sourcedocument',
    'file',
  ],
};

const KIND_OF = new Map(
  Object.entries(KINDS).flatMap(([kind, words]) => words.map((word) => [word, kind as Kind] as const)),
);

function kindOf(event: unknown): Kind | undefined {
  return KIND_OF.get(plainWord(fields(event).type));
}

function isEvent(value: unknown): boolean {
  return isObject(value) && (kindOf(value) !== undefined || asText(value.type).startsWith('data-'));
}

/** Whether an event has an id by which others continue it, as no other streams have them. */
function isPiece(value: unknown): boolean {
  const { id, messageId, toolCallId } = fields(value);
  const kind = kindOf(value);
  const isSaid = kind !== undefined && kind !== 'mark' && kind !== 'messages';
  return isSaid && [id, messageId, toolCallId].some((each) => typeof each === 'string');
}

/** The events by which a program or an agent says something beside its answers. */
const SAYS = /^(?:custom|activity|state(?:snapshot|delta)$|run(?:started|finished)$|data)/;

class StreamReader {
  readonly #builder: ConversationBuilder;
  /** The messages that pieces continue, by the ids of their texts and calls. */
  readonly #open = new Map<string, Draft>();
  /** The answer that is being written. */
  #current: Draft | undefined;
  readonly #inputs = new Map<string, string>();
  #isSaid = false;
  /** The ids of the messages that runs were given, and what programs have said beside. */
  readonly #read = new Set<string>();
  readonly #told = new Set<string>();

  constructor(builder: ConversationBuilder) {
    this.#builder = builder;
  }

  add(event: unknown): void {
    const about = fields(event);
    const kind = kindOf(event) ?? 'mark';
    if (kind === 'text') this.#write('content', about);
    else if (kind === 'thought') this.#write('reasoning_content', about);
    else if (kind === 'call' || kind === 'input' || kind === 'whole') this.#call(about, kind);
    else if (kind === 'result' || kind === 'refused') this.#answer(about, kind);
    else if (kind === 'messages' && !this.#isSaid) this.#history(about);
    else this.#mark(plainWord(about.type), about);
  }

  /** What is no piece of an answer: what a run was given and how it ended, and what a program says beside it. */
  #mark(word: string, event: Fields): void {
    const { entry } = this.#builder;
    if (word === 'startstep' || word === 'runstarted') this.#current = undefined;
    const from = this.#builder.length;
    if (word === 'runstarted') this.#given(fields(event.input));
    if (word === 'runerror' || word === 'error') {
      const error = { ...event, message: event.message ?? event.errorText };
      addFailure(this.#builder, entry, { kind: 'error', error, time: timeIn(event), raw: event });
      return;
    }
    const kind = text(event.type) ?? 'unknown';
    // A state is told whole each time; its words are shown when they are new.
    const words = SAYS.test(word) ? textsIn(event).filter(isProse) : [];
    const isNew = words.some((said) => !this.#told.has(said));
    for (const said of words) this.#told.add(said);
    const draft = this.#builder.keepRest(entry, kind, event, {
      time: timeIn(event),
      beside: this.#builder.since(from),
    });
    if (isNew) draft.body.shown = true;
  }

  /** The messages that a run was given, of which those of the runs before are known. */
  #given(input: Fields): void {
    const reader = new LooseReader(this.#builder, this.#builder.entry);
    for (const message of objects(input.messages)) {
      const key = text(message.id) ?? JSON.stringify(message);
      if (this.#open.has(key) || this.#read.has(key)) continue;
      this.#read.add(key);
      this.#isSaid = true;
      reader.add(message);
    }
  }

  /** A snapshot of all messages, which says something new only where no event said them. */
  #history(event: Fields): void {
    this.#isSaid = true;
    const reader = new LooseReader(this.#builder, this.#builder.entry);
    for (const message of list(event.messages)) reader.add(message);
    this.#builder.keepRest(this.#builder.entry, 'MESSAGES_SNAPSHOT', event, {
      beside: this.#builder.since(0),
    });
  }

  #write(key: 'content' | 'reasoning_content', event: Fields): void {
    const id = asText(event.messageId ?? event.id);
    const role = event.role === 'user' || event.role === 'system' ? event.role : 'assistant';
    const draft = this.#open.get(id) ?? this.#answerWith(key, role, event);
    this.#open.set(id, draft);
    const said = draft.body.message as Record<string, unknown>;
    const words = `${asText(said[key])}${asText(event.delta)}`;
    if (words !== '') said[key] = words;
    draft.raws.push(event);
  }

  #answerWith(key: string, role: string, event: Fields): Draft {
    const open = this.#current;
    const said = open && (open.body.message as Record<string, unknown>);
    // Words after calls, and words of others, are a message of their own.
    const isOpen = said !== undefined && role === 'assistant' && list(said.tool_calls).length === 0;
    if (open && isOpen && (key !== 'content' || said.content === null)) return open;
    return this.#begin(role, event);
  }

  #begin(role: string, event: Fields): Draft {
    this.#isSaid = true;
    const message = chatMessage(role, null, {});
    const draft = this.#builder.message(this.#builder.entry, message, { time: timeIn(event) });
    this.#current = role === 'assistant' ? draft : undefined;
    return draft;
  }

  #call(event: Fields, kind: 'call' | 'input' | 'whole'): void {
    const id = asText(event.toolCallId);
    const draft = this.#open.get(id) ?? this.#current ?? this.#begin('assistant', event);
    this.#open.set(id, draft);
    this.#inputs.set(id, `${this.#inputs.get(id) ?? ''}${asText(event.delta ?? event.inputTextDelta)}`);
    const said = draft.body.message as Record<string, unknown>;
    const calls = objects(said.tool_calls);
    const known = calls.find((call) => call.id === id);
    const name = text(event.toolCallName) ?? text(event.toolName) ?? asText(fields(known?.function).name);
    const input = kind === 'whole' ? event.input : this.#inputs.get(id);
    const call = toolCall(id, name, input);
    said.tool_calls = known ? calls.map((each) => (each === known ? call : each)) : [...calls, call];
    draft.raws.push(event);
  }

  #answer(event: Fields, kind: 'result' | 'refused'): void {
    this.#current = undefined;
    const message = toolMessage(
      asText(event.toolCallId),
      asText(event.content ?? event.output ?? event.errorText),
    );
    const isDenied = /denied$/i.test(asText(event.type));
    const end = ended(isDenied ? 'denied' : kind === 'refused' ? 'failed' : undefined);
    this.#builder.message(this.#builder.entry, message, { time: timeIn(event), raw: event, ...end });
  }
}
