import type { ConversationBuilder } from '../../building/conversationBuilder.js';
import { wordsOf } from '../../messages/anyMessage.js';
import { wordsIn } from '../../messages/looseBlocks.js';
import { LooseReader } from '../../messages/looseReader.js';
import { usageOf } from '../../messages/usage.js';
import {
  asText,
  fields,
  list,
  number,
  objects,
  text,
  time,
  without,
  type Fields,
} from '../../reading/fields.js';
import type { ImportSink } from '../../building/importSink.js';
import { most, type TranscriptFormat } from '../../building/transcriptFormat.js';

/**
 * Interactions of Gemini's API: steps of who asks, what is called and what is answered, as the API gives them, one or many. Those
 * that name the one before them are one conversation.
 */
export const geminiInteractions: TranscriptFormat = {
  name: 'gemini-interactions',
  of: 'Gemini',
  files: 'interactions of the API: one, a list of them, or one a line',
  carries: ['messages', 'calls', 'times', 'models', 'usage', 'images', 'thinking'],
  detect: (head) => most(head.flatMap(interactionsIn), isInteraction),
  *readLines(lines, sink) {
    const open = new Map<string, Conversation>();
    for (const value of sink.each(lines)) {
      for (const each of interactionsIn(value)) readInteraction(fields(each), open, sink);
      yield;
    }
  },
};

/** A conversation that later interactions may go on with. */
interface Conversation {
  readonly builder: ConversationBuilder;
  readonly reader: LooseReader;
}

function interactionsIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const inner = fields(value).interactions ?? fields(value).interaction;
  return Array.isArray(inner) ? list(inner) : [isInteraction(inner) ? inner : value];
}

function isInteraction(value: unknown): boolean {
  const { object, steps, outputs, usage, id } = fields(value);
  if (!Array.isArray(steps) && !Array.isArray(outputs)) return false;
  const isTyped = objects(steps).some(({ type }) => STEPS.test(asText(type)));
  return object === 'interaction' || (isTyped && text(id) !== undefined && 'total_tokens' in fields(usage));
}

/** The types of steps that only interactions have. */
const STEPS = /^(?:user_input|model_output)$/;

function readInteraction(about: Fields, open: Map<string, Conversation>, sink: ImportSink): void {
  const before = open.get(asText(about.previous_interaction_id ?? ''));
  const known = before ?? begun(about, sink);
  const { builder, reader } = known;
  if (text(about.id) !== undefined) open.set(asText(about.id), known);
  const [start, end] = [time(about.created), time(about.updated) ?? time(about.created)];
  const model = text(about.model) ?? text(about.agent);
  reader.useModel(model);
  builder.keep(
    builder.entry,
    'interaction',
    without(about, 'steps', 'outputs', 'input', 'system_instruction'),
    start,
  );
  const system = wordsOf(about.system_instruction ?? '');
  if (system !== '' && !before) builder.message(builder.entry, { role: 'system', content: system });
  for (const step of inputOf(about.input)) reader.add({ timestamp: start, ...usualForm(step) }, step);
  for (const step of [...objects(about.steps), ...objects(about.outputs)])
    reader.add({ timestamp: step.type === 'user_input' ? start : end, ...usualForm(step) }, step);
  const used = usageIn(fields(about.usage));
  if (used) builder.request(builder.entry, used, model, end);
}

function begun(about: Fields, sink: ImportSink): Conversation {
  const builder = sink.conversation(about.id, 'Gemini');
  return { builder, reader: new LooseReader(builder, builder.entry) };
}

/** What was sent: a text, parts of one message, or turns and results with who speaks. */
function inputOf(input: unknown): readonly Fields[] {
  if (typeof input === 'string') return [{ type: 'user_input', content: input }];
  const items = Array.isArray(input) ? objects(input) : objects([input]);
  const isParts = items.length > 0 && items.every(({ type, role }) => role === undefined && isPart(type));
  return isParts ? [{ type: 'user_input', content: items }] : items;
}

function isPart(type: unknown): boolean {
  return /^(?:text|image|audio|video|document)$/.test(asText(type));
}

/** A step in a form that is read from any tool. */
function usualForm(step: Fields): Fields {
  const type = asText(step.type ?? '');
  if (type === 'user_input') return { ...step, type: undefined, role: 'user' };
  if (type === 'model_output') return { ...step, type: undefined, role: 'assistant' };
  if (/^(?:thought|thinking|reasoning)$/.test(type)) {
    const said = list(step.summary ?? step.content).flatMap((each) => wordsIn(each) ?? []);
    const words = said.length > 0 ? said.join('\n') : (text(step.summary) ?? text(step.text) ?? '');
    return { ...step, type: 'thinking', role: 'assistant', content: words };
  }
  if (type.endsWith('_call'))
    return {
      ...step,
      type: 'tool_call',
      name: step.name ?? type.replace(/_call$/, ''),
      arguments: step.arguments ?? {},
    };
  if (type.endsWith('_result'))
    return {
      ...step,
      type: 'tool_result',
      tool_call_id: step.call_id ?? step.id,
      name: step.name ?? type.replace(/_result$/, ''),
      output: step.result ?? step.output ?? step.content,
      content: undefined,
    };
  if (isPart(type)) return { type: undefined, role: 'assistant', content: [step] };
  return step.role === 'model' ? { ...step, role: 'assistant' } : step;
}

/** Usage of an interaction, whose output is counted without the thoughts and whose input without what tools brought. */
function usageIn(usage: Fields) {
  const of = (name: string) => number(usage[`total_${name}_tokens`]);
  const [input, output] = [of('input'), of('output')];
  if (input === undefined && output === undefined) return undefined;
  const thought = of('thought') ?? of('reasoning') ?? 0;
  return usageOf({
    input: (input ?? 0) + (of('tool_use') ?? 0),
    output: (output ?? 0) + thought,
    cached: of('cached'),
    reasoning: thought,
    told: usage,
  });
}
