import { messageType, type MessageType } from './protobufJson.js';

/**
 * The messages of OTLP 1.9 (opentelemetry-proto: common/v1, resource/v1, trace/v1, logs/v1, collector/trace/v1 and
 * collector/logs/v1), with the numbers of their fields. The names are those of the JSON encoding.
 */
const anyValue: MessageType = messageType(
  'AnyValue',
  [1, 'stringValue', 'text'],
  [2, 'boolValue', 'bool'],
  [3, 'intValue', 'int64'],
  [4, 'doubleValue', 'double'],
  [5, 'arrayValue', () => arrayValue],
  [6, 'kvlistValue', () => keyValueList],
  [7, 'bytesValue', 'bytes'],
);
const arrayValue: MessageType = messageType('ArrayValue', [1, 'values', [() => anyValue]]);
const keyValueList: MessageType = messageType('KeyValueList', [1, 'values', [() => keyValue]]);
const keyValue: MessageType = messageType('KeyValue', [1, 'key', 'text'], [2, 'value', () => anyValue]);

const entityRef = messageType(
  'EntityRef',
  [1, 'schemaUrl', 'text'],
  [2, 'type', 'text'],
  [3, 'idKeys', ['text']],
  [4, 'descriptionKeys', ['text']],
);
const resource = messageType(
  'Resource',
  [1, 'attributes', [() => keyValue]],
  [2, 'droppedAttributesCount', 'number'],
  [3, 'entityRefs', [() => entityRef]],
);
const scope = messageType(
  'InstrumentationScope',
  [1, 'name', 'text'],
  [2, 'version', 'text'],
  [3, 'attributes', [() => keyValue]],
  [4, 'droppedAttributesCount', 'number'],
);

const event = messageType(
  'Event',
  [1, 'timeUnixNano', 'time'],
  [2, 'name', 'text'],
  [3, 'attributes', [() => keyValue]],
  [4, 'droppedAttributesCount', 'number'],
);
const link = messageType(
  'Link',
  [1, 'traceId', 'hex'],
  [2, 'spanId', 'hex'],
  [3, 'traceState', 'text'],
  [4, 'attributes', [() => keyValue]],
  [5, 'droppedAttributesCount', 'number'],
  [6, 'flags', 'number'],
);
const status = messageType('Status', [2, 'message', 'text'], [3, 'code', 'number']);
const span = messageType(
  'Span',
  [1, 'traceId', 'hex'],
  [2, 'spanId', 'hex'],
  [3, 'traceState', 'text'],
  [4, 'parentSpanId', 'hex'],
  [5, 'name', 'text'],
  [6, 'kind', 'number'],
  [7, 'startTimeUnixNano', 'time'],
  [8, 'endTimeUnixNano', 'time'],
  [9, 'attributes', [() => keyValue]],
  [10, 'droppedAttributesCount', 'number'],
  [11, 'events', [() => event]],
  [12, 'droppedEventsCount', 'number'],
  [13, 'links', [() => link]],
  [14, 'droppedLinksCount', 'number'],
  [15, 'status', () => status],
  [16, 'flags', 'number'],
);
const scopeSpans = messageType(
  'ScopeSpans',
  [1, 'scope', () => scope],
  [2, 'spans', [() => span]],
  [3, 'schemaUrl', 'text'],
);
const resourceSpans = messageType(
  'ResourceSpans',
  [1, 'resource', () => resource],
  [2, 'scopeSpans', [() => scopeSpans]],
  [3, 'schemaUrl', 'text'],
);

const logRecord = messageType(
  'LogRecord',
  [1, 'timeUnixNano', 'time'],
  [2, 'severityNumber', 'number'],
  [3, 'severityText', 'text'],
  [5, 'body', () => anyValue],
  [6, 'attributes', [() => keyValue]],
  [7, 'droppedAttributesCount', 'number'],
  [8, 'flags', 'number'],
  [9, 'traceId', 'hex'],
  [10, 'spanId', 'hex'],
  [11, 'observedTimeUnixNano', 'time'],
  [12, 'eventName', 'text'],
);
const scopeLogs = messageType(
  'ScopeLogs',
  [1, 'scope', () => scope],
  [2, 'logRecords', [() => logRecord]],
  [3, 'schemaUrl', 'text'],
);
const resourceLogs = messageType(
  'ResourceLogs',
  [1, 'resource', () => resource],
  [2, 'scopeLogs', [() => scopeLogs]],
  [3, 'schemaUrl', 'text'],
);

/** What is sent to `/v1/traces`. */
export const exportTraces = messageType('ExportTraceServiceRequest', [
  1,
  'resourceSpans',
  [() => resourceSpans],
]);

/** What is sent to `/v1/logs`. */
export const exportLogs = messageType('ExportLogsServiceRequest', [1, 'resourceLogs', [() => resourceLogs]]);
