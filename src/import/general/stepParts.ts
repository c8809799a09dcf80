import { isObject } from '../../core/message.js';
import { asText, fields, list, number, objects, text, type Fields } from '../reading/fields.js';
import { looseContent } from '../messages/looseBlocks.js';
import { callsBeside } from '../messages/looseWords.js';

/** The keys under which a step of an agent has what it did, what came of it, and what was thought and written. */
const ACTIONS = [
  'action',
  'actions',
  'code_action',
  'tool',
  'tool_name',
  'action_name',
  'command',
  'tool_call',
];
const RESULTS = [
  'observation',
  'observations',
  'obs',
  'result',
  'results',
  'tool_output',
  'tool_result',
  'action_output',
  'output',
];
const THOUGHTS = ['thought', 'thoughts', 'reasoning', 'thinking', 'rationale'];
const WORDS = ['response', 'model_output', 'llm_output', 'text', 'message', 'content', 'raw_response'];

/** A step: a call or more, what was said with them, and what came of them. */
export interface StepParts {
  readonly words: string;
  readonly thought: string;
  readonly calls: readonly Fields[];
  readonly result: unknown;
  readonly isError: boolean;
}

/** Whether a value is a step of an agent: something done, with what came of it. */
export function isStep(value: unknown): boolean {
  if (!isObject(value) || typeof value.role === 'string') return false;
  // Events of a log are calls and results apart.
  if (/^(?:tool_\w+|user|assistant|human|system)$/.test(asText(value.type))) return false;
  const does =
    keyIn(value, ACTIONS) !== undefined || callsBeside(value).length > 0 || isObject(value.model_output);
  return does && (RESULTS.some((key) => key in value) || THOUGHTS.some((key) => key in value));
}

/** The parts of a step. */
export function stepParts(step: Fields): StepParts {
  const inner = fields(step.model_output);
  const thoughtKey = keyIn(step, THOUGHTS);
  const wordsKey = WORDS.find((key) => typeof step[key] === 'string' && step[key] !== '');
  const state = inner.current_state ?? inner.thinking;
  const resultKey = keyIn(step, RESULTS);
  const error = step.error ?? objects(step.result).find((each) => each.error)?.error;
  const isError = error !== undefined && error !== null && error !== '' && error !== false;
  return {
    words: wordsKey === undefined ? '' : asText(step[wordsKey]),
    thought: thoughtKey === undefined ? asText(state) : asText(step[thoughtKey]),
    calls: callsIn(step, inner),
    result:
      isError && resultKey === undefined
        ? error
        : resultIn(resultKey === undefined ? undefined : step[resultKey]),
    isError,
  };
}

function callsIn(step: Fields, inner: Fields): readonly Fields[] {
  const beside = callsBeside(step);
  if (beside.length > 0) return beside.flatMap((call) => looseContent({ ...call, type: 'tool_call' }).calls);
  const key = keyIn(step, ACTIONS);
  const action = key === undefined ? inner.action : step[key];
  const named = key === 'tool' || key === 'tool_name' || key === 'action_name';
  const input =
    step.action_input ?? step.tool_input ?? step.args ?? step.arguments ?? step.input ?? step.parameters;
  if (named || input !== undefined) return [callNamed(asText(action), input)];
  return (Array.isArray(action) ? list(action) : [action]).flatMap((each) =>
    actionCall(each, key ?? 'action'),
  );
}

/** An action as a call: a command as it is, an object by its name or by its only key. */
function actionCall(action: unknown, key: string): Fields[] {
  if (action === undefined || action === null || action === '') return [];
  if (!isObject(action))
    return [
      callNamed(key === 'code_action' ? 'python' : key, {
        [key === 'code_action' ? 'code' : 'command']: action,
      }),
    ];
  const name =
    text(action.name) ??
    text(action.tool_name) ??
    text(action.tool) ??
    text(action.action_type) ??
    text(action.type) ??
    text(action.action);
  if (name !== undefined)
    return [
      callNamed(
        name,
        action.arguments ?? action.args ?? action.input ?? action.action_input ?? action.parameters ?? action,
      ),
    ];
  const used = Object.entries(action).filter(([, input]) => input !== null);
  return used.map(([only, input]) => callNamed(only, input));
}

function callNamed(name: string, input: unknown): Fields {
  const isText = typeof input === 'string' && !/^\s*\{/.test(input);
  const { calls } = looseContent({ type: 'tool_call', name, input: isText ? { input } : (input ?? {}) });
  return fields(calls[0]);
}

function resultIn(result: unknown): unknown {
  const texts = objects(result).map(
    (each) => text(each.extracted_content) ?? text(each.content) ?? text(each.error),
  );
  if (Array.isArray(result) && texts.length > 0 && texts.every((each) => each !== undefined))
    return texts.join('\n');
  return result;
}

function keyIn(step: Fields, keys: readonly string[]): string | undefined {
  return keys.find((key) => {
    const value = step[key];
    return (
      value !== undefined &&
      value !== null &&
      value !== '' &&
      number(value) === undefined &&
      typeof value !== 'boolean'
    );
  });
}
