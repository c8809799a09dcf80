import { compactJson } from '../../query/numbers/jsonText.js';
import { envelopeOf, type UntypedMessage } from '../../query/numbers/transcriptItem.js';
import { isObject } from '../../core/message.js';
import type { BridgeFormat } from '../../core/ports/exportFormats.js';
import { wellFormedIn } from '../../core/wellFormed.js';
import { CheckedChunks } from '../checkedChunks.js';
import type { ExportOptions } from '../exportFormat.js';
import { HALVES } from '../leftOut.js';
import { derivedUuid, cleanId } from '../sharing/finding.js';
import { Redactor } from '../secrets/redact.js';
import { ResultCheck } from '../sharing/resultCheck.js';
import { AnthropicJsonlWriter } from './anthropicJsonl.js';
import { AtifWriter } from './atif.js';
import { BufferedCalls, callOf, type AboutTranscript, type BridgeWriter, type Loses } from './bridge.js';
import { ClaudeSessionWriter } from './claudeSession.js';
import { CodexSessionWriter } from './codexSession.js';
import { TakenRecord } from './takenRecord.js';
import { otlpJson, type SpanOrigin } from '../otlp/otlpJson.js';
import type { OtlpSpan } from '../otlp/otlpSpan.js';
import { SpanMapper } from '../otlp/spanMapper.js';

/**
 * Messages of chat completions, as they were sent: a line for each conversation with a model, which is `{"messages": […]}`, as
 * files for fine-tuning are. The first line is of the entry agent, the others of the calls that were dispatched.
 */
class ChatJsonlWriter implements BridgeWriter {
  readonly #calls = new BufferedCalls();
  readonly #begun = new Set<string>();

  add(record: TakenRecord): string {
    if (!record.isMessage) return '';
    const call = callOf(record.record);
    const before = this.#begun.has(call) ? ',' : '{"messages":[';
    this.#begun.add(call);
    return this.#calls.add(call, before + compactJson(record.take(['message'])));
  }

  end(): string {
    return this.#calls.end(() => ']}\n');
  }
}

/**
 * A line for each request to a model: what was sent, as far as it stands in the record, and the answer as the last message.
 * What was said after the last answer of a call stands in no request.
 */
class RequestJsonlWriter implements BridgeWriter {
  readonly #loses: Loses;
  /** What was said so far in each call. */
  readonly #said = new Map<string, { text: string; unsent: number }>();

  constructor({ loses }: AboutTranscript) {
    this.#loses = loses;
  }

  add(record: TakenRecord): string {
    if (!record.isMessage) return '';
    const call = callOf(record.record);
    const said = this.#said.get(call) ?? { text: '', unsent: 0 };
    this.#said.set(call, said);
    said.text += `${said.text === '' ? '' : ','}${compactJson(record.take(['message']))}`;
    said.unsent++;
    if (record.get(['message', 'role']) !== 'assistant') return '';
    said.unsent = 0;
    const model = record.take(['model']);
    const named = typeof model === 'string' ? `"model":${JSON.stringify(model)},` : '';
    return `{${named}"messages":[${said.text}]}\n`;
  }

  end(): string {
    for (const { unsent } of this.#said.values()) this.#loses('message records', unsent);
    return '';
  }
}

/** How many spans are on a line at most, and how many characters, from which a line ends. */
const MAX_SPANS = 512;
const MAX_CHARACTERS = 1_000_000;

const ORIGIN: SpanOrigin = { resource: { 'service.name': 'agent-logbook' }, version: '' };

/**
 * Spans of OpenTelemetry in the JSON encoding of OTLP: each line is a request to a collector, as its own file exporter writes them.
 * What the conventions have no word for stands in attributes of our own, so that nothing of a record is left out.
 */
class OtlpJsonlWriter implements BridgeWriter {
  readonly #mapper: SpanMapper;
  #spans: OtlpSpan[] = [];
  #characters = 0;
  readonly #loses: Loses;

  constructor({ conversation, loses, prices }: AboutTranscript) {
    this.#loses = loses;
    this.#mapper = new SpanMapper({ conversation, ...(prices && { prices }) });
  }

  add(record: TakenRecord): string {
    for (const field of Object.keys(record.record)) record.take([field]);
    return this.#lines(this.#mapper.add(record.record));
  }

  end(): string {
    const lines = this.#lines(this.#mapper.end());
    return lines + this.#line();
  }

  #lines(spans: readonly OtlpSpan[]): string {
    let lines = '';
    for (const span of spans) {
      this.#spans.push(span);
      // A span has a time: whoever shows one of a transcript that tells none shows it in 1970.
      if (span.start === 0) this.#loses('dates of spans');
      for (const value of Object.values(span.attributes))
        this.#characters += typeof value === 'string' ? value.length : 0;
      if (this.#spans.length >= MAX_SPANS || this.#characters >= MAX_CHARACTERS) lines += this.#line();
    }
    return lines;
  }

  #line(): string {
    if (this.#spans.length === 0) return '';
    const line = otlpJson(this.#spans, ORIGIN);
    this.#spans = [];
    this.#characters = 0;
    return `${line}\n`;
  }
}

const WRITERS: Readonly<Record<BridgeFormat, new (about: AboutTranscript) => BridgeWriter>> = {
  atif: AtifWriter,
  'chat-jsonl': ChatJsonlWriter,
  'request-jsonl': RequestJsonlWriter,
  anthropic: AnthropicJsonlWriter,
  'claude-session': ClaudeSessionWriter,
  'codex-session': CodexSessionWriter,
  'otlp-json': OtlpJsonlWriter,
};

/** What an export for another tool takes of the options. */
export type BridgeOptions = Pick<
  ExportOptions,
  'redact' | 'gate' | 'notes' | 'session' | 'prices' | 'onReport'
>;

/**
 * Writes records for another tool, text by text. What that has no place for is counted, field by field, in the report. Of calls
 * that were dispatched the texts are held until the end.
 */
export async function* bridgeChunks(
  items: Iterable<unknown> | AsyncIterable<unknown>,
  format: BridgeFormat,
  { redact, gate, notes, session, prices, onReport }: BridgeOptions = {},
): AsyncGenerator<string, void, undefined> {
  const isOpen = redact === false;
  const redactor = isOpen ? undefined : (gate?.redactor() ?? new Redactor());
  const check = isOpen ? undefined : (gate?.check() ?? new ResultCheck());
  const leftOut = new Map<string, number>();
  const loses = (field: string, times = 1) => {
    if (times > 0) leftOut.set(field, (leftOut.get(field) ?? 0) + times);
  };
  const mended = () => {
    loses(HALVES);
  };
  // Spans hold all of a record: where nothing is left out of them, they give it back as it was recorded.
  const isAsRecorded = isOpen && format === 'otlp-json';
  const chunks = new CheckedChunks(check, isAsRecorded ? {} : { form: 'json', mended });
  const runs = new RunBounds();
  let writer: BridgeWriter | undefined;
  let messages = 0;
  let index = 0;
  for await (const item of items) {
    const given = recordOf(redactor ? redactor.partOf(item, item) : item);
    const record = isAsRecorded ? given : wellFormedIn(given, mended);
    loses('notes', notes?.get(index++)?.length ?? 0);
    if (!record) continue;
    check?.given(() => record);
    writer ??= new WRITERS[format]({
      ...aboutOf(cleanId(nameOf(item), redactor && (gate?.redactor() ?? new Redactor())), session),
      loses,
      prices,
    });
    if (isObject(record.message)) messages++;
    if (format !== 'otlp-json') loses('boundaries of runs', runs.next(record));
    const taken = new TakenRecord(record);
    const text = writer.add(taken);
    for (const field of taken.left()) loses(field);
    const chunk = chunks.add(text);
    if (chunk !== '') yield chunk;
  }
  const last = chunks.add(writer?.end() ?? '');
  if (last !== '') yield last;
  yield* chunks.end();
  onReport?.({
    messages,
    redacted: redactor?.count ?? 0,
    ...(redactor && redactor.kept > 0 && { leftIn: redactor.kept }),
    ...(leftOut.size > 0 && { leftOut: Object.fromEntries(leftOut) }),
  });
}

/** Where a run of the entry agent follows another one, which only spans tell. */
class RunBounds {
  #last: unknown;

  /** How many begin with a record. */
  next({ run, depth, message }: UntypedMessage): 0 | 1 {
    if (depth !== 0 || message === undefined) return 0;
    const begins = this.#last !== undefined && this.#last !== run;
    this.#last = run;
    return begins ? 1 : 0;
  }
}

/** An item as a record; a bare message is one of the entry agent. */
function recordOf(item: unknown): UntypedMessage | undefined {
  const envelope = envelopeOf(item);
  if (envelope) return envelope;
  return isObject(item) ? { type: 'message', depth: 0, message: item } : undefined;
}

/** What a conversation is called: two in whose ids something is left out are not called the same. */
function aboutOf(
  conversation: string,
  session: ExportOptions['session'],
): Omit<AboutTranscript, 'loses' | 'prices'> {
  const { id = derivedUuid(conversation), folder = '' } = session ?? {};
  return { conversation, session: { id, folder } };
}

function nameOf(item: unknown): string {
  const conversation = envelopeOf(item)?.conversation;
  return typeof conversation === 'string' ? conversation : '';
}
