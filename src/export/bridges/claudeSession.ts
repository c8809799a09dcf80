import { compactJson } from '../../query/numbers/jsonText.js';
import { isObject } from '../../core/message.js';
import { numberOr } from '../../query/numbers/values.js';
import { answerBlocks, blocksOf, resultOf, withoutUnanswered, type Block } from './anthropicBlocks.js';
import { callOf, isoTime, type AboutTranscript, type BridgeWriter, OpenCalls } from './bridge.js';
import { derivedUuid } from '../sharing/finding.js';
import type { TakenRecord } from './takenRecord.js';

/** The version of Claude Code whose files these are. */
const VERSION = '2.1.0';

type Fields = Readonly<Record<string, unknown>>;

/**
 * A session of Claude Code, which `claude --resume` goes on with: what a person and the entry agent said, and the tools that it
 * called. Claude Code has instructions of its own, so that system prompts are not written; nor are thoughts, because the API
 * takes none back without its signature.
 */
export class ClaudeSessionWriter implements BridgeWriter {
  readonly #about: AboutTranscript;
  /** The last answer, until it is known which of its calls have results. */
  #answer:
    | { readonly content: readonly Block[]; readonly fields: Fields; readonly time: unknown }
    | undefined;
  /** The results of the last answer's calls, which are one line, as the API wants them. */
  #results: { readonly blocks: Block[]; readonly time: unknown } | undefined;
  readonly #calls = new OpenCalls();
  #last: string | null = null;
  #count = 0;

  constructor(about: AboutTranscript) {
    this.#about = about;
  }

  add(record: TakenRecord): string {
    if (!record.isMessage || callOf(record.record) !== '') return '';
    const role = record.get(['message', 'role']);
    if (role === 'tool') return this.#addResult(record);
    if (role !== 'user' && role !== 'assistant') return '';
    const content = role === 'user' ? blocksOf(record) : answerBlocks(record, this.#calls);
    if (content.length === 0) return '';
    record.take(['message', 'role']);
    const time = record.take(['time']);
    const before = this.#endAnswer(true);
    if (role === 'user') {
      this.#calls.begin();
      return before + this.#line(role, { role, content }, time);
    }
    this.#answer = { content, fields: answerFields(record), time };
    return before;
  }

  end(): string {
    return this.#endAnswer(false);
  }

  #addResult(record: TakenRecord): string {
    const result = resultOf(record, this.#calls);
    if (!result) return '';
    const time = record.get(['time']);
    // One line has one time.
    if (this.#results === undefined || this.#results.time === time) record.take(['time']);
    this.#results ??= { blocks: [], time };
    this.#results.blocks.push(result);
    return '';
  }

  /** The last answer and the results of its calls. `isFollowed`: whether something else comes behind them. */
  #endAnswer(isFollowed: boolean): string {
    const [answer, results] = [this.#answer, this.#results];
    this.#answer = undefined;
    this.#results = undefined;
    const isLast = !isFollowed && !results;
    const said = answer?.content ?? [];
    const content = isLast ? said : withoutUnanswered(said, results?.blocks ?? [], this.#about.loses);
    return (
      (answer && content.length > 0
        ? this.#line('assistant', answerOf(content, answer.fields, this.#uuid('answer')), answer.time)
        : '') + (results ? this.#line('user', { role: 'user', content: results.blocks }, results.time) : '')
    );
  }

  #line(type: 'user' | 'assistant', message: Fields, time: unknown): string {
    const parentUuid = this.#last;
    this.#last = this.#uuid('line');
    this.#count++;
    const { folder, id } = this.#about.session;
    const about = { isSidechain: false, userType: 'external', cwd: folder, version: VERSION, gitBranch: '' };
    const line = { parentUuid, ...about, sessionId: id, type, message };
    return `${compactJson({ ...line, uuid: this.#last, ...isoTime(time) })}\n`;
  }

  /** The same in every export of the session. */
  #uuid(what: string): string {
    return derivedUuid(`${this.#about.session.id} ${what} ${this.#count}`);
  }
}

/** What an answer tells besides its content. */
function answerFields(record: TakenRecord): Fields {
  const model = record.take(['model']);
  return { model: typeof model === 'string' ? model : '', ...usageOf(record) };
}

/** An answer as the API gave it. */
function answerOf(content: readonly Block[], { model, ...usage }: Fields, id: string): Fields {
  const isCall = content.some(({ type }) => type === 'tool_use');
  return {
    id: `msg_${id.replaceAll('-', '')}`,
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: isCall ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    ...usage,
  };
}

/** The usage in Anthropic's words, whose input is without what was read from the cache and written to it. */
function usageOf(record: TakenRecord): Fields {
  const take = (field: string) => numberOr(record.take(['usage', field])) ?? 0;
  if (!isObject(record.get(['usage']))) return {};
  const [read, written, hour] = [
    take('cachedInputTokens'),
    take('cacheWriteTokens'),
    take('cacheWrite1hTokens'),
  ];
  const kept = { ephemeral_5m_input_tokens: Math.max(0, written - hour), ephemeral_1h_input_tokens: hour };
  return {
    usage: {
      input_tokens: Math.max(0, take('inputTokens') - read - written),
      cache_creation_input_tokens: written,
      cache_read_input_tokens: read,
      cache_creation: kept,
      output_tokens: take('outputTokens'),
    },
  };
}
