import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answeredIdOf, type UntypedMessage } from '../../../src/query/numbers/transcriptItem.js';
import { canonicalJson } from '../../../src/core/canonicalJson.js';
import { isObject } from '../../../src/core/message.js';
import { wellFormedIn } from '../../../src/core/wellFormed.js';
import { callOf } from '../../../src/export/bridges/bridge.js';
import { bridgeChunks } from '../../../src/export/bridges/bridgeChunks.js';
import type { ExportReport } from '../../../src/export/exportFormat.js';
import { SharingGate } from '../../../src/export/sharing/sharingGate.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { BRIDGE_FORMATS, type BridgeFormat } from '../../../src/core/ports/exportFormats.js';
import { anyRecords } from '../query/arbitraries.js';
import { anthropicProblems } from '../../support/anthropicRules.js';
import { atifProblems } from '../../support/atifRules.js';
import { contextStory } from '../../support/contextStory.js';
import { decidedStory } from '../../support/decidedStory.js';
import { runs } from '../../support/fixedInputs.js';
import { hostileStory } from '../../support/hostileStory.js';
import { storable } from '../../support/storable.js';
import { teamStory } from '../../support/teamStory.js';
import { hasRealTranscripts, readReal, REAL_TRANSCRIPTS } from '../../ui/support/realTranscripts.js';

/** What is written of records, and what of them is not. */
async function written(records: readonly unknown[], format: BridgeFormat) {
  let report: ExportReport | undefined;
  let text = '';
  for await (const chunk of bridgeChunks(records, format, {
    redact: false,
    onReport: (made) => (report = made),
  }))
    text += chunk;
  return { text, messages: report?.messages, leftOut: report?.leftOut ?? {} };
}

/** What a field of a message says, by the field that a report would name. */
type Facts = Readonly<Record<string, string>>;

/** The fields of a message that other formats may carry. Empty values say nothing. */
function factsOf(record: UntypedMessage): Facts {
  const message = isObject(record.message) ? record.message : {};
  const calls = Array.isArray(message.tool_calls) ? (message.tool_calls as UntypedMessage[]) : [];
  const named = calls.map(({ id, function: called }): UntypedMessage => ({
    id,
    ...(isObject(called) ? called : {}),
  }));
  const usage = isObject(record.usage) ? record.usage : {};
  return {
    ...saidIn('message.role', message.role),
    ...saidIn('message.content', textParts(message.content)),
    ...saidIn('message.reasoning_content', message.reasoning_content),
    ...saidIn('message.tool_call_id', answeredIdOf(message)),
    ...saidIn('toolName', record.toolName),
    ...saidIn(
      'message.tool_calls[].id',
      named.map(({ id }) => id),
    ),
    ...saidIn(
      'message.tool_calls[].function.name',
      named.map((call) => call.name),
    ),
    ...saidIn(
      'message.tool_calls[].function.arguments',
      named.map((call) => meant(call.arguments)),
    ),
    ...saidIn('model', record.model),
    ...saidIn('time', record.time === 0 ? undefined : record.time),
    ...saidIn('isError', record.isError === true ? true : undefined),
    ...Object.assign(
      {},
      ...Object.entries(usage).map(([key, value]) =>
        saidIn(`usage.${key}`, value === 0 || value === false ? undefined : value),
      ),
    ),
  } as Facts;
}

const saidIn = (field: string, value: unknown): Facts => {
  const isNothing =
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
  return isNothing ? {} : { [field]: canonicalJson(value) };
};

/** A text and a list of nothing else say the same; an empty text says nothing. */
function textParts(content: unknown): unknown {
  if (!Array.isArray(content))
    return typeof content === 'string' ? textParts([{ type: 'text', text: content }]) : content;
  return (content as unknown[]).filter(
    (part) => !(isObject(part) && part.type === 'text' && part.text === ''),
  );
}

function meant(json: unknown): unknown {
  // A call without arguments, as some models write it.
  if (json === '') return {};
  try {
    return JSON.parse(String(json));
  } catch {
    return json;
  }
}

/** The facts of the messages of each call, those of the entry agent together. */
function callsOf(conversations: readonly (readonly unknown[])[], withoutSystem: boolean): Facts[][] {
  const calls = new Map<string, Facts[]>();
  for (const [index, records] of conversations.entries())
    for (const record of records as readonly UntypedMessage[]) {
      if (record.type !== 'message') continue;
      const facts = factsOf(record);
      if (withoutSystem && /system|developer/.test(facts['message.role'] ?? '')) continue;
      const call = `${index} ${callOf(record)}`;
      calls.set(call, [...(calls.get(call) ?? []), facts]);
    }
  return [...calls.values()];
}

type LeftOut = Readonly<Record<string, number>>;

/** How often the report names a field, as such, as a part of it, or with what it is part of. */
function timesNamed(field: string, leftOut: LeftOut): number {
  return Object.entries(leftOut)
    .map(([name, times]) => [name.replace(/ \(.*\)$/, ''), times] as const)
    .filter(
      ([name]) =>
        name === field ||
        name.startsWith(`${field}[`) ||
        field.startsWith(`${name}.`) ||
        field.startsWith(`${name}[`),
    )
    .reduce((sum, [, times]) => sum + times, 0);
}

/** What a message says in fields that the report does not name. */
function unexcused(facts: Facts, leftOut: LeftOut): string {
  return JSON.stringify(Object.entries(facts).filter(([field]) => timesNamed(field, leftOut) === 0));
}

/** How many values of each field of some messages do not stand in others. */
function missingValues(before: readonly Facts[], after: readonly Facts[]): Map<string, number> {
  const missing = new Map<string, number>();
  const there = new Map<string, number>();
  const key = ([field, value]: readonly [string, string]) => `${field} ${value}`;
  for (const fact of after.flatMap((facts) => Object.entries(facts)))
    there.set(key(fact), (there.get(key(fact)) ?? 0) + 1);
  for (const fact of before.flatMap((facts) => Object.entries(facts))) {
    const left = there.get(key(fact)) ?? 0;
    if (left > 0) there.set(key(fact), left - 1);
    else missing.set(fact[0], (missing.get(fact[0]) ?? 0) + 1);
  }
  return missing;
}

/** Expects that what is read of an export is what was written, but for what the report names. */
async function expectCarried(records: readonly unknown[], format: BridgeFormat) {
  const { text, messages, leftOut } = await written(records, format);
  if (format === 'atif' && text !== '') expect(atifProblems(JSON.parse(text))).toEqual([]);
  for (const sent of sentIn(text, format)) expect(anthropicProblems(sent)).toEqual([]);
  const read = await importTranscript(text, 'export.jsonl');
  if (format === 'otlp-json') {
    const all = read.conversations.flatMap((each) => each.records as readonly UntypedMessage[]);
    expect(all.filter(({ kind }) => kind === 'left over')).toEqual([]);
  }
  const isOneSystem = leftOut['boundaries of system messages'] !== undefined;
  // Halves of characters are replaced, which the report names by its count alone; spans give them back.
  const before = callsOf([format === 'otlp-json' ? records : wellFormedIn(records)], isOneSystem);
  const after = callsOf(
    read.conversations.map((each) => each.records),
    isOneSystem,
  );
  expect(messages).toBe(records.filter((record) => (record as UntypedMessage).type === 'message').length);
  const lost = leftOut['message records'] ?? 0;
  const joined = leftOut['boundaries of messages'] ?? 0;
  expect(after.flat().length, 'messages').toBeLessThanOrEqual(before.flat().length - lost);
  expect(after.flat().length, 'messages').toBeGreaterThanOrEqual(before.flat().length - lost - joined);
  if (joined > 0) return;
  if (lost === 0)
    for (const [field, times] of missingValues(before.flat(), after.flat()))
      expect(times, `values of ${field}, of which the report names fewer`).toBeLessThanOrEqual(
        timesNamed(field, leftOut),
      );
  const told = after.map((call) => call.map((facts) => unexcused(facts, leftOut)));
  const wanted = before.map((call) => call.map((facts) => unexcused(facts, leftOut)));
  if (leftOut['order of messages'] === undefined && lost === 0) {
    // Which call stands before which is told by what dispatched them.
    expect(told.map((call) => call.join('\n')).sort()).toEqual(wanted.map((call) => call.join('\n')).sort());
    return;
  }
  const left = wanted.flat();
  const added = told.flat().filter((each) => {
    const at = left.indexOf(each);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  expect(added).toEqual([]);
}

/** The messages that Anthropic's API would be sent of an export. */
function sentIn(text: string, format: BridgeFormat): (readonly unknown[])[] {
  const lines = text.split('\n').filter((line) => line !== '');
  const values = () => lines.map((line) => JSON.parse(line) as UntypedMessage);
  if (format === 'anthropic') return values().map(({ messages }) => messages as readonly unknown[]);
  return format === 'claude-session' ? [values().map(({ message }) => message)] : [];
}

const FORMATS = BRIDGE_FORMATS.filter((format) => format !== 'request-jsonl');

describe.each(FORMATS)('what is exported as %s and read again', (format) => {
  test.each([
    ['a team', () => teamStory().records],
    ['decisions', () => decidedStory().records],
    ['a long conversation', () => contextStory().records],
    ['hostile texts', () => hostileStory().records],
  ])('is the same but for what the report names: %s', async (_, records) => {
    await expectCarried(records(), format);
  });

  test('whatever the records are', async () => {
    await fc.assert(
      fc.asyncProperty(anyRecords, (records) => expectCarried(records.map(storable), format)),
      { numRuns: runs(200) },
    );
  });

  test.skipIf(!hasRealTranscripts).each(REAL_TRANSCRIPTS)('of %s', async (name) => {
    const { conversations } = await readReal(name);
    for (const { records } of conversations) await expectCarried(records, format);
  });
});

test.each(['claude-session', 'codex-session'] as const)(
  'a session that is handed over up to any of its messages is the same up to there, as %s',
  async (format) => {
    const { records } = teamStory();
    const ends = records.flatMap(({ type }, at) => (type === 'message' ? [at + 1] : []));
    for (const end of ends.slice(1)) await expectCarried(records.slice(0, end), format);
  },
);

test('a line for each request has what was said before, and the answer as the last message', async () => {
  const { records } = teamStory();
  const { text, leftOut } = await written(records, 'request-jsonl');
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { messages: UntypedMessage[] });
  const messages = (records as readonly unknown[] as readonly UntypedMessage[]).filter(
    ({ type }) => type === 'message',
  );
  const answers = messages.filter((record) => factsOf(record)['message.role'] === '"assistant"');
  expect(lines.map((line) => line.messages.at(-1))).toEqual(answers.map(({ message }) => message));
  for (const [index, { messages: sent }] of lines.entries()) {
    const answer = answers[index];
    const said = messages.filter((each) => callOf(each) === callOf(answer ?? {}));
    const upTo = said.slice(0, said.findIndex((each) => each === answer) + 1);
    expect(sent).toEqual(upTo.map(({ message }) => message));
  }
  const last = new Map(messages.map((each) => [callOf(each), factsOf(each)['message.role']]));
  expect(leftOut['message records'] ?? 0).toBe(
    [...last.values()].filter((role) => role !== '"assistant"').length,
  );
});

test.each(BRIDGE_FORMATS)(
  'secrets do not go out as %s, and the same one has the same placeholder',
  async (format) => {
    const key = `AKIA${'Z7KQ'.repeat(4)}`;
    const at = {
      run: 'r1',
      call: 'k1',
      agent: 'Baker',
      depth: 0,
      conversation: 'c',
      type: 'message',
      time: 5,
    };
    const call = {
      id: 'a',
      type: 'function',
      function: { name: 'login', arguments: JSON.stringify({ key }) },
    };
    const said = [
      { role: 'user', content: `Use ${key}.` },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'a', content: `Welcome, ${key}.` },
      { role: 'assistant', content: 'Done.' },
    ];
    const records = said.map((message, index) => ({ seq: index + 1, id: `m${index + 1}`, ...at, message }));
    const gate = new SharingGate();
    records.forEach((record, position) => gate.look(record, position));
    let text = '';
    let report: ExportReport | undefined;
    for await (const chunk of bridgeChunks(records, format, { gate, onReport: (made) => (report = made) }))
      text += chunk;
    expect(text).not.toContain(key);
    expect(new Set(text.match(/\[REDACTED:[^\]]+\]/g))).toEqual(new Set(['[REDACTED:aws-key:1]']));
    expect(report?.redacted).toBe(3);
  },
);

test.each(['atif', 'otlp-json', 'claude-session'] as const)(
  'two conversations that differ only in what is left out of their ids are two, as %s',
  async (format) => {
    const idsIn = async (key: string) => {
      const records = teamStory().records.map((record) => ({ ...record, conversation: `run ${key}` }));
      let text = '';
      for await (const chunk of bridgeChunks(records, format, { gate: new SharingGate() })) text += chunk;
      expect(text).not.toContain(key);
      return new Set(text.match(/"(?:sessionId|session_id|traceId)":"[^"]+"/g));
    };
    const [one, other] = [await idsIn(`AKIA${'Z7KQ'.repeat(4)}`), await idsIn(`AKIA${'Q7KZ'.repeat(4)}`)];
    expect(one.size).toBeGreaterThan(0);
    expect([...one].filter((id) => other.has(id))).toEqual([]);
  },
);

test('what a report names is what stands in the records', async () => {
  const { leftOut } = await written(decidedStory().records, 'atif');
  const { leftOut: chat } = await written(teamStory().records, 'chat-jsonl');
  expect(leftOut).toMatchObject({ 'approval records': expect.any(Number) as number });
  expect(chat).toMatchObject({ 'dispatch records': 5, agent: expect.any(Number) as number });
});

describe('what another tool would refuse, or read as something else', () => {
  const place = { conversation: 'c', run: 'r1', call: 'k1', agent: 'Baker', depth: 0, type: 'message' };
  const said = (seq: number, message: object, more: object = {}) => ({
    seq,
    id: `m${seq}`,
    time: 1_700_000_000_000 + seq,
    ...place,
    message,
    ...more,
  });
  const called = (...calls: readonly (readonly [id: string, name: string])[]) => ({
    role: 'assistant',
    content: 'I look.',
    tool_calls: calls.map(([id, name]) => ({ id, type: 'function', function: { name, arguments: '{}' } })),
  });
  const user = { role: 'user', content: 'Look.' };
  const CALLING: readonly BridgeFormat[] = ['atif', 'anthropic', 'claude-session', 'codex-session'];

  test.each(CALLING)('as %s: a result that names its call in a list is one', async (format) => {
    const result = { role: 'tool', tool_call_ids: ['a'], content: 'A loaf.' };
    const { text, leftOut } = await written(
      [said(1, user), said(2, called(['a', 'look'])), said(3, result)],
      format,
    );
    expect(text).toContain('A loaf.');
    expect(leftOut['message records']).toBeUndefined();
  });

  test.each(CALLING)('as %s: a result without its call is told, not written', async (format) => {
    const result = { role: 'tool', tool_call_id: 'nowhere', content: 'A loaf.' };
    const { text, leftOut } = await written([said(1, user), said(2, result), said(3, user)], format);
    expect(text).not.toContain('A loaf.');
    expect(leftOut['message records']).toBe(1);
  });

  test.each(CALLING)('as %s: calls without a name, and with the id of another, are told', async (format) => {
    const calls = called(['a', 'look'], ['a', 'see'], ['b', '']);
    const result = (content: string) => ({ role: 'tool', tool_call_id: 'a', content });
    const { text, leftOut } = await written(
      [said(1, user), said(2, calls), said(3, result('one')), said(4, result('two'))],
      format,
    );
    expect(text).not.toMatch(/"see"|two/);
    expect(leftOut).toMatchObject({ 'message.tool_calls[] (function)': 2, 'message records': 1 });
  });

  test.each(['atif', 'codex-session', 'chat-jsonl'] as const)(
    'as %s: which tool a result names, and where a run ends, is told',
    async (format) => {
      const result = said(3, { role: 'tool', tool_call_id: 'a', content: 'x' }, { toolName: 'look' });
      const records = [said(1, user), said(2, called(['a', 'look'])), result, said(4, user, { run: 'r2' })];
      expect((await written(records, format)).leftOut).toMatchObject({
        toolName: 1,
        'boundaries of runs': 1,
      });
    },
  );

  test('a trajectory has an id and a step, where only agents that were called speak too', async () => {
    const below = { depth: 1, call: 'k2', parentCall: 'k1', agent: 'Tester' };
    const beside = { depth: 1, call: 'k3', parentCall: 'k1', agent: 'Taster' };
    const { text, leftOut } = await written([said(1, user, below), said(2, user, beside)], 'atif');
    const trajectory = JSON.parse(text) as UntypedMessage;
    expect(atifProblems(trajectory)).toEqual([]);
    expect(trajectory).toMatchObject({
      agent: { name: 'Tester' },
      subagent_trajectories: [{ agent: { name: 'Taster' } }],
    });
    expect(leftOut.parentCall).toBe(2);
  });

  test('spans of a transcript without times are dated 1970, which is told', async () => {
    const { leftOut } = await written(
      [said(1, user, { time: 0 }), said(2, called(), { time: 0 })],
      'otlp-json',
    );
    expect(leftOut['dates of spans']).toBeGreaterThan(0);
    expect((await written([said(1, user), said(2, called())], 'otlp-json')).leftOut).toEqual({});
  });

  test('what a message does not have is no rest of the file of its spans', async () => {
    const records = [said(1, user), said(2, { role: 'tool', content: 'a result' }), said(3, called())];
    const { text } = await written(records, 'otlp-json');
    const { conversations } = await importTranscript(text, 'export.jsonl');
    expect(conversations.flatMap((each) => each.records.map(({ type }) => type))).toEqual(
      records.map(() => 'message'),
    );
  });
});

test('a call without a result is written as the last thing only, because Anthropic refuses what follows it', async () => {
  const call = (id: string) => ({
    id,
    type: 'function',
    function: { name: 'bake', arguments: '{"at":200}' },
  });
  const message = (seq: number, said: object) => ({ ...MESSAGE, seq, id: `m_${seq}`, message: said });
  const records = [
    message(1, { role: 'user', content: 'Bake.' }),
    message(2, { role: 'assistant', content: 'I bake.', tool_calls: [call('a'), call('b')] }),
    message(3, { role: 'tool', tool_call_id: 'a', content: 'Baked.' }),
    message(4, { role: 'user', content: 'And now?' }),
    message(5, { role: 'assistant', content: '', tool_calls: [call('c')] }),
  ];
  for (const format of ['anthropic', 'claude-session'] as const) {
    const { text, leftOut } = await written(records, format);
    const ids = [...text.matchAll(/"type":"tool_use","id":"(\w)"/g)].map(([, id]) => id);
    expect(ids).toEqual(['a', 'c']);
    expect(leftOut).toMatchObject({
      'message.tool_calls[].id': 1,
      'message.tool_calls[].function.name': 1,
      'message.tool_calls[].function.arguments': 1,
    });
  }
});

const MESSAGE = {
  time: 1_790_000_000_000,
  conversation: 'c1',
  type: 'message',
  run: 'r',
  call: 'k',
  agent: 'Baker',
  depth: 0,
};
