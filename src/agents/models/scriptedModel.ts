import { textOf } from '../../core/message.js';
import { preview, singleLine } from '../../core/text.js';
import { delay, systemTimers, type Timers } from '../../core/timers.js';
import type { Model, ModelEvent, ModelRequest } from '../../core/ports/model.js';
import type { Script, ScriptExpectation, ScriptStep, ScriptToolCall } from './script.js';

/** The longest piece of text or arguments, in UTF-16 code units; characters are never split. */
const PIECE = 24;

/** A step that no request has used. */
export interface UnusedStep {
  readonly agent: string;
  /** The place of the step. */
  readonly at: string;
}

/**
 * Answers from a script: one step per request, in the order of the script, separately for each agent. A step with an
 * expectation is used only for a last message that meets it; if the next step's expectation is not met, a later step
 * whose expectation is met may come first, so that concurrent calls each get their own. A request that the script does
 * not foresee fails with a message.
 */
export class ScriptedModel implements Model {
  readonly kind = 'scripted';
  readonly endpoint = 'script';
  readonly id: string;
  readonly label: string;
  readonly #left: Map<string, ScriptStep[]>;
  readonly #timers: Timers;

  constructor(script: Script, timers: Timers = systemTimers) {
    this.id = `script/${script.name}`;
    this.label = `${script.name} (script)`;
    this.#timers = timers;
    this.#left = new Map([...script.agents].map(([agent, steps]) => [agent, numbered(steps)]));
  }

  /** The steps that no request has used. */
  unused(): readonly UnusedStep[] {
    return [...this.#left].flatMap(([agent, steps]) => steps.map(({ at = '' }) => ({ agent, at })));
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const step = this.#choose(request);
    if (typeof step === 'string') {
      yield { type: 'error', error: { code: 'script', message: step, retryable: false } };
      return;
    }
    for (const event of eventsOf(step)) {
      if (step.delayMs) await delay(this.#timers, step.delayMs, request.signal);
      if (request.signal.aborted) {
        yield { type: 'error', error: { code: 'cancelled', message: 'Cancelled.', retryable: false } };
        return;
      }
      yield event;
    }
  }

  /** Takes the step that answers a request out of the script; or tells why there is none. */
  #choose({ agent, messages }: ModelRequest): ScriptStep | string {
    const left = this.#left.get(agent);
    if (!left) {
      const known = [...this.#left.keys()].join(', ') || 'nobody';
      return `The script '${this.label}' has no steps for ${agent}; it has steps for ${known}.`;
    }
    const last = messages.at(-1);
    const text = textOf(last?.content);
    const fits = ({ expect }: ScriptStep): boolean =>
      (expect?.role === undefined || expect.role === last?.role) &&
      (expect?.contains === undefined || text.includes(expect.contains));
    const [next] = left;
    const index = next && !next.expect ? 0 : left.findIndex((step) => step.expect && fits(step));
    const [step] = index < 0 ? [] : left.splice(index, 1);
    if (step) return step;
    const said = `${last?.role ?? 'no message'}: ${singleLine(preview(text, 80))}`;
    return next
      ? `The script expects for ${agent} at ${next.at}: ${wordsOf(next.expect)}. The last message is ${said}.`
      : `The script has no more steps for ${agent}. The last message is ${said}.`;
  }
}

function numbered(steps: readonly ScriptStep[]): ScriptStep[] {
  return steps.map((step, index) => ({ at: `step ${index + 1}`, ...step }));
}

function wordsOf(expect: ScriptExpectation | undefined): string {
  const role = expect?.role === undefined ? 'a message' : `a message of role ${expect.role}`;
  return expect?.contains === undefined ? role : `${role} that contains '${expect.contains}'`;
}

function* eventsOf(step: ScriptStep): Generator<ModelEvent> {
  for (const text of pieces(step.reasoning ?? '')) yield { type: 'reasoning', text };
  for (const text of pieces(step.text ?? '')) yield { type: 'text', text };
  for (const [index, call] of (step.toolCalls ?? []).entries()) {
    yield { type: 'toolCall', index, ...(call.id !== undefined && { id: call.id }), name: call.name };
    for (const text of pieces(argumentsOf(call))) yield { type: 'toolCall', index, arguments: text };
  }
  if (step.usage) {
    const { input, output } = step.usage;
    yield { type: 'usage', usage: { inputTokens: input, outputTokens: output, estimated: false } };
  }
  if (step.error) {
    const { code = 'scripted', retryable = false, ...rest } = step.error;
    yield { type: 'error', error: { code, retryable, ...rest } };
    return;
  }
  yield { type: 'end', finishReason: step.finish ?? (step.toolCalls?.length ? 'tool_calls' : 'stop') };
}

function argumentsOf({ arguments: given = {} }: ScriptToolCall): string {
  return typeof given === 'string' ? given : JSON.stringify(given);
}

function* pieces(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    let end = Math.min(text.length, start + PIECE);
    const code = text.charCodeAt(end - 1);
    if (code >= 0xd800 && code < 0xdc00 && end < text.length) end++;
    yield text.slice(start, end);
    start = end;
  }
}
