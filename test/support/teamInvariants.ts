import type { LogRecord } from '../../src/core/record.js';

/** What must hold for the records of whole runs, in words; empty when all does. */
export function brokenInvariants(records: readonly LogRecord[]): string[] {
  const broken: string[] = [];
  for (const [index, { seq }] of records.entries())
    if (seq !== index + 1) broken.push(`seq ${seq} at ${index}`);
  for (const [call, own] of byCall(records)) {
    const types = own.map(({ type }) => type);
    if (types[0] !== 'callStart' || types.at(-1) !== 'callEnd') broken.push(`${call} does not begin and end`);
    if (types.filter((type) => type === 'callEnd').length !== 1) broken.push(`${call} ends more than once`);
    const outcome = own.find((record) => record.type === 'callEnd');
    if (outcome && (outcome.outcome === 'done') === (outcome.reason !== undefined)) {
      broken.push(`${call} is ${outcome.outcome} with the reason ${String(outcome.reason)}`);
    }
    broken.push(...brokenPairs(call, own));
  }
  broken.push(...brokenDispatches(records));
  return broken;
}

function byCall(records: readonly LogRecord[]): Map<string, LogRecord[]> {
  const calls = new Map<string, LogRecord[]>();
  for (const record of records) {
    const own = calls.get(record.call);
    if (own) own.push(record);
    else calls.set(record.call, [record]);
  }
  return calls;
}

/** Every tool call of a call answered exactly once, before the next answer of the model, in the order of the calls. */
function brokenPairs(call: string, own: readonly LogRecord[]): string[] {
  const broken: string[] = [];
  let open: string[] = [];
  for (const record of own) {
    if (record.type !== 'message') continue;
    const { role, tool_call_id: id, tool_calls: made } = record.message;
    if (role === 'tool') {
      const expected = open.shift();
      if (id !== expected) broken.push(`${call}: answer to ${String(id)}, expected ${String(expected)}`);
    } else if (role === 'assistant') {
      if (open.length > 0) broken.push(`${call}: unanswered ${open.join(', ')}`);
      open = (made ?? []).map((one) => one.id);
    }
  }
  if (open.length > 0) broken.push(`${call}: unanswered at the end ${open.join(', ')}`);
  return broken;
}

/** Every dispatch that was not refused has its child's call, which begins later and ends before its parent. */
function brokenDispatches(records: readonly LogRecord[]): string[] {
  const broken: string[] = [];
  const starts = new Map(
    records.filter(({ type }) => type === 'callStart').map((record) => [record.call, record]),
  );
  const ends = new Map(
    records.filter(({ type }) => type === 'callEnd').map((record) => [record.call, record]),
  );
  for (const record of records) {
    if (record.type !== 'dispatch' || record.childCall === undefined) continue;
    const start = starts.get(record.childCall);
    const end = ends.get(record.childCall);
    const parentEnd = ends.get(record.call);
    if (
      !start ||
      start.seq < record.seq ||
      start.parentCall !== record.call ||
      start.depth !== record.depth + 1
    ) {
      broken.push(`${record.childCall} does not start after its dispatch, one deeper`);
    }
    if (!end || !parentEnd || end.seq > parentEnd.seq) broken.push(`${record.childCall} outlives its parent`);
  }
  return broken;
}

/** What is wrong with dispatches as a frontend showed them: each start has one end, and no end comes without start. */
export function brokenShows(lines: readonly string[], refused: number): string[] {
  const count = (word: string) => lines.filter((line) => line.startsWith(`${word} `)).length;
  const ends = count('result') + count('failure');
  return ends === count('start') + refused
    ? []
    : [`${count('start')} starts, ${refused} refused, ${ends} ends`];
}
