import { isObject } from '../../../core/message.js';
import type { ConversationBuilder } from '../../building/conversationBuilder.js';
import { parsedValues } from '../../reading/entries.js';
import type { ImportSink } from '../../building/importSink.js';
import { asText, fields, list, number, objects, text, without, type Fields } from '../../reading/fields.js';
import { LooseReader } from '../../messages/looseReader.js';
import { isTalk } from '../../messages/looseTalks.js';
import { most, type TranscriptFormat } from '../../building/transcriptFormat.js';

/**
 * Results of the Berkeley Function-Calling Leaderboard: what a model answered to each case, with the log of its turns where
 * there is one, and what of it the checker refused.
 */
export const bfcl: TranscriptFormat = {
  name: 'bfcl',
  of: 'Berkeley Function-Calling Leaderboard',
  files: '`BFCL_v*_result.json` and `BFCL_v*_score.json`: a case a line',
  carries: ['messages', 'calls', 'usage', 'thinking'],
  detect: (head) => most(head, (value) => isResult(value) || isScore(value)),
  readLines(lines, sink) {
    let others: unknown[] = [];
    // What a score says of all cases stands before the first.
    for (const value of parsedValues(lines)) if (!isCase(value)) others.push(value);
    for (const value of sink.each(lines)) {
      if (!isCase(value)) continue;
      readCase(fields(value), others, sink);
      others = [];
    }
  },
};

function isCase(value: unknown): boolean {
  return isResult(value) || isScore(value);
}

function isResult(value: unknown): boolean {
  const { id, result, input_token_count, output_token_count, inference_log } = fields(value);
  const isCounted = input_token_count !== undefined && output_token_count !== undefined;
  return typeof id === 'string' && result !== undefined && (isCounted || inference_log !== undefined);
}

function isScore(value: unknown): boolean {
  const { id, valid, model_result_raw, model_result_decoded, model_result } = fields(value);
  const answered = model_result_raw ?? model_result_decoded ?? model_result;
  return typeof id === 'string' && typeof valid === 'boolean' && answered !== undefined;
}

function readCase(about: Fields, others: readonly unknown[], sink: ImportSink): void {
  const builder = sink.conversation(about.id, text(about.model_name) ?? 'assistant');
  for (const other of others) builder.keep(builder.entry, 'all cases', other);
  const before = builder.length;
  const reader = new LooseReader(builder, builder.entry, text(about.model_name));
  const { valid } = about;
  if (typeof valid === 'boolean') builder.facts.set('Valid', valid ? 'yes' : 'no');
  for (const message of questionsIn(about)) reader.add(message);
  const turns = objects(about.inference_log).filter((each) => stepsOf(each).length > 0);
  if (turns.length > 0) readLog(about, builder, reader);
  else for (const answer of answersIn(about)) reader.add(answer, null);
  const rest = turns.length > 0 ? without(about, 'inference_log') : about;
  builder.keepRest(builder.entry, 'case', rest, { beside: builder.since(before) });
}

/** What was asked, which only scores say: the messages of each turn. */
function questionsIn({ prompt }: Fields): readonly unknown[] {
  const { question } = fields(prompt);
  return list(question).flatMap((turn) => (Array.isArray(turn) ? (turn as readonly unknown[]) : [turn]));
}

/** The answers of a case without a log: one, or one a turn and step, each with its tokens. */
function answersIn(about: Fields): readonly Fields[] {
  const { result, model_result_raw, model_result, model_result_decoded } = about;
  const whole = result ?? model_result_raw ?? model_result ?? model_result_decoded;
  const isTurns = Array.isArray(whole) && whole.length > 0 && whole.every((each) => Array.isArray(each));
  if (!isTurns) return [answer(about, whole, [])];
  return whole.flatMap((turn, at) => list(turn).map((step, index) => answer(about, step, [at, index])));
}

/** One answer, with what the case says of the step at a place in its turns. */
function answer(about: Fields, said: unknown, at: readonly number[]): Fields {
  const thought = text(atPlace(about.reasoning_content, at));
  return {
    role: 'assistant',
    ...contentOf(said),
    ...(thought !== undefined && { reasoning_content: thought }),
    usage: usageAt(about, at),
  };
}

/** Functions that were called are objects whose only key is the name, or texts as Python writes them. */
function contentOf(said: unknown): Fields {
  const calls = list(said).flatMap((each) => {
    const [entry, ...more] = isObject(each) ? Object.entries(each) : [];
    return entry && more.length === 0 ? [{ name: entry[0], arguments: entry[1] }] : [];
  });
  if (calls.length > 0 && calls.length === list(said).length) return { content: null, tool_calls: calls };
  const written = list(said).every((each) => typeof each === 'string');
  if (Array.isArray(said) && written) return { content: `[${said.join(', ')}]` };
  return { content: asText(said) };
}

function usageAt(about: Fields, at: readonly number[]): Fields | undefined {
  const input_tokens = number(atPlace(about.input_token_count, at));
  const output_tokens = number(atPlace(about.output_token_count, at));
  return input_tokens === undefined && output_tokens === undefined
    ? undefined
    : { input_tokens, output_tokens };
}

/** What a list of turns has at a place; a case of one answer has no list. */
function atPlace(value: unknown, at: readonly number[]): unknown {
  return at.reduce<unknown>((inner, index) => list(inner)[index], value);
}

/** Reads the log: what was asked at each turn, and what was said and answered at its steps. */
function readLog(about: Fields, builder: ConversationBuilder, reader: LooseReader): void {
  let turn = -1;
  for (const each of list(about.inference_log)) {
    const steps = stepsOf(each);
    if (steps.length === 0) {
      builder.keep(builder.entry, text(fields(each).role) ?? 'log', each);
      continue;
    }
    turn++;
    for (const message of list(fields(each).begin_of_turn_query)) reader.add(message);
    for (const [step, items] of steps.entries())
      addStep(items, usageAt(about, [turn, step]), builder, reader);
    const other = Object.fromEntries(
      Object.entries(fields(each)).filter(([key]) => !/^(?:begin_of_turn_query|step_\d+)$/.test(key)),
    );
    if (Object.keys(other).length > 0) builder.keep(builder.entry, 'turn', other);
  }
}

/** Adds the messages of a step; what the handler notes is kept, and the first answer has the tokens of the step. */
function addStep(
  items: readonly unknown[],
  usage: Fields | undefined,
  builder: ConversationBuilder,
  reader: LooseReader,
): void {
  let left = usage;
  for (const item of items) {
    const { role } = fields(item);
    if (role === 'handler_log' || role === 'inference_input') builder.keep(builder.entry, role, item);
    else if (role === 'assistant' && left) {
      reader.add({ ...fields(item), ...answerOf(item), usage: left }, item);
      left = undefined;
    } else reader.add(role === 'assistant' ? { ...fields(item), ...answerOf(item) } : item, item);
  }
}

/** The content of an answer whose calls are objects in it. */
function answerOf(item: unknown): Fields {
  const { content } = fields(item);
  return typeof content === 'string' || content === null ? {} : contentOf(content);
}

/** The messages of each step of a turn; none where a part of the log is none. */
function stepsOf(turn: unknown): readonly (readonly unknown[])[] {
  const steps = Object.entries(fields(turn)).filter(([key]) => /^step_\d+$/.test(key));
  const items = steps.map(([, each]) => list(each));
  return items.some((each) => isTalk(each)) ? items : [];
}
