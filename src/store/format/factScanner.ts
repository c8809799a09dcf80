import {
  factCallsOf,
  NO_FACT_CALLS,
  ReadCall,
  type FactCall,
  type Facts,
  type Place,
} from '../../analysis/facts.js';
import { callsOf } from '../../analysis/toolCalls.js';
import { charactersOf } from '../../analysis/messageSize.js';
import { readUsage, tokensOf } from '../../analysis/tokens.js';
import { NO_USAGE, type Usage } from '../../core/usage.js';
import { BYTE, JsonCursor, OTHER } from './jsonCursor.js';
import { isPart, isToolCall, ROLES } from '../../core/messageProblem.js';

const SEQ = Buffer.from('{"seq":');
const ID = Buffer.from(',"id":"');
const TIME = Buffer.from(',"time":');
const REQUEST = Buffer.from('"type":"request"');
const CALL_ID = Buffer.from('{"id":"');
const FUNCTION = Buffer.from(',"type":"function","function":{"name":"');
const ARGUMENTS = Buffer.from(',"arguments":"');
const DEPTH = Buffer.from(',"depth":');
const MESSAGE = Buffer.from('"type":"message"');
const INPUT = Buffer.from('{"inputTokens":');
const OUTPUT = Buffer.from(',"outputTokens":');
const ESTIMATED = Buffer.from(',"estimated":true}');
const REPORTED = Buffer.from(',"estimated":false}');
const PARENT_CALL = Buffer.from(',"parentCall":');
const TEXT_PART = Buffer.from('{"type":"text","text":"');
const LIST = Buffer.from('[');
const END_OF_CALL = Buffer.from('}}');
const CONVERSATION = Buffer.from(',"conversation":');
const RUN = Buffer.from(',"run":');
const CALL = Buffer.from(',"call":');
const AGENT = Buffer.from(',"agent":');

/** The first letter of `true`. */
const SMALL_T = 0x74;

/** How many places of calls are remembered, because records of the same calls follow each other. */
const PLACES = 16;
/** JavaScript dates end here; a time beyond is for the reader of records to judge. */
const LATEST = 8.64e15;

interface MadeCalls {
  readonly calls: readonly FactCall[];
  readonly characters: number;
}

const NO_CALLS: MadeCalls = { calls: NO_FACT_CALLS, characters: 0 };

/** What the body of a message says. */
interface Said {
  role: string;
  name: string;
  answers: string;
  hasText: boolean;
  hasShown: boolean;
  characters: number;
  reasoning: number;
  calls: readonly FactCall[];
}

/** What a record without a message says. */
const SAYS_NOTHING = {
  says: false,
  hasText: false,
  characters: 0,
  reasoning: 0,
  calls: NO_FACT_CALLS,
  event: undefined,
} as const;

/** What a usage reports of tokens, as which kind of record. */
function reported(reporter: 'messages' | 'requests', usage: Usage | undefined) {
  const tokens = tokensOf(usage);
  return { reporter: tokens && reporter, tokens };
}

/**
 * Takes the facts of messages and requests from the bytes of their lines, without parsing their texts: nearly all lines of a
 * journal are of these two types. It knows the order and the shape in which a journal writes them, and gives up on
 * everything else. Only for lines whose checksum is right: these are JSON, because this program wrote them.
 */
export class FactScanner {
  readonly #conversation: string;
  readonly #places: { readonly bytes: Buffer; readonly place: Place }[] = [];
  readonly #line = new JsonCursor();
  #isEmptyList = false;

  constructor(conversation: string) {
    this.#conversation = conversation;
  }

  /** The facts of the record on the line from `from` up to, not including, `to`; undefined where it has to be parsed. */
  scan(bytes: Buffer, from: number, to: number): Facts | undefined {
    this.#line.begin(bytes, from, to);
    try {
      return this.#record();
    } catch (error) {
      if (error === OTHER) return undefined;
      throw error;
    }
  }

  #record(): Facts {
    this.#line.expect(SEQ);
    if (this.#line.digits() < 1) throw OTHER;
    this.#line.expect(ID);
    this.#line.string();
    if (this.#line.from === this.#line.to) throw OTHER;
    this.#line.expect(TIME);
    const time = this.#line.digits();
    if (time > LATEST) throw OTHER;
    const place = this.#place();
    if (this.#line.goPast(MESSAGE)) return this.#messageRecord(time, place);
    this.#line.expect(REQUEST);
    return this.#request(time, place);
  }

  #messageRecord(time: number, place: Place): Facts {
    let said: Said | undefined;
    let usage: Usage | undefined;
    let durationMs: number | undefined;
    let model = '';
    let toolName = '';
    let isError = false;
    let partial = '';
    while (this.#line.nextKey()) {
      const key = this.#line.key();
      switch (key) {
        case 'message':
          said = this.#message();
          break;
        case 'model':
          model = this.#line.nameOr('');
          break;
        case 'toolName':
          toolName = this.#line.nameOr('');
          break;
        case 'usage':
          usage = this.#usage();
          break;
        case 'durationMs':
          durationMs = this.#line.duration();
          break;
        case 'isError':
          isError = this.#line.code() === SMALL_T;
          this.#line.skip();
          break;
        case 'partial':
          partial = this.#line.nameOr('');
          break;
        default:
          this.#skipOther(key);
      }
    }
    if (!said) throw OTHER;
    return {
      isRecord: true,
      type: 'message',
      place,
      time,
      role: said.role,
      model,
      toolName: said.name === '' ? toolName : said.name,
      answers: said.answers,
      ...reported('messages', usage),
      usage,
      durationMs,
      isFailure: (isError && partial !== 'cancelled') || partial === 'error',
      says: said.hasText || said.hasShown || said.reasoning > 0,
      hasText: said.hasText,
      characters: said.characters,
      reasoning: said.reasoning,
      calls: said.calls,
      event: undefined,
    };
  }

  #request(time: number, place: Place): Facts {
    let usage: Usage | undefined;
    let durationMs: number | undefined;
    let model: string | undefined;
    let isFailure = false;
    let hasError = false;
    let hasBegun = false;
    let required = 0;
    while (this.#line.nextKey()) {
      const key = this.#line.key();
      switch (key) {
        case 'model':
          model = this.#line.nameOr(undefined);
          break;
        case 'endpoint':
          if (this.#line.nameOr(undefined) !== undefined) required |= 1;
          break;
        case 'attempt':
          this.#line.duration();
          required |= 2;
          break;
        case 'durationMs':
          durationMs = this.#line.duration();
          break;
        case 'usage':
          usage = this.#usage();
          break;
        case 'firstTokenMs':
          hasBegun = true;
          this.#line.skip();
          break;
        case 'error':
          hasError = this.#line.code() === BYTE.open;
          isFailure = this.#isFailure();
          break;
        case 'message':
        case 'toolName':
        case 'toolCallId':
          throw OTHER;
        default:
          this.#skipOther(key);
      }
    }
    if (model === undefined || durationMs === undefined || required !== 3) throw OTHER;
    return {
      isRecord: true,
      type: 'request',
      place,
      time,
      role: undefined,
      model,
      toolName: '',
      answers: '',
      ...reported('requests', usage),
      usage: usage ?? (hasError && !hasBegun ? NO_USAGE : undefined),
      durationMs,
      isFailure,
      ...SAYS_NOTHING,
    };
  }

  /** Whether an error is one, and not that somebody stopped the run. */
  #isFailure(): boolean {
    if (this.#line.code() !== BYTE.open) {
      this.#line.skip();
      return false;
    }
    this.#line.byte(BYTE.open);
    let code = '';
    let isFirst = true;
    while (this.#line.nextKey(isFirst)) {
      isFirst = false;
      if (this.#line.key() === 'code') code = this.#line.nameOr('');
      else this.#line.skip();
    }
    return code !== 'cancelled';
  }

  #message(): Said {
    this.#line.byte(BYTE.open);
    let [role, name, answers] = ['', '', ''];
    let [hasText, hasRefusal, hasParts] = [false, false, false];
    let [content, reasoning] = [0, 0];
    let calls = NO_FACT_CALLS;
    let inCalls = 0;
    let isFirst = true;
    while (this.#line.nextKey(isFirst)) {
      isFirst = false;
      switch (this.#line.key()) {
        case 'role':
          role = this.#line.nameOr('');
          break;
        case 'content':
          hasParts = this.#line.code() === BYTE.openList;
          [content, hasText] = hasParts ? this.#parts() : this.#content();
          hasParts &&= !this.#isEmptyList;
          break;
        case 'name':
          name = this.#line.nameOr('');
          break;
        case 'tool_call_id':
          answers = this.#line.idOr('');
          break;
        case 'reasoning_content':
          reasoning = this.#line.lengthOr();
          break;
        case 'refusal':
          hasRefusal = this.#line.lengthOr() > 0;
          break;
        case 'tool_calls': {
          const made = this.#calls();
          calls = made.calls;
          inCalls = made.characters;
          break;
        }
        case 'tool_call_ids':
          throw OTHER;
        default:
          this.#line.skip();
      }
    }
    if (!ROLES.has(role)) throw OTHER;
    const isAnswer = role === 'assistant';
    return {
      role,
      name,
      answers,
      hasText,
      hasShown: hasRefusal || hasParts,
      characters: content + (isAnswer ? inCalls : 0),
      reasoning,
      calls: isAnswer ? calls : NO_FACT_CALLS,
    };
  }

  /** The length of a content, and whether it has a word. */
  #content(): [characters: number, hasText: boolean] {
    const characters = this.#line.lengthOr();
    return [characters, characters > 0 && this.#line.hasWord()];
  }

  /** The same of a content that is a list of parts. */
  #parts(): [characters: number, hasText: boolean] {
    let [characters, hasText] = [0, false];
    this.#line.byte(BYTE.openList);
    this.#isEmptyList = this.#line.code() === BYTE.closeList;
    for (let isFirst = true; this.#line.code() !== BYTE.closeList; isFirst = false) {
      if (!isFirst) this.#line.byte(BYTE.comma);
      const start = this.#line.at;
      if (this.#line.goPast(TEXT_PART)) {
        this.#line.string();
        characters += this.#line.length();
        hasText ||= this.#line.to > this.#line.from && this.#line.hasWord();
        if (this.#line.code() === BYTE.close) {
          this.#line.at++;
          continue;
        }
        throw OTHER;
      }
      const part = this.#line.value(start);
      if (!isPart(part) || part.type === 'text') throw OTHER;
    }
    this.#line.at++;
    return [characters, hasText];
  }

  /** The calls of a message, and how many characters they have. */
  #calls(): MadeCalls {
    if (this.#line.isNull()) return NO_CALLS;
    const start = this.#line.at;
    return this.#plainCalls() ?? this.#parsedCalls(start);
  }

  /** The calls where they are written as this program writes them, without anything that a provider expects back. */
  #plainCalls(): MadeCalls | undefined {
    if (!this.#line.goPast(LIST)) return undefined;
    const calls: FactCall[] = [];
    let characters = 0;
    while (this.#line.code() !== BYTE.closeList) {
      if (calls.length > 0 && this.#line.code() === BYTE.comma) this.#line.at++;
      if (!this.#line.goPast(CALL_ID)) return undefined;
      this.#line.string();
      const id = this.#line.own();
      if (!this.#line.goPast(FUNCTION)) return undefined;
      this.#line.string();
      const name = this.#line.name();
      if (name === '' || !this.#line.goPast(ARGUMENTS)) return undefined;
      this.#line.string();
      characters += name.length + this.#line.length();
      calls.push(new ReadCall(id, name, this.#line.laterParsed()));
      if (!this.#line.goPast(END_OF_CALL)) return undefined;
    }
    this.#line.at++;
    return { calls, characters };
  }

  #parsedCalls(start: number): MadeCalls {
    const value = this.#line.value(start);
    if (!Array.isArray(value) || !value.every(isToolCall)) throw OTHER;
    const message = { role: 'assistant', tool_calls: value };
    const calls = callsOf(message);
    return { calls: factCallsOf(calls), characters: charactersOf(message, calls) };
  }

  #usage(): Usage | undefined {
    const start = this.#line.at;
    if (this.#line.goPast(INPUT)) {
      const input = this.#line.digitsOr();
      if (input >= 0 && this.#line.goPast(OUTPUT)) {
        const output = this.#line.digitsOr();
        const isEstimated = this.#line.goPast(ESTIMATED);
        if (output >= 0 && (isEstimated || this.#line.goPast(REPORTED)))
          return { inputTokens: input, outputTokens: output, estimated: isEstimated };
      }
    }
    return readUsage(this.#line.value(start));
  }

  /** The place of a record, with the conversation before it and the comma behind it. */
  #place(): Place {
    const known = this.#places.findIndex(({ bytes }) => this.#line.isAt(bytes));
    const found = this.#places[known];
    if (found) {
      this.#line.at += found.bytes.length;
      if (known > 0) {
        this.#places.splice(known, 1);
        this.#places.unshift(found);
      }
      return found.place;
    }
    const start = this.#line.at;
    if (this.#header(CONVERSATION) !== this.#conversation) throw OTHER;
    const run = this.#header(RUN);
    const call = this.#header(CALL);
    const parentCall = this.#line.isAt(PARENT_CALL) ? this.#header(PARENT_CALL) : undefined;
    const agent = this.#header(AGENT);
    this.#line.expect(DEPTH);
    const depth = this.#line.digits();
    this.#line.byte(BYTE.comma);
    const place = { run, call, parentCall, agent, depth };
    this.#places.unshift({ bytes: Buffer.from(this.#line.bytes.subarray(start, this.#line.at)), place });
    this.#places.length = Math.min(this.#places.length, PLACES);
    return place;
  }

  #header(key: Buffer): string {
    this.#line.expect(key);
    this.#line.byte(BYTE.quote);
    this.#line.string();
    return this.#line.name();
  }

  /** Skips the value of a key of the record that is no fact; a key of its header must not come twice. */
  #skipOther(key: string): void {
    if (HEADER.has(key)) throw OTHER;
    this.#line.skip();
  }
}

/** Keys that must not come a second time, or not at all in a record. */
const HEADER: ReadonlySet<string> = new Set([
  ...['seq', 'id', 'time', 'conversation', 'run', 'call', 'parentCall', 'agent', 'depth', 'type', 'role'],
]);
