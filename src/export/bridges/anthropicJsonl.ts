import { compactJson } from '../../query/numbers/jsonText.js';
import { appendAll } from '../../core/lists.js';
import {
  callOf,
  type AboutTranscript,
  type BridgeWriter,
  type Loses,
  BufferedCalls,
  OpenCalls,
} from './bridge.js';
import {
  answerBlocks,
  blocksOf,
  resultOf,
  thoughtsOf,
  withoutUnanswered,
  type Block,
} from './anthropicBlocks.js';
import type { TakenRecord } from './takenRecord.js';

/**
 * Anthropic's Messages API: a line for each conversation with a model, `{"messages": […], "system": …, "model": …}`. The first
 * line is of the entry agent, the others of the calls that were dispatched.
 */
export class AnthropicJsonlWriter implements BridgeWriter {
  readonly #loses: Loses;
  readonly #calls = new BufferedCalls();
  readonly #lines = new Map<string, Line>();

  constructor({ loses }: AboutTranscript) {
    this.#loses = loses;
  }

  add(record: TakenRecord): string {
    if (!record.isMessage) return '';
    const call = callOf(record.record);
    const line = this.#lines.get(call) ?? new Line(this.#loses);
    this.#lines.set(call, line);
    return this.#calls.add(call, line.add(record));
  }

  end(): string {
    return this.#calls.end((call) => this.#lines.get(call)?.end() ?? '');
  }
}

/** The line of one call, while it is written. */
class Line {
  readonly #loses: Loses;
  #hasBegun = false;
  readonly #system: Block[] = [];
  /** How many messages these are. */
  #prompts = 0;
  /** The last answer, until it is known which of its calls have results. */
  #answer: readonly Block[] | undefined;
  /** Results that were given one after another, which stand in one message. */
  #results: Block[] = [];
  readonly #calls = new OpenCalls();
  /** Which models answered, each with how often; '' where that is unknown. */
  readonly #models = new Map<string, number>();

  constructor(loses: Loses) {
    this.#loses = loses;
  }

  add(record: TakenRecord): string {
    const role = record.get(['message', 'role']);
    const isSystem = role === 'system' || role === 'developer';
    if (isSystem && !this.#hasBegun && !this.#answer) {
      const blocks = blocksOf(record);
      if (blocks.length === 0) return '';
      this.#prompts++;
      if (role === 'system') record.take(['message', 'role']);
      appendAll(this.#system, blocks);
      return '';
    }
    if (role === 'tool') {
      const result = resultOf(record, this.#calls);
      if (result) this.#results.push(result);
      return '';
    }
    const isAnswer = role === 'assistant';
    const blocks = isAnswer ? this.#answerOf(record) : blocksOf(record);
    // A message of which nothing is written comes between nothing.
    if (blocks.length === 0) return '';
    const before = this.#endAnswer(true);
    if (!isAnswer) {
      this.#calls.begin();
      if (role === 'user') record.take(['message', 'role']);
      return before + this.#message('user', blocks);
    }
    record.take(['message', 'role']);
    const model = record.take(['model']);
    const named = typeof model === 'string' ? model : '';
    this.#models.set(named, (this.#models.get(named) ?? 0) + 1);
    this.#answer = blocks;
    return before;
  }

  #answerOf(record: TakenRecord): Block[] {
    const [thoughts, said] = [thoughtsOf(record), answerBlocks(record, this.#calls)];
    // No result of an earlier call can follow a thought.
    if (thoughts.length > 0 && said.length === 0) this.#calls.begin();
    return [...thoughts, ...said];
  }

  end(): string {
    const loses = this.#loses;
    const rest = this.#endAnswer(false);
    if (!this.#hasBegun) {
      // A system prompt alone is no request.
      loses('message records', this.#prompts);
      return '';
    }
    loses('boundaries of system messages', this.#prompts - 1);
    const [model = '', ...others] = this.#models.keys();
    // A line names one model, so that of several none is told.
    if (others.length > 0) for (const [named, count] of this.#models) if (named !== '') loses('model', count);
    const isNamed = model !== '' && others.length === 0;
    return `${rest}]${this.#systemText()}${isNamed ? `,"model":${JSON.stringify(model)}` : ''}}\n`;
  }

  #systemText(): string {
    const [only, ...more] = this.#system;
    if (!only) return '';
    return `,"system":${compactJson(more.length === 0 && only.type === 'text' ? only.text : this.#system)}`;
  }

  /** The last answer and the results of its calls. `isFollowed`: whether something else comes behind them. */
  #endAnswer(isFollowed: boolean): string {
    const [answer, results] = [this.#answer ?? [], this.#results];
    this.#answer = undefined;
    this.#results = [];
    const isLast = !isFollowed && results.length === 0;
    const told = isLast ? answer : withoutUnanswered(answer, results, this.#loses);
    return this.#message('assistant', told) + this.#message('user', results);
  }

  #message(role: 'user' | 'assistant', blocks: readonly Block[]): string {
    if (blocks.length === 0) return '';
    const before = this.#hasBegun ? ',' : '{"messages":[';
    this.#hasBegun = true;
    return before + compactJson({ role, content: blocks });
  }
}
