/** The name of the instrumentation scope of spans that this product writes. */
export const OWN_SCOPE = 'agent-logbook';

/** Under which attributes such a span holds what OpenTelemetry's conventions have no word for. */
export const OWN = {
  /** The records that the span tells of, as a list in JSON: each without what the attributes of the span say of it. */
  records: 'agent_logbook.records',
  /** Run, call, caller, agent and depth of the records that say nothing else, as an object in JSON. */
  place: 'agent_logbook.place',
  /** What was cut or left out, as a list of names of fields. */
  truncated: 'agent_logbook.truncated',
} as const;

/** Which message of a span's attributes is that of a record: one of the input, one of the output, or the tool's result. */
export type MessagePosition = readonly ['in' | 'out', number] | readonly ['result'];

/** The fields of a record that `OWN.place` may tell. */
export const CALL_SITE_FIELDS = ['run', 'call', 'parentCall', 'agent', 'depth'] as const;
