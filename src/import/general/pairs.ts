import { isObject } from '../../core/message.js';
import { asText, fields, list, objects, parsed, text, type Fields } from '../reading/fields.js';

/** The keys under which an object has what was asked, and what was answered. */
const ASKED = [
  'user',
  'human',
  'query',
  'question',
  'prompt',
  'instruction',
  'input',
  'request',
  'user_message',
  'userMessage',
  'user_input',
];
const ANSWERED = [
  'assistant',
  'bot',
  'ai',
  'answer',
  'answers',
  'response',
  'output',
  'completion',
  'reply',
  'assistant_message',
  'botMessage',
  'generation',
  'bot_response',
  'actualOutput',
  'actual_output',
  'prediction',
  'model_answer',
  'model_response',
];

/** A question and its answer in one object, as data sets, exports of chat programs and Amazon Q have them. */
export interface Pair {
  readonly asked: Fields;
  readonly answered: Fields;
}

/** The two messages of a pair; undefined where a value is none. */
export function pairIn(value: unknown): Pair | undefined {
  if (!isObject(value) || typeof value.role === 'string') return undefined;
  const activity = geminiActivity(value);
  if (activity) return activity;
  const asking = ASKED.find((key) => isSaid(value[key]));
  const answering = ANSWERED.find((key) => key !== asking && isSaid(value[key]));
  if (asking === undefined || answering === undefined) return undefined;
  const more = asking === 'instruction' ? text(value.input) : undefined;
  const question = more === undefined ? contentOf(value[asking]) : `${String(value[asking])}\n\n${more}`;
  const system = text(value.system) ?? text(value.system_prompt) ?? text(value.systemPrompt);
  return {
    asked: {
      role: 'user',
      content: question,
      ...(system !== undefined && { system }),
      ...timesOf(value[asking]),
    },
    answered: { role: 'assistant', ...answerOf(value[answering]), ...timesOf(value[answering]) },
  };
}

/** A prompt to the Gemini app with its answer, as Google Takeout exports them. */
function geminiActivity({ title, safeHtmlItem, time }: Fields): Pair | undefined {
  const html = objects(safeHtmlItem).flatMap((each) => text(each.html) ?? []);
  const asked = /^Prompted (.+)$/s.exec(text(title) ?? '')?.[1];
  if (asked === undefined || html.length === 0) return undefined;
  return {
    asked: { role: 'user', content: asked, timestamp: time },
    answered: { role: 'assistant', content: html.join('\n'), timestamp: time },
  };
}

/** A title that says nothing but what was asked, as Gemini's activities have it; '' where there is none. */
export function titleTold(row: unknown): string {
  return geminiActivity(fields(row)) ? asText(fields(row).title) : '';
}

/** Words, not a path or a name: configurations have inputs and outputs too. */
function isSaid(value: unknown): boolean {
  if (typeof value === 'string') return /\S\s+\S/.test(value.trim());
  return isObject(value) && wordsOf(value) !== undefined;
}

/** The object that has the words, within others whose only purpose is to say what kind they are. */
function wordsOf(value: Fields, depth = 0): Fields | undefined {
  if (depth > 3) return undefined;
  const isHere = [
    value.text,
    value.content,
    value.raw,
    value.prompt,
    value.output,
    value.tool_use_results,
    value.tool_uses,
  ].some((each) => (typeof each === 'string' && each !== '') || (Array.isArray(each) && each.some(isObject)));
  if (isHere) return value;
  const inner = Object.values(value).filter(isObject);
  return inner.map((each) => wordsOf(each, depth + 1)).find((each) => each !== undefined);
}

function contentOf(value: unknown): unknown {
  if (typeof value === 'string') return value;
  const said = wordsOf(fields(value)) ?? {};
  const results = list(said.tool_use_results);
  if (results.length > 0) return results.map((each) => ({ ...fields(each), type: 'tool_result' }));
  return said.text ?? said.content ?? said.raw ?? said.prompt ?? said.output;
}

function answerOf(value: unknown): Fields {
  if (typeof value === 'string') {
    const calls = objects(parsed(value)).filter(({ name }) => typeof name === 'string');
    return calls.length > 0 ? { content: null, tool_calls: calls } : { content: value };
  }
  const said = wordsOf(fields(value)) ?? {};
  const { tool_uses, model, usage, tokenUsage } = said;
  return {
    content: contentOf(said) ?? null,
    ...(Array.isArray(tool_uses) && { tool_uses }),
    ...(model !== undefined && { model }),
    ...(usage !== undefined && { usage }),
    ...(tokenUsage !== undefined && { tokenUsage }),
  };
}

function timesOf(value: unknown): Fields {
  const { timestamp } = fields(value);
  return timestamp === undefined ? {} : { timestamp };
}
