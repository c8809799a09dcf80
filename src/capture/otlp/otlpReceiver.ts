import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BoundedMap } from '../../core/boundedMap.js';
import { errorCode } from '../../core/errorCode.js';
import { messageOf } from '../../core/text.js';
import { requireLoopback } from '../servers/loopbackGuard.js';
import { LoopbackServer } from '../servers/loopbackServer.js';
import { MAX_RECORDING, RecordingFiles, type Growth } from '../servers/recordingFiles.js';
import { refuse, Refusal } from '../servers/refusal.js';
import { BodyBudget, readBody, type BodyLimits } from '../servers/requestBody.js';
import { exportLogs, exportTraces } from './messageTypes.js';
import { LOGS, takeApart, TRACES, type Batch } from './otlpBatch.js';
import { readMessage } from './protobufJson.js';
import { SessionRecordings } from './sessionRecordings.js';

/** The port that OTLP over HTTP has by convention. */
export const OTLP_PORT = 4318;

/** The most bytes of a request, as sent and unpacked. */
const MAX_REQUEST = 32 * 1024 * 1024;
/** The most bytes of requests that are worked on at once. */
const MAX_HELD = 4 * MAX_REQUEST;
const MAX_CONNECTIONS = 256;
/** Of how many traces is remembered which conversation they named first. */
const MAX_TALKS = 10_000;

/** What a receiver is given. */
export interface OtlpReceiverOptions {
  /** The port; 0 takes any that is free. */
  readonly port: number;
  /** The folder of the recordings. */
  readonly folder: string;
  /** The most bytes of one recording; 512 MiB where nothing is said. */
  readonly maxRecording?: number;
  /** See `BodyLimits`. */
  readonly paceMs?: number;
  /** Hears of every recording that grew. */
  readonly onGrown: (growth: Growth) => void;
  /** Hears of what was not taken, in words. */
  readonly onProblem: (words: string) => void;
}

/** What was taken and what was not, since the receiver began. */
export interface OtlpCounts {
  readonly requests: number;
  readonly spans: number;
  readonly logRecords: number;
  /** Spans and records that were refused with the rest of their request taken. */
  readonly refused: number;
  /** Requests that were refused whole. */
  readonly refusedRequests: number;
  /** Requests of metrics, which are answered and dropped. */
  readonly droppedMetrics: number;
  /** Fields of protobuf messages that nobody here knows. */
  readonly unknownFields: number;
}

type Encoding = 'protobuf' | 'json';

const CONTENT_TYPES: Readonly<Record<Encoding, string>> = {
  protobuf: 'application/x-protobuf',
  json: 'application/json',
};

/**
 * Receives OpenTelemetry's traces and logs over HTTP on this machine and records them as they came, in OTLP's JSON, a file
 * for each conversation. Answers as the protocol prescribes: what is taken is on the disk before it is answered; a span
 * that is wrong is refused alone and told in the answer; metrics are taken and said to be dropped.
 */
export class OtlpReceiver {
  readonly #options: OtlpReceiverOptions;
  readonly #files: RecordingFiles;
  readonly #limits: BodyLimits;
  readonly #counts = {
    requests: 0,
    spans: 0,
    logRecords: 0,
    refused: 0,
    refusedRequests: 0,
    droppedMetrics: 0,
    unknownFields: 0,
  };
  /** The conversations that traces have named first. */
  readonly #talks = new BoundedMap<string, string>(MAX_TALKS);
  #sessions: Promise<SessionRecordings> | undefined;
  #server: LoopbackServer | undefined;

  private constructor(options: OtlpReceiverOptions, files: RecordingFiles) {
    this.#options = options;
    this.#files = files;
    const { paceMs } = options;
    this.#limits = {
      maxBytes: MAX_REQUEST,
      budget: new BodyBudget(MAX_HELD),
      ...(paceMs !== undefined && { paceMs }),
    };
  }

  /** Starts to receive. Rejects with words for a person where the port cannot be had. */
  static async listen(options: OtlpReceiverOptions): Promise<OtlpReceiver> {
    const { folder, maxRecording = MAX_RECORDING, onGrown } = options;
    const files = new RecordingFiles({ folder, extension: '.otlp.jsonl', maxBytes: maxRecording, onGrown });
    const receiver = new OtlpReceiver(options, files);
    receiver.#server = await LoopbackServer.listen({
      port: options.port,
      maxConnections: MAX_CONNECTIONS,
      answer: (request, response) => receiver.#answer(request, response),
      onError: (error) => options.onProblem(messageOf(error)),
    });
    await receiver.#begun();
    return receiver;
  }

  /** Begins with what is remembered, once the port is had: until then another receiver may be writing to the same recordings. */
  #begun(): Promise<SessionRecordings> {
    const { folder, onProblem } = this.#options;
    return (this.#sessions ??= SessionRecordings.open({ folder, files: this.#files, onProblem }));
  }

  /** Where it receives, for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  get address(): string {
    return this.#server?.address ?? '';
  }

  get counts(): OtlpCounts {
    return { ...this.#counts };
  }

  /** Takes nothing more; resolves when all that was answered is closed, and nothing is being written. */
  async close(): Promise<void> {
    await this.#server?.close();
    await (await this.#sessions)?.settled();
    await this.#files.settled();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#counts.requests += 1;
    let encoding: Encoding = 'json';
    try {
      requireLoopback(request);
      const route = routeOf(request);
      encoding = encodingOf(request);
      const partial =
        route === 'metrics' ? await this.#dropMetrics(request) : await this.#take(request, route, encoding);
      const type = CONTENT_TYPES[encoding];
      response.writeHead(200, { 'content-type': type }).end(encoded(partial, encoding, route));
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal(500, messageOf(error));
      this.#counts.refusedRequests += 1;
      this.#options.onProblem(`${request.method ?? ''} ${request.url ?? ''}: ${refusal.message}`);
      const headers = { 'content-type': CONTENT_TYPES[encoding], ...refusal.headers };
      refuse(request, response, { status: refusal.status, headers, body: encodedStatus(refusal, encoding) });
    }
  }

  async #take(
    request: IncomingMessage,
    route: 'traces' | 'logs',
    encoding: Encoding,
  ): Promise<PartialSuccess> {
    const sessions = await this.#begun();
    const body = await readBody(request, this.#limits);
    try {
      const shape = route === 'traces' ? TRACES : LOGS;
      const batch = this.#read(body.bytes, route, encoding, (value) =>
        takeApart(value, shape, sessions.traces, this.#talks),
      );
      const naming = onDisk(sessions.name(batch.named));
      const recorded = [...batch.lines].map(([key, lines]) =>
        onDisk(this.#files.add(sessions.homeOf(key), lines)),
      );
      const [, ...added] = await Promise.all([naming, ...recorded]);
      const counts = [...batch.counts.values()];
      const beyond = counts.filter((_, at) => added[at] === false).reduce((sum, count) => sum + count, 0);
      const taken = counts.reduce((sum, count) => sum + count, 0) - beyond;
      this.#counts[route === 'traces' ? 'spans' : 'logRecords'] += taken;
      this.#counts.refused += batch.refused + beyond;
      const words = [
        ...(batch.refused > 0 ? [batch.problem] : []),
        ...(beyond > 0 ? [`The recording of its conversation is full: ${beyond} were not added.`] : []),
      ].join(' ');
      if (words !== '') this.#options.onProblem(words);
      return { rejected: batch.refused + beyond, words };
    } finally {
      body.free();
    }
  }

  #read(bytes: Buffer, route: 'traces' | 'logs', encoding: Encoding, take: (value: unknown) => Batch): Batch {
    try {
      if (encoding === 'json') return take(bytes.length === 0 ? {} : JSON.parse(bytes.toString('utf8')));
      const { value, unknownFields } = readMessage(route === 'traces' ? exportTraces : exportLogs, bytes);
      this.#counts.unknownFields += unknownFields;
      if (unknownFields > 0)
        this.#options.onProblem(
          `${unknownFields} fields of OTLP's ${route} are not known here and were left out.`,
        );
      return take(value);
    } catch (error) {
      throw new Refusal(400, `This is no request of OTLP's ${route}: ${messageOf(error)}`);
    }
  }

  async #dropMetrics(request: IncomingMessage): Promise<PartialSuccess> {
    const body = await readBody(request, this.#limits);
    body.free();
    this.#counts.droppedMetrics += 1;
    return { rejected: 0, words: 'Metrics are not recorded; they were dropped.' };
  }
}

/** What is written on the disk; a failure is one to be tried again. */
async function onDisk<T>(written: Promise<T>): Promise<T> {
  try {
    return await written;
  } catch (error) {
    const isFull = errorCode(error) === 'ENOSPC';
    const words = isFull ? 'The disk is full.' : messageOf(error);
    throw new Refusal(503, `It cannot be recorded: ${words}`, { 'retry-after': '10' });
  }
}

/** What an answer says of a request that was taken in part, or is to be warned of. */
interface PartialSuccess {
  readonly rejected: number;
  /** '' where all is well. */
  readonly words: string;
}

type Route = 'traces' | 'logs' | 'metrics';

const ROUTES: Readonly<Record<string, Route>> = {
  '/v1/traces': 'traces',
  '/v1/logs': 'logs',
  '/v1/metrics': 'metrics',
};

function routeOf({ method, url }: IncomingMessage): Route {
  const [path = ''] = (url ?? '').split('?');
  const route = Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined;
  if (!route) throw new Refusal(404, `Nothing is received here. Send to ${Object.keys(ROUTES).join(', ')}.`);
  if (method !== 'POST') throw new Refusal(405, 'Only POST is answered.', { allow: 'POST' });
  return route;
}

function encodingOf({ headers }: IncomingMessage): Encoding {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  const name = type.trim().toLowerCase();
  if (name === 'application/x-protobuf' || name === 'application/protobuf') return 'protobuf';
  if (name === 'application/json') return 'json';
  const known = Object.values(CONTENT_TYPES).join(' or ');
  throw new Refusal(415, `The content type is ${JSON.stringify(name)}; ${known} is expected.`);
}

const REJECTED: Readonly<Record<Route, string>> = {
  traces: 'rejectedSpans',
  logs: 'rejectedLogRecords',
  metrics: 'rejectedDataPoints',
};

/** `Export…ServiceResponse`: empty where all is well, else `partial_success` with its number and its words. */
function encoded({ rejected, words }: PartialSuccess, encoding: Encoding, route: Route): Uint8Array | string {
  if (encoding === 'json') {
    const partial = { [REJECTED[route]]: String(rejected), errorMessage: words };
    return JSON.stringify(words === '' ? {} : { partialSuccess: partial });
  }
  const writer = new BinaryWriter();
  if (words !== '') {
    writer.tag(1, WireType.LengthDelimited).fork();
    if (rejected > 0) writer.tag(1, WireType.Varint).int64(rejected);
    writer.tag(2, WireType.LengthDelimited).string(words).join();
  }
  return writer.finish();
}

/** `google.rpc.Status`, which a refused request is answered with. */
function encodedStatus({ status, message }: Refusal, encoding: Encoding): Uint8Array | string {
  const code = RPC_CODES[status] ?? 3;
  if (encoding === 'json') return JSON.stringify({ code, message });
  return new BinaryWriter()
    .tag(1, WireType.Varint)
    .int32(code)
    .tag(2, WireType.LengthDelimited)
    .string(message)
    .finish();
}

/** The codes of gRPC for ours of HTTP; 3 (invalid argument) for the rest. */
const RPC_CODES: Readonly<Record<number, number>> = { 403: 7, 404: 5, 405: 12, 429: 8, 500: 13, 503: 14 };
