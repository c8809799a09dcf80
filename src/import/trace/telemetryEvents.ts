import { isObject } from '../../core/message.js';
import { asText, list, number, text, time, type Fields } from '../reading/fields.js';
import { Groups } from './groups.js';
import { most, type LinesFormat } from '../building/transcriptFormat.js';
import { plainAttributes, plainValue } from './rawSpans.js';
import { spanLogsOf } from './spanLogs.js';
import { TraceReader } from './traceReader.js';
import type { TraceSpan } from './traceSpan.js';

/** An event that an agent's command line logs by OpenTelemetry. */
export interface TelemetryEvent {
  /** What happened, without the name of the tool in front; '' for a record that is none of its events. */
  readonly name: string;
  readonly about: Fields;
  /** When it was over, in milliseconds since 1970. */
  readonly time: number | undefined;
  /** When it began, as far as it says how long it took. */
  readonly start: number | undefined;
  /** The record as it was written. */
  readonly record: Fields;
}

/** How one tool logs what it does. */
export interface TelemetryOf extends Pick<LinesFormat, 'name' | 'of' | 'files' | 'carries'> {
  /** The agent that works in a session. */
  readonly agent: string;
  /** The names of its events, the first group of which is the event's own. */
  readonly events: RegExp;
  /** The attribute that names the session. */
  readonly session: string;
  /** What the events of a session tell, in their order. */
  readonly spansOf: (events: readonly TelemetryEvent[]) => readonly TraceSpan[];
}

/**
 * The format of logs that an agent's command line writes about itself: one record of OpenTelemetry's logs after another,
 * one conversation for each session. Spans that stand between them tell the same from within, and are kept.
 */
export function telemetryFormat({ agent, events, session, spansOf, ...about }: TelemetryOf): LinesFormat {
  return {
    ...about,
    detect: (head) => most(head.flatMap(recordsOf), (found) => nameOf(found as LogRecord, events) !== ''),
    readLines(lines, sink) {
      const sessions = new Groups<LogRecord>(lines, sink);
      for (const value of sessions.values(lines)) {
        const records = recordsOf(value);
        for (const found of records) sessions.add(asText(attributesOf(found)[session]), found);
        if (records.length === 0) sessions.addSingle({ record: { value }, origin: {} });
      }
      let isFirst = true;
      for (const records of sessions.all()) {
        const id = records
          .map((each) => text(attributesOf(each)[session]))
          .find((each) => each !== undefined);
        const builder = sink.conversation(id, agent);
        const origins = new Map(records.map(({ origin }) => [JSON.stringify(origin), origin]));
        for (const origin of origins.values())
          if (Object.keys(origin).length > 0) builder.keep(builder.entry, 'resource', origin);
        if (isFirst)
          for (const { record } of sessions.singles()) builder.keep(builder.entry, 'spans', record.value);
        new TraceReader(builder).read(spansOf(records.map((each) => eventOf(each, events))));
        isFirst = false;
      }
    },
  };
}

/** A span that only keeps an event, at its place. */
export function spanOfEvent({ name, time: at, record }: TelemetryEvent, index: number): TraceSpan {
  return {
    id: `record ${index}`,
    parent: '',
    name: name === '' ? 'record' : name,
    kind: 'other',
    start: at,
    end: undefined,
    input: [],
    output: [],
    source: record,
  };
}

/** A number of an event, which some tools write as a text. */
export function numberIn(value: unknown): number | undefined {
  return number(typeof value === 'string' && value.trim() !== '' ? Number(value) : value);
}

/** Whether an event says that what it tells of failed. */
export function isFailure({ success }: Fields): boolean {
  return success === false || success === 'false';
}

/** A log record, with the resource and the scope that it came from. */
interface LogRecord {
  readonly record: Fields;
  readonly origin: Fields;
}

/** The log records in a value: those in OTLP's `resourceLogs`, or bare ones, which may lack a body. */
function recordsOf(value: unknown): LogRecord[] {
  if (Array.isArray(value)) return value.flatMap((each) => recordsOf(each));
  if (!isObject(value)) return [];
  const logs = Array.isArray(value.resourceLogs) ? spanLogsOf(value) : [];
  if (logs.length > 0) return logs.map(({ record, origin }) => ({ record, origin }));
  return 'attributes' in value || 'body' in value ? [{ record: value, origin: {} }] : [];
}

function attributesOf({ record: { attributes } }: LogRecord): Fields {
  return isObject(attributes) ? attributes : plainAttributes(attributes);
}

/** An event's own name; '' where it is none of these. Tools write the whole name as an attribute or as the body. */
function nameOf(found: LogRecord, events: RegExp): string {
  const told = [attributesOf(found)['event.name'], plainValue(found.record.body), found.record.eventName];
  return told.map((name) => events.exec(asText(name))?.[1]).find((name) => name !== undefined) ?? '';
}

function eventOf(found: LogRecord, events: RegExp): TelemetryEvent {
  const { record } = found;
  const about = attributesOf(found);
  const [seconds] = list(record.hrTime ?? record._hrTime ?? record.timestamp);
  const told =
    time(about['event.timestamp']) ??
    time(record.timeUnixNano) ??
    (typeof seconds === 'number' ? time(seconds) : time(record.timestamp));
  const took = numberIn(about.duration_ms);
  return {
    name: nameOf(found, events),
    about,
    time: told,
    // What takes time is logged when it is over.
    start: told !== undefined && took !== undefined ? told - took : told,
    record,
  };
}
