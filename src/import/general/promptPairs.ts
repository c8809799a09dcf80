import { isObject } from '../../core/message.js';
import type { ConversationBuilder, Draft } from '../building/conversationBuilder.js';
import { everyValue, parsedValues, type Entries } from '../reading/entries.js';
import type { ImportSink } from '../building/importSink.js';
import { fields, list, objects, parsed, without, type Fields } from '../reading/fields.js';
import { LooseReader } from '../messages/looseReader.js';
import { idIn, isTalk, sessionOf, titleIn } from '../messages/looseTalks.js';
import { callsBeside, looseModel, looseTime } from '../messages/looseWords.js';
import { pairIn, titleTold } from './pairs.js';
import { most, type TranscriptFormat } from '../building/transcriptFormat.js';

/** The keys under which a conversation or an evaluation has its questions and answers. */
const LISTS = [
  'history',
  'exchanges',
  'turns',
  'data',
  'results',
  'interactions',
  'chats',
  'conversation',
  'messages',
  'rows',
  'testRunData',
  'testCases',
  'test_cases',
  'examples',
  'samples',
] as const;

/**
 * Questions with their answers, each two in one object: data sets, exports of chat programs, results of evaluations. In a
 * list of their own they are conversations of one question; within an object, or with one session, they are one.
 */
export const promptPairs: TranscriptFormat = {
  name: 'prompt-pairs',
  of: 'Any tool',
  files: 'questions with their answers: data sets, Amazon Q, promptfoo, stages of a pipeline (Agentless)',
  isGeneral: true,
  carries: ['messages', 'calls', 'times', 'models', 'usage'],
  detect: (head) =>
    head.length > 0 &&
    (most(head, isPair) ||
      head.every((value) => listIn(value) !== undefined) ||
      most(head, (value) => stagesIn(value).length > 0)),
  readLines(lines, sink) {
    const isStaged = !mostlyPairs(lines) && everyValue(lines, (value) => listIn(value) === undefined);
    if (isStaged) for (const value of sink.each(lines)) readStages(value, sink);
    else if (everyValue(lines, (value) => listIn(value) === undefined || isPair(value)))
      readRows(sink.each(lines), sink);
    else for (const value of sink.each(lines)) readWhole(value, sink);
  },
};

/** Whether more than half of the values of a file are pairs. */
function mostlyPairs(lines: Entries): boolean {
  let [all, pairs] = [0, 0];
  for (const value of parsedValues(lines)) {
    all++;
    if (isPair(value)) pairs++;
  }
  return pairs * 2 > all;
}

function isPair(value: unknown): boolean {
  return pairIn(value) !== undefined;
}

/** The list of pairs in a value, with the keys on the way to it. */
function listIn(
  value: unknown,
  depth = 0,
): { readonly items: readonly unknown[]; readonly holder: Fields } | undefined {
  if (Array.isArray(value))
    return value.length > 0 && most(value, isPair) ? { items: value, holder: {} } : undefined;
  if (!isObject(value) || depth > 2) return undefined;
  for (const key of LISTS) {
    const inner = value[key];
    const found = listIn(inner, depth + 1);
    if (found) return Array.isArray(inner) ? { items: found.items, holder: value } : found;
  }
  return undefined;
}

/** A request to a model that is a stage of a pipeline, as the pipeline's log has it under the stage's name. */
interface Stage {
  readonly name: string;
  /** The answers: one, or as many as were drawn for the same prompt. */
  readonly answers: readonly string[];
  readonly asked: unknown;
  readonly usage: unknown;
  readonly raw: Fields;
}

/** The stages that an object has under its keys, in their order; each is a request of its own. */
function stagesIn(value: unknown): readonly Stage[] {
  return Object.entries(fields(value)).flatMap(([name, each]) => {
    let asked: unknown;
    return (Array.isArray(each) ? objects(each) : [fields(each)]).flatMap((raw): Stage[] => {
      const answers = (Array.isArray(raw.response) ? raw.response : [raw.response]).filter(isSaid);
      asked = raw.prompt ?? asked;
      const isAsked = isSaid(asked) || isTalk(list(asked));
      if (!isAsked || answers.length === 0 || !isObject(raw.usage)) return [];
      return [{ name, answers, asked: raw.prompt, usage: raw.usage, raw }];
    });
  });
}

function isSaid(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** Reads a log of stages: each is a run, those that repeat a prompt are further answers to it. */
function readStages(value: unknown, sink: ImportSink): void {
  const builder = sink.conversation(idIn(value), 'assistant');
  const stages = stagesIn(value);
  const before = builder.length;
  for (const [at, { answers, asked, usage, raw }] of stages.entries()) {
    const callSite = at === 0 || asked === undefined ? builder.entry : builder.run(builder.entry.agent);
    const reader = new LooseReader(builder, callSite, looseModel(fields(value)));
    const prompt = isSaid(asked) ? [{ role: 'user', content: asked }] : list(asked);
    for (const message of prompt) reader.add(message, null);
    for (const [index, content] of answers.entries())
      reader.add({ role: 'assistant', content, ...(index === 0 && { usage }) }, raw);
  }
  builder.keepRest(builder.entry, 'stages', value, { beside: builder.since(before) });
}

/** Reads rows: those of one session are a conversation, all others are conversations of their own. */
function readRows(rows: Iterable<unknown>, sink: ImportSink): void {
  const sessions = new Map<string, ConversationBuilder>();
  let last: ConversationBuilder | undefined;
  for (const row of rows) {
    if (!isPair(row) && last) {
      last.keep(last.entry, 'unknown', row);
      continue;
    }
    const session = sessionOf(row);
    const known = session === undefined ? undefined : sessions.get(session);
    const builder = known ?? sink.conversation(session ?? idIn(row), 'assistant');
    if (session !== undefined) sessions.set(session, builder);
    readPair(row, builder);
    sink.counted(titleTold(row));
    last = builder;
  }
}

/** Reads a conversation, or the results of an evaluation, each of which is a run. */
function readWhole(value: unknown, sink: ImportSink): void {
  const found = listIn(value);
  if (!found || Array.isArray(value)) {
    readRows(list(value), sink);
    return;
  }
  const builder = sink.conversation(idIn(value), 'assistant');
  builder.title = titleIn(value);
  const rest = withoutList(value, found.items);
  builder.keep(builder.entry, 'conversation', rest);
  for (const item of found.items) readPair(item, builder);
}

function withoutList(value: unknown, items: readonly unknown[]): unknown {
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, each]) => each !== items);
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutList(each, items)]));
}

/** What was asked: the messages that a prompt is as JSON, else the prompt. */
function askedIn(asked: Fields): readonly Fields[] {
  const inside = parsed(asked.content);
  return Array.isArray(inside) && inside.length > 0 && isTalk(inside) ? objects(inside) : [asked];
}

function readPair(row: unknown, builder: ConversationBuilder): void {
  const pair = pairIn(row);
  const before = builder.length;
  if (pair) {
    const reader = new LooseReader(builder, builder.entry);
    const { system, ...asked } = pair.asked;
    if (typeof system === 'string') builder.message(builder.entry, { role: 'system', content: system });
    const about = fields(row);
    const when = { ...(looseTime(about) !== undefined && { timestamp: looseTime(about) }) };
    for (const message of askedIn(asked)) reader.add({ ...when, ...message });
    const calls = callsBeside(about);
    reader.add({
      ...when,
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(looseModel(about) !== undefined && { model: looseModel(about) }),
      ...pair.answered,
    });
  }
  const beside: readonly Draft[] = builder.since(before);
  builder.keepRest(builder.entry, pair ? 'pair' : 'unknown', pair ? row : without(fields(row)), { beside });
}
