import { isFailedMessage, stateIn } from '../../query/numbers/failures.js';
import { argumentHash, argumentHashIn, textHash } from '../../query/numbers/argumentHash.js';
import { aboutTokens, tokensOfAscii } from '../../query/numbers/context/aboutTokens.js';
import { addPart, callTokens } from '../../query/numbers/context/contextSizes.js';
import { argumentFacts, type FactSite } from '../../query/numbers/facts.js';
import { callsOf, MAX_READ_ARGUMENTS } from '../../query/numbers/toolCalls.js';
import { charactersOf } from '../../query/numbers/messageSize.js';
import { readUsage, tokensOf } from '../../query/numbers/tokens.js';
import { BYTE, JsonCursor, OTHER } from './jsonCursor.js';
import { isPart, isToolCall, ROLES } from '../../core/messageProblem.js';
import { ArgumentScanner } from './scanArguments.js';
import { isCell, ScannedRecord, type ScannedCall } from './scannedRecord.js';

/** What stands in the source of a message that stands for a compaction, see `compactionMessage`; or in an escape. */
const COMPACTS = ['isCompactSummary', '"summary"', '"context_management"', '\\u'].map((sign) =>
  Buffer.from(sign),
);

/**
 * Goes past what the source of a message said besides; gives `Facts#sourceId`. Throws `OTHER` for the few that stand for a
 * compaction, which are parsed.
 */
function scanSource(line: JsonCursor): number {
  const start = line.at;
  const id = line.code() === BYTE.open ? scanSourceId(line) : '';
  if (line.at === start) line.skip();
  const source = line.bytes.subarray(start, line.at);
  if (COMPACTS.some((sign) => source.includes(sign))) throw OTHER;
  return id === '' ? 0 : textHash(id);
}

/** See `sourceIdOf`. */
function scanSourceId(line: JsonCursor): string {
  let [uuid, id] = ['', ''];
  line.byte(BYTE.open);
  for (let isFirst = true; line.nextKey(isFirst); isFirst = false) {
    const key = line.key();
    const isId = key === 'uuid' || key === 'id';
    const text = isId && line.code() === BYTE.quote ? line.idOr('') : '';
    if (isId && text === '') throw OTHER;
    if (key === 'uuid') uuid = text;
    else if (isId) id = text;
    else line.skip();
  }
  return uuid || id;
}

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

/**
 * Takes the facts of messages and requests from the bytes of their lines, without parsing their texts: nearly all lines of a
 * journal are of these two types. It knows the order and the shape in which a journal writes them, and gives up on
 * everything else. Only for lines whose checksum is right: these are JSON, because this program wrote them.
 */
export class FactScanner {
  readonly #conversation: string;
  readonly #places: { readonly bytes: Buffer; readonly place: FactSite }[] = [];
  readonly #line = new JsonCursor();
  readonly #arguments = new ArgumentScanner();
  readonly #record = new ScannedRecord();
  #hasParts = false;
  /** Whether all texts of the message are of ASCII. */
  #isAllAscii = true;

  constructor(conversation: string) {
    this.#conversation = conversation;
  }

  /**
   * The facts of the record on the line from `from` up to, not including, `to`, valid until the next scan; undefined where it
   * has to be parsed.
   */
  scan(bytes: Buffer, from: number, to: number): ScannedRecord | undefined {
    this.#line.begin(bytes, from, to);
    this.#record.begin(bytes);
    this.#hasParts = false;
    try {
      this.#scan();
      return this.#record;
    } catch (error) {
      if (error === OTHER) return undefined;
      throw error;
    }
  }

  #scan(): void {
    const line = this.#line;
    line.expect(SEQ);
    if (line.digits() < 1) throw OTHER;
    line.expect(ID);
    line.string();
    if (line.from === line.to) throw OTHER;
    line.expect(TIME);
    const time = line.digits();
    if (time > LATEST) throw OTHER;
    this.#record.time = time;
    this.#record.place = this.#place();
    if (line.goPast(MESSAGE)) this.#messageRecord();
    else {
      line.expect(REQUEST);
      this.#request();
    }
  }

  #messageRecord(): void {
    const [line, record] = [this.#line, this.#record];
    const { kind } = record;
    kind.type = 'message';
    let toolName = '';
    let isError = false;
    let partial = '';
    let state = '';
    let spill: unknown;
    while (line.nextKey()) {
      const key = line.key();
      switch (key) {
        case 'message':
          this.#message();
          break;
        case 'model':
          kind.model = line.nameOr('');
          break;
        case 'toolName':
          toolName = line.nameOr('');
          break;
        case 'usage':
          this.#usage('messages');
          break;
        case 'durationMs':
          this.#duration();
          break;
        case 'isError':
          isError = line.code() === SMALL_T;
          line.skip();
          break;
        case 'partial':
          partial = line.nameOr('');
          break;
        case 'state':
          state = line.nameOr('');
          break;
        case 'source':
          record.sourceId = scanSource(line);
          break;
        case 'spill':
          spill = line.value();
          break;
        // Who speaks is told by the text, which is not decoded here.
        case 'injected':
        case 'absorbed':
          throw OTHER;
        default:
          this.#skipOther(key);
      }
    }
    if (kind.role === 0) throw OTHER;
    if (spill !== undefined) this.#sizeSpilled(spill);
    if (kind.toolName === '') kind.toolName = toolName;
    kind.isFailure = isFailedMessage({ isError, partial, state });
    if (kind.role === 'tool') kind.state = stateIn({ state, isError, partial });
  }

  #sizeSpilled(spill: unknown): void {
    if (!this.#isAllAscii || this.#hasParts || !Array.isArray(spill)) throw OTHER;
    this.#record.sizeSpilled(spill);
  }

  #request(): void {
    const [line, record] = [this.#line, this.#record];
    const { kind } = record;
    kind.type = 'request';
    let hasError = false;
    let hasBegun = false;
    let required = 0;
    while (line.nextKey()) {
      const key = line.key();
      switch (key) {
        case 'model': {
          const model = line.nameOr(undefined);
          if (model === undefined) throw OTHER;
          kind.model = model;
          required |= 1;
          break;
        }
        case 'endpoint':
          if (line.nameOr(undefined) !== undefined) required |= 2;
          break;
        case 'attempt':
          line.duration();
          required |= 4;
          break;
        case 'durationMs':
          this.#duration();
          required |= 8;
          break;
        case 'usage':
          this.#usage('requests');
          break;
        case 'firstTokenMs':
          hasBegun = true;
          line.skip();
          break;
        case 'error':
          hasError = line.code() === BYTE.open;
          kind.isFailure = this.#isFailure();
          break;
        case 'message':
        case 'toolName':
        case 'toolCallId':
          throw OTHER;
        default:
          this.#skipOther(key);
      }
    }
    if (required !== 15) throw OTHER;
    if (hasError && !hasBegun && !kind.hasUsage) this.#record.setTokens(0, 0, false);
  }

  /** Whether an error is one, and not that somebody stopped the run. */
  #isFailure(): boolean {
    const line = this.#line;
    if (line.code() !== BYTE.open) {
      line.skip();
      return false;
    }
    line.byte(BYTE.open);
    let code = '';
    let isFirst = true;
    while (line.nextKey(isFirst)) {
      isFirst = false;
      if (line.key() === 'code') code = line.nameOr('');
      else line.skip();
    }
    return code !== 'cancelled';
  }

  #message(): void {
    const [line, record] = [this.#line, this.#record];
    const { kind } = record;
    // Where a record has two messages, the last one counts.
    record.beginMessage();
    this.#hasParts = false;
    this.#isAllAscii = true;
    line.byte(BYTE.open);
    let role = '';
    let hasShown = false;
    let inCalls = 0;
    let isFirst = true;
    // The last of two keys counts, as it does where the line is parsed.
    while (line.nextKey(isFirst)) {
      isFirst = false;
      switch (line.key()) {
        case 'role':
          role = line.nameOr('');
          break;
        case 'content':
          this.#content();
          break;
        case 'name':
          kind.toolName = line.nameOr('');
          break;
        case 'tool_call_id':
          this.#answers();
          break;
        case 'reasoning_content':
          record.reasoning = line.textOr() ? line.length() : 0;
          record.reasoningTokens = this.#tokensOf(record.reasoning);
          break;
        case 'refusal': {
          const length = line.textOr() ? line.length() : 0;
          hasShown = length > 0;
          record.refusedTokens = this.#tokensOf(length);
          break;
        }
        case 'tool_calls':
          record.callCount = 0;
          inCalls = this.#calls();
          break;
        case 'tool_call_ids':
          throw OTHER;
        default:
          line.skip();
      }
    }
    if (!ROLES.has(role)) throw OTHER;
    kind.role = role;
    record.contentTokens += record.refusedTokens;
    if (role === 'assistant') record.characters += inCalls;
    else record.callCount = 0;
    kind.says = kind.hasText || hasShown || this.#hasParts || record.reasoning > 0;
  }

  /** About how many tokens the text is that was read last, whose length is known; 0 for none. */
  #tokensOf(length: number): number {
    const line = this.#line;
    if (length === 0) return 0;
    if (line.isAllAscii()) return tokensOfAscii(length);
    this.#isAllAscii = false;
    return aboutTokens(line.own());
  }

  #answers(): void {
    const line = this.#line;
    this.#record.answersFrom = this.#record.answersTo = 0;
    if (line.isNull()) return;
    this.#plainString();
    if (line.to === line.from) return;
    this.#record.answersFrom = line.from;
    this.#record.answersTo = line.to;
  }

  /** Goes past a string whose bytes are its characters. */
  #plainString(): void {
    const line = this.#line;
    line.byte(BYTE.quote);
    line.string();
    if (!line.isPlain()) throw OTHER;
  }

  /** The length and the size of a content, and whether it has a word. */
  #content(): void {
    const [line, record] = [this.#line, this.#record];
    this.#hasParts = false;
    record.imageTokens = 0;
    if (line.code() === BYTE.openList) {
      this.#parts();
      return;
    }
    record.characters = line.textOr() ? line.length() : 0;
    record.contentTokens = this.#tokensOf(record.characters);
    record.kind.hasText = record.characters > 0 && line.hasWord();
  }

  /** The same of a content that is a list of parts. */
  #parts(): void {
    const line = this.#line;
    let [characters, hasText] = [0, false];
    const sizes = { content: 0, images: 0 };
    line.byte(BYTE.openList);
    this.#hasParts = line.code() !== BYTE.closeList;
    for (let isFirst = true; line.code() !== BYTE.closeList; isFirst = false) {
      if (!isFirst) line.byte(BYTE.comma);
      const start = line.at;
      if (line.goPast(TEXT_PART)) {
        line.string();
        characters += line.length();
        // The script of a text is told by a sample of all of it.
        if (!line.isAllAscii()) throw OTHER;
        hasText ||= line.to > line.from && line.hasWord();
        if (line.code() === BYTE.close) {
          line.at++;
          continue;
        }
        throw OTHER;
      }
      const part = line.value(start);
      if (!isPart(part) || part.type === 'text') throw OTHER;
      addPart(sizes, part);
    }
    line.at++;
    this.#record.contentTokens = sizes.content + tokensOfAscii(characters);
    this.#record.imageTokens = sizes.images;
    this.#record.characters = characters;
    this.#record.kind.hasText = hasText;
  }

  /** Takes the calls of a message; gives how many characters they have. */
  #calls(): number {
    const line = this.#line;
    if (line.isNull()) return 0;
    const start = line.at;
    const characters = this.#plainCalls();
    return characters < 0 ? this.#parsedCalls(start) : characters;
  }

  /** The calls where they are written as this program writes them, without anything that a provider expects back; else -1. */
  #plainCalls(): number {
    const [line, record] = [this.#line, this.#record];
    if (!line.goPast(LIST)) return -1;
    let characters = 0;
    while (line.code() !== BYTE.closeList) {
      if (record.callCount > 0 && line.code() === BYTE.comma) line.at++;
      if (!line.goPast(CALL_ID)) return -1;
      line.string();
      if (!line.isPlain()) throw OTHER;
      const call = record.call(record.callCount);
      call.idFrom = line.from;
      call.idTo = line.to;
      if (!line.goPast(FUNCTION)) return -1;
      line.string();
      call.name = line.name();
      if (call.name === '' || !line.goPast(ARGUMENTS)) return -1;
      line.string();
      const length = line.length();
      characters += call.name.length + length;
      call.tokens = aboutTokens(call.name) + this.#tokensOf(length);
      if (length > MAX_READ_ARGUMENTS || !this.#arguments.scan(line, call)) parseArguments(line, call);
      else call.hash = hashOf(line);
      if (!line.goPast(END_OF_CALL)) return -1;
      record.callCount++;
    }
    line.at++;
    return characters;
  }

  /** The same of calls with more in them; their ids are found again in the bytes. */
  #parsedCalls(start: number): number {
    const [line, record] = [this.#line, this.#record];
    record.callCount = 0;
    const value = line.value(start);
    if (!Array.isArray(value) || !value.every(isToolCall)) throw OTHER;
    const message = { role: 'assistant', tool_calls: value };
    const calls = callsOf(message);
    for (const { id, name, input } of calls) {
      const call = record.call(record.callCount++);
      call.tokens = callTokens({ name, input }, undefined, 0);
      const quoted = `"${id}"`;
      const at = /^[ !#-[\]-~]*$/.test(id) ? line.bytes.indexOf(quoted, start) : -1;
      if (at < 0 || at >= line.at) throw OTHER;
      call.idFrom = at + 1;
      call.idTo = at + 1 + id.length;
      call.name = name;
      call.setArguments(argumentFacts(name, input), argumentHash(input));
    }
    return charactersOf(message, calls);
  }

  #duration(): void {
    const { kind } = this.#record;
    const durationMs = this.#line.duration();
    if (!isCell(durationMs)) throw OTHER;
    this.#record.durationMs = durationMs;
    kind.hasDuration = true;
  }

  #usage(reporter: 'messages' | 'requests'): void {
    const [line, record] = [this.#line, this.#record];
    const { kind } = record;
    const start = line.at;
    if (line.goPast(INPUT)) {
      const input = line.digitsOr();
      if (input >= 0 && line.goPast(OUTPUT)) {
        const output = line.digitsOr();
        const isEstimated = line.goPast(ESTIMATED);
        if (output >= 0 && (isEstimated || line.goPast(REPORTED))) {
          kind.reporter = input + output === 0 ? 0 : reporter;
          kind.hasCost = false;
          if (!record.setTokens(input, output, isEstimated)) throw OTHER;
          return;
        }
      }
    }
    const usage = readUsage(line.value(start));
    kind.hasUsage = kind.hasCost = kind.isEstimated = false;
    kind.reporter = tokensOf(usage) ? reporter : 0;
    if (usage && !record.setUsage(usage)) throw OTHER;
  }

  /** The place of a record, with the conversation before it and the comma behind it. */
  #place(): FactSite {
    const places = this.#places;
    for (let at = 0; at < places.length; at++) {
      const known = places[at];
      if (!known || !this.#line.goPast(known.bytes)) continue;
      if (at > 0) {
        places.splice(at, 1);
        places.unshift(known);
      }
      return known.place;
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
  'seq',
  'id',
  'time',
  'conversation',
  'run',
  'call',
  'parentCall',
  'agent',
  'depth',
  'type',
  'role',
]);

function hashOf({ bytes, from, to }: JsonCursor): number {
  return argumentHashIn(bytes, from, to, () => bytes.toString('utf8', from, to));
}

function parseArguments(line: JsonCursor, call: ScannedCall): void {
  const json = line.bytes.toString('utf8', line.from - 1, line.to + 1);
  const input: unknown = JSON.parse(json);
  call.setArguments(argumentFacts(call.name, input), argumentHash(input));
}
