import { isObject } from '../../core/message.js';
import type { ConversationBuilder } from '../building/conversationBuilder.js';
import { everyValue } from '../reading/entries.js';
import type { ImportSink } from '../building/importSink.js';
import { asText, fields, list, objects, text, without, type Fields } from '../reading/fields.js';
import { chatMessage, toolMessage } from '../messages/chatMessage.js';
import { idIn, titleIn } from '../messages/looseTalks.js';
import { looseModel, looseTime, looseUsage } from '../messages/looseWords.js';
import { isStep, stepParts } from './stepParts.js';
import { most, type TranscriptFormat } from '../building/transcriptFormat.js';

/** The keys under which a run has its steps. */
const LISTS = [
  'steps',
  'trajectory',
  'history',
  'traj',
  'actions',
  'trace',
  'log',
  'memory',
  'step_history',
] as const;

/** The keys under which a run says what was to be done, and how it ended. */
const TASKS = [
  'task',
  'goal',
  'instruction',
  'question',
  'problem',
  'prompt',
  'intent',
  'query',
  'input',
] as const;

/**
 * Runs as lists of steps, each with what an agent thought, what it did and what it observed: smolagents, browser-use and
 * other agents of browsers and computers, ReAct loops.
 */
export const agentSteps: TranscriptFormat = {
  name: 'agent-steps',
  of: 'smolagents, browser-use, ReAct',
  files: 'runs as lists of steps: what was thought, done and observed',
  isGeneral: true,
  carries: ['messages', 'calls', 'times', 'models', 'usage', 'thinking'],
  detect: (head) =>
    head.length > 0 &&
    (most(head, isStep) || head.every((value) => stepsIn(value) !== undefined) || isSteps(head)),
  readLines(lines, sink) {
    if (everyValue(lines, (value) => stepsIn(value) !== undefined)) {
      for (const value of sink.each(lines)) readRun(value, sink);
      return;
    }
    const steps = new Steps(sink.conversation(undefined, 'agent'));
    for (const value of sink.each(lines)) steps.add(value);
  },
};

/** Whether values are steps with what stands before and after them, such as the task and the answer. */
function isSteps(values: readonly unknown[]): boolean {
  const steps = values.filter((value) => isStep(value)).length;
  return steps > 0 && steps * 4 >= values.length && values.every((value) => isObject(value));
}

/** The steps of a run: the value itself, or a list in it. */
function stepsIn(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value.length > 0 && isSteps(value) ? value : undefined;
  const key = listKey(fields(value));
  return key === undefined ? undefined : list(fields(value)[key]);
}

function listKey(value: Fields): string | undefined {
  return LISTS.find((key) => {
    const steps = value[key];
    return Array.isArray(steps) && steps.length > 0 && most(steps, isStep);
  });
}

function readRun(run: unknown, sink: ImportSink): void {
  const about = fields(run);
  const builder = sink.conversation(idIn(about), 'agent');
  builder.title = titleIn(about);
  const key = listKey(about);
  if (key !== undefined) {
    const task = TASKS.map((each) => text(about[each])).find((each) => each !== undefined);
    builder.keep(builder.entry, 'run', without(about, key));
    if (task !== undefined) builder.message(builder.entry, { role: 'user', content: task });
  }
  const steps = new Steps(builder);
  for (const step of stepsIn(run) ?? list(run)) steps.add(step);
}

class Steps {
  readonly #builder: ConversationBuilder;
  #calls = 0;
  #hasPrompt = false;

  constructor(builder: ConversationBuilder) {
    this.#builder = builder;
  }

  add(step: unknown): void {
    const { entry } = this.#builder;
    const about = fields(step);
    const time = looseTime(about) ?? looseTime(fields(about.metadata)) ?? looseTime(fields(about.timing));
    if (!isStep(step)) {
      this.#addOther(about, step, time);
      return;
    }
    this.#addPrompt(about, step);
    const { words, thought, calls, result, isError } = stepParts(about);
    const named = calls.map((call) => ({
      ...call,
      id: asText(call.id) === '' ? `call ${++this.#calls}` : call.id,
    }));
    const spoken = chatMessage('assistant', words === '' ? null : words, {
      reasoning: thought === words ? '' : thought,
      calls: named,
    });
    const details = { time, model: looseModel(about), usage: looseUsage(about), raw: step };
    this.#builder.message(entry, spoken, details);
    const [first] = named;
    if (result === undefined || result === null || result === '') return;
    const message = first ? toolMessage(first.id, asText(result)) : { role: 'user', content: asText(result) };
    this.#builder.message(entry, message, { time, raw: step, isError: isError || undefined });
  }

  /** The task before the steps, the answer after them; anything else is kept. */
  #addOther(about: Fields, raw: unknown, time: number | undefined): void {
    const { entry } = this.#builder;
    const task = TASKS.map((each) => text(about[each])).find((each) => each !== undefined);
    const answer = text(about.output) ?? text(about.final_answer) ?? text(about.answer);
    if (task !== undefined) this.#builder.message(entry, { role: 'user', content: task }, { time, raw });
    else if (answer !== undefined)
      this.#builder.message(entry, { role: 'assistant', content: answer }, { time, raw });
    else this.#builder.keep(entry, text(about.type) ?? 'step', raw, time);
    this.#hasPrompt ||= task !== undefined;
  }

  /** The system prompt that the first step was sent, where the file has it nowhere else. */
  #addPrompt(step: Fields, raw: unknown): void {
    const [first] = objects(step.model_input_messages);
    if (this.#hasPrompt || first?.role !== 'system') return;
    this.#hasPrompt = true;
    const content = Array.isArray(first.content)
      ? objects(first.content)
          .map((part) => asText(part.text))
          .join('\n')
      : asText(first.content);
    this.#builder.message(this.#builder.entry, { role: 'system', content }, { raw });
  }
}
