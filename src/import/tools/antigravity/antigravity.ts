import { endOfCode, endOfWord, ended } from '../../messages/callEnd.js';
import { isObject } from '../../../core/message.js';
import type { CallSite } from '../../../core/record.js';
import type { ConversationBuilder } from '../../building/conversationBuilder.js';
import { asText, fields, objects, parsed, text, time, type Fields } from '../../reading/fields.js';
import { chatMessage, toolCall, toolMessage } from '../../messages/chatMessage.js';
import { most, type TranscriptFormat } from '../../building/transcriptFormat.js';

/**
 * Sessions of Google's Antigravity: numbered steps, of which a person's, the planner's and those of tools are messages.
 * What a tool gave is the next step of the model that is not the planner's; steps name no calls.
 */
export const antigravity: TranscriptFormat = {
  name: 'antigravity',
  of: 'Antigravity',
  files: 'sessions as numbered steps (`.jsonl`)',
  carries: ['messages', 'calls', 'times', 'thinking'],
  detect: (head) => head.length > 0 && most(head, isStep),
  *readLines(lines, sink) {
    const builder = sink.conversation(undefined, 'Antigravity');
    const reader = new StepReader(builder, builder.entry);
    for (const value of sink.each(lines)) {
      reader.add(fields(value), value);
      yield;
    }
  },
};

function isStep(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value.step_index === 'number' &&
    typeof value.type === 'string' &&
    /^(?:USER_EXPLICIT|USER_IMPLICIT|USER|MODEL|SYSTEM)$/.test(asText(value.source))
  );
}

class StepReader {
  readonly #builder: ConversationBuilder;
  readonly #callSite: CallSite;
  /** The ids of calls that no step has answered yet. */
  #waiting: string[] = [];
  #calls = 0;

  constructor(builder: ConversationBuilder, callSite: CallSite) {
    this.#builder = builder;
    this.#callSite = callSite;
  }

  add(step: Fields, raw: unknown): void {
    const at = time(step.created_at);
    const said = text(step.content);
    const type = text(step.type) ?? 'unknown';
    const calls = objects(step.tool_calls);
    const thought = text(step.thinking);
    if (said === undefined && calls.length === 0 && thought === undefined)
      this.#builder.keep(this.#callSite, type, raw, at);
    else if (step.source === 'SYSTEM') this.#say({ role: 'system', content: said ?? '' }, at, raw);
    else if (step.source !== 'MODEL') this.#say({ role: 'user', content: said ?? '' }, at, raw);
    else if (type === 'PLANNER_RESPONSE') this.#plan(calls, said, thought, at, raw);
    else this.#answer(step, said ?? '', at, raw);
  }

  #say(message: Fields, time: number | undefined, raw: unknown): void {
    this.#builder.message(this.#callSite, message, { time, raw });
  }

  #plan(
    given: readonly Fields[],
    said: string | undefined,
    thought: string | undefined,
    at: number | undefined,
    raw: unknown,
  ) {
    this.#waiting = given.map(() => `call ${++this.#calls}`);
    const calls = given.map((call, index) =>
      toolCall(this.#waiting[index] ?? '', text(call.name) ?? '', argumentsOf(fields(call.args))),
    );
    this.#say(chatMessage('assistant', said ?? null, { reasoning: thought ?? '', calls }), at, raw);
  }

  /** A step of a tool: it answers the call that has waited longest; one that no call asked for has its own kind as name. */
  #answer(step: Fields, said: string, time: number | undefined, raw: unknown): void {
    const id = this.#waiting.shift();
    const toolName = id === undefined ? asText(step.type).toLowerCase() : undefined;
    const end = ended(endOfWord(step.status), endOfCode(fields(step.runCommand).exitCode));
    this.#builder.message(this.#callSite, toolMessage(id, said), { time, raw, ...end, toolName });
  }
}

/** Arguments of which each is JSON again. */
function argumentsOf(args: Fields): Fields {
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key, parsed(value)]));
}
