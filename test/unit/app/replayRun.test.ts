import { expect, test } from 'vitest';
import type { AgentDefinition } from '../../../src/core/agent.js';
import type { LogRecord } from '../../../src/core/record.js';
import { NotReplayable, replayRun, type ReplayOptions } from '../../../src/app/team/replayRun.js';
import { replayedTranscript } from '../../../src/app/team/replayDeparture.js';
import { compareTranscripts } from '../../../src/app/sources/compareSessions.js';
import { replayMutations } from '../../../src/app/team/mutatedReplay.js';
import { readExpectations } from '../../../src/compare/expectations/expectationFile.js';
import { systemTimers } from '../../../src/core/timers.js';
import { DEFAULT_LIMITS } from '../../../src/agents/loop/limits/limits.js';
import { MemoryTranscript } from '../../support/memoryTranscript.js';
import { anAgent, ask, aTeam, aTool, use, type TeamOptions } from '../../support/scriptedTeam.js';

const script: NonNullable<TeamOptions['script']> = {
  Pickle: [
    {
      toolCalls: [
        { name: 'note', arguments: { n: 1 } },
        { name: 'note', arguments: { n: 2 } },
      ],
    },
    { toolCalls: [ask('Cookie', 'bake'), ask('Crumb', 'eat')].flatMap(({ toolCalls = [] }) => toolCalls) },
    use('note', { n: 3 }),
    { text: 'All done.' },
  ],
  Cookie: [use('note', { n: 4 }), { text: 'baked' }],
  Crumb: [use('missing'), { text: 'eaten' }],
};

/** A recorded run of three agents, and how often their tool was executed. */
async function recorded(options: TeamOptions = {}) {
  let executed = 0;
  const note = aTool('note', ({ n }) => (executed++, `noted ${String(n)}`));
  const team = aTeam(['Pickle', 'Cookie', 'Crumb'], { script, tools: [note], ...options });
  const result = await team.session.run('go');
  return { team, result, executed: () => executed };
}

function replayed(records: readonly LogRecord[], options: ReplayOptions = {}) {
  return replayRun(new MemoryTranscript('c1', records), options);
}

test('a run of several agents replays exactly from its record alone, and executes nothing', async () => {
  const { team, executed } = await recorded();
  const before = executed();
  const result = await replayed(team.records);
  expect(result).toMatchObject({ exact: true, runs: 1, answers: 8, results: 6, unserved: [], isOpen: false });
  expect(result.fromRecord).toEqual(['Pickle', 'Cookie', 'Crumb']);
  expect(executed()).toBe(before);
  const typesOf = (records: readonly LogRecord[]) =>
    records.map(({ type, agent }) => `${agent} ${type}`).sort();
  expect(typesOf(result.records)).toEqual(typesOf(team.records));
});

/** The agents of the record as files would have them now, some of them changed. */
function agentsNow(changes: Readonly<Record<string, Partial<AgentDefinition>>> = {}): AgentDefinition[] {
  return ['Pickle', 'Cookie', 'Crumb'].map((name) => anAgent(name, changes[name] ?? {}));
}

test('a changed system prompt departs at the first request of its agent, and says so first', async () => {
  const { team } = await recorded();
  expect(await replayed(team.records, { agents: agentsNow() })).toMatchObject({ exact: true, changes: [] });
  const instructions = 'You are Cookie, and you bake bread.';
  const result = await replayed(team.records, { agents: agentsNow({ Cookie: { instructions } }) });
  expect(result).toMatchObject({ exact: false, fromRecord: [] });
  expect(result.changes).toMatchObject([{ agent: 'Cookie', what: 'systemPrompt', now: instructions }]);
  const { departure } = result;
  expect(departure).toMatchObject({ run: 1, agent: 'Cookie' });
  expect(departure?.why).toBe(
    'The system prompt of Cookie is another now. What Cookie asks its model is another thing.',
  );
  expect(departure?.expected).toContain('You are Cookie.\n');
  expect(departure?.asked).toContain(instructions);
  const asked = team.records.find(({ type, agent }) => type === 'request' && agent === 'Cookie');
  expect(departure?.seq).toBe(asked?.seq);
  expect(result.unserved.map(({ agent }) => agent)).toContain('Cookie');
});

test('where a run departs, it is compared with its record up to there, and both say what went in otherwise', async () => {
  const note = aTool('note', () => 'noted', { description: 'Notes it.' });
  const tools = { tools: [note], toolsFor: () => [note] };
  const lines = {
    Pickle: [use('note'), ask('Cookie', 'bake'), { text: 'done' }],
    Cookie: [{ text: 'baked' }],
  };
  const { team } = await recorded({ script: lines });
  const compared = async (options: ReplayOptions) => {
    const result = await replayed(team.records, options);
    const transcripts = [team.records, replayedTranscript(result)] as const;
    const [left, right] = transcripts.map((records) => new MemoryTranscript('c1', records));
    if (!left || !right) throw new Error('no transcripts');
    return { result, ...(await compareTranscripts(left, right)) };
  };
  const exact = await compared({ agents: agentsNow() });
  expect(exact).toMatchObject({ inputs: [], divergences: [] });
  const instructions = 'You are Cookie, and you bake bread.';
  const found = await compared({ agents: agentsNow({ Cookie: { instructions } }) });
  expect(found.inputs).toEqual([
    { what: 'systemPrompt', of: 'Cookie', left: 'You are Cookie.', right: instructions },
  ]);
  expect(found.sentence).toMatch(/^Another system prompt of Cookie; the same until step 3: /);
  const last = found.rows.findLast(({ right }) => right)?.right;
  expect(last).toMatchObject({ number: found.result.departure?.step, name: 'departed', agent: 'Cookie' });
  const alone = aTeam(['Pickle'], { script: { Pickle: [use('note'), { text: 'done' }] }, ...tools });
  await alone.session.run('go');
  const described = await replayed(alone.records, {
    agents: [anAgent('Pickle', { agents: [] })],
    tools: [{ ...note, description: 'Notes nothing.' }],
  });
  const { inputs } = await compareTranscripts(
    new MemoryTranscript('c1', alone.records),
    new MemoryTranscript('c1', replayedTranscript(described)),
  );
  expect(inputs).toMatchObject([{ what: 'tools', right: expect.stringContaining('Notes nothing.') }]);
});

test('a tool that is described otherwise, or missing, departs where its agent asks first', async () => {
  const note = aTool('note', () => 'noted', { description: 'Notes it.' });
  const team = aTeam(['Pickle'], {
    script: { Pickle: [use('note'), { text: 'done' }] },
    tools: [note],
    toolsFor: () => [note],
  });
  await team.session.run('go');
  const alone = [anAgent('Pickle', { agents: [] })];
  const now = (tool: object) => replayed(team.records, { agents: alone, tools: [{ ...note, ...tool }] });
  expect(await now({})).toMatchObject({ exact: true, changes: [] });
  const described = await now({ parameters: { type: 'object', required: ['n'] } });
  expect(described.departure?.why).toMatch(/^The tool note of Pickle is described in another way now\./);
  expect(described.departure?.step).toBe(2);
  const renamed = await now({ name: 'jot' });
  expect(
    renamed.changes.map(({ name, recorded, now: after }) => [name, recorded !== '', after !== '']),
  ).toEqual([
    ['note', true, false],
    ['jot', false, true],
  ]);
});

test('a lower limit ends the replay where it is met, a higher one asks on', async () => {
  const steps = { Pickle: [1, 2, 3, 4].map((n) => use('note', { n })) };
  const { team } = await recorded({ script: steps, limits: { steps: 3 } });
  const limits = { ...DEFAULT_LIMITS, steps: 3, maxDepth: 5 };
  expect(await replayed(team.records, { limits })).toMatchObject({ exact: true, changes: [] });
  const lower = await replayed(team.records, { limits: { ...limits, steps: 2 } });
  expect(lower.departure).toMatchObject({ agent: 'Pickle', step: 4 });
  expect(lower.departure?.why).toBe(
    'The limit steps was 3, and is 2 now. Pickle goes on in the record, and ends now: Pickle asked its model 2 times, its limit.',
  );
  const higher = await replayed(team.records, { limits: { ...limits, steps: 9 } });
  expect(higher.departure?.why).toBe(
    'The limit steps was 3, and is 9 now. Pickle asks its model once more than was recorded.',
  );
});

test('retries, failures and what was superseded come as they came', async () => {
  const failing = { error: { code: 'http', message: 'Try later.', status: 503, retryable: true } };
  const fatal = { error: { code: 'auth', message: 'No key.', retryable: false } };
  const { team } = await recorded({
    script: { Pickle: [{ text: 'I be', ...failing }, use('note'), failing, { text: 'gin', ...fatal }] },
    timers: { after: (ms, act) => systemTimers.after(ms > 60_000 ? ms : 0, act) },
  });
  const errors = team.records.flatMap((record) => (record.type === 'request' ? [record.error?.code] : []));
  expect(errors).toEqual(['http', undefined, 'http', 'auth']);
  expect(await replayed(team.records)).toMatchObject({ exact: true, answers: 4 });
});

test('what was stopped is stopped again, and what a person denied is denied', async () => {
  const controller = new AbortController();
  const asks = aTool('asks', async (_args, { approvals, call, toolCallId, signal }) => {
    const asked = { toolName: 'asks', toolCallId, call, subject: 's', title: 't', key: toolCallId, signal };
    return (await approvals.decide(asked)).approved ? 'yes' : { content: 'no', isError: true };
  });
  const stops = aTool('stops', () => {
    controller.abort();
    return new Promise<string>(() => undefined);
  });
  const { ApprovalDecider } = await import('../../../src/agents/loop/approvalDecider.js');
  const team = aTeam(['Pickle'], {
    script: { Pickle: [use('asks', { n: 1 }), use('asks', { n: 2 }), use('stops'), { text: 'never' }] },
    tools: [asks, stops],
  });
  let count = 0;
  const approvals = new ApprovalDecider({
    messageLog: team.recorder,
    clock: team.config.clock,
    ask: () => Promise.resolve({ approved: count++ > 0, reason: 'so' }),
  });
  const config = { ...team.config, approvals, runApprovalPolicy: 'ask' as const };
  const { outcome } = await team.session.run('go', { signal: controller.signal, config });
  expect(outcome).toBe('cancelled');
  const result = await replayed(team.records);
  expect(result).toMatchObject({ exact: true });
  const decisions = (records: readonly LogRecord[]) =>
    records.flatMap((each) =>
      each.type === 'approval' ? [[each.decision, each.decidedBy, each.reason]] : [],
    );
  expect(decisions(result.records)).toEqual(decisions(team.records));
  expect(result.records.at(-1)).toMatchObject({ type: 'callEnd', outcome: 'cancelled' });
});

test('several runs are replayed one after the other, those of another window from the record', async () => {
  const { team } = await recorded({
    script: { Pickle: [{ text: 'one' }, use('note'), { text: 'two' }, { text: 'three' }] },
  });
  await team.session.run('and');
  const { AgentSession } = await import('../../../src/agents/loop/agentSession.js');
  const other = new AgentSession('c1', team.agents[0]!, team.config);
  other.update(team.records.flatMap((record) => (record.type === 'message' ? [record.message] : [])));
  await other.run('on');
  expect(await replayed(team.records)).toMatchObject({ exact: true, runs: 3, answers: 4 });
  expect(await replayed(team.records, { run: 2 })).toMatchObject({ exact: true, runs: 2, answers: 3 });
  await expect(replayed(team.records, { run: 4 })).rejects.toThrow(
    'There is no run 4 in this session; it has 3.',
  );
});

test('a record that ends in the middle replays up to its end', async () => {
  const { team } = await recorded();
  for (let count = 5; count < team.records.length; count++) {
    const result = await replayed(team.records.slice(0, count));
    expect(result.departure, `after ${count} records`).toBeUndefined();
    expect(result).toMatchObject({ exact: true, isOpen: true });
  }
});

test('an answer that is missing from the record, or another one, is found at its step', async () => {
  const { team } = await recorded();
  const requests = team.records.filter(({ type, depth }) => type === 'request' && depth === 0);
  const missing = requests[2]!;
  const without = await replayed(team.records.filter((record) => record !== missing));
  expect(without).toMatchObject({ exact: false, departure: { agent: 'Pickle' } });
  const changed = team.records.map((record) =>
    record.type === 'message' && record.message.role === 'tool' && record.message.content === 'noted 1'
      ? { ...record, message: { ...record.message, content: 'noted 100' } }
      : record,
  );
  const result = await replayed(changed);
  expect(result.departure).toMatchObject({ agent: 'Pickle', seq: requests[1]!.seq });
  expect(result.departure?.why).toMatch(/is not what was recorded/);
});

test('what holds no requests cannot be replayed, and says why', async () => {
  const { team } = await recorded();
  const old = team.records.map((record) => {
    if (record.type !== 'request') return record;
    const { digest, ...rest } = record;
    expect(digest).toBeDefined();
    return rest as LogRecord;
  });
  await expect(replayed(old)).rejects.toThrow('its requests were not recorded');
  await expect(replayed(old)).rejects.toBeInstanceOf(NotReplayable);
  await expect(replayed(team.records.filter(({ type }) => type === 'message'))).rejects.toThrow(
    'recorded by another program',
  );
});

test('no socket is opened, and a run of a thousand steps is replayed', async () => {
  const { Socket } = await import('node:net');
  const { vi } = await import('vitest');
  const refuse = vi.spyOn(Socket.prototype, 'connect').mockImplementation(() => {
    throw new Error('A socket was opened.');
  });
  try {
    const many = Array.from({ length: 1_000 }, (_, n) => use('note', { n }));
    const { team } = await recorded({
      script: { Pickle: [...many, { text: 'done' }] },
      limits: { steps: 2_000, tokens: Infinity },
    });
    expect(await replayed(team.records)).toMatchObject({ exact: true, answers: 1_001, results: 1_000 });
    expect(refuse).not.toHaveBeenCalled();
  } finally {
    refuse.mockRestore();
  }
});

/** Replays a recorded run with each of the mutations of a file. */
function mutated(records: readonly LogRecord[], yaml: string) {
  const { mutations, problems } = readExpectations(`mutations:\n${yaml}`);
  expect(problems).toEqual([]);
  return replayMutations(new MemoryTranscript('c1', records), mutations, {});
}

test('another result of a call departs at the next request of its agent, and the same one nowhere', async () => {
  const { team } = await recorded();
  const results = team.records.filter(
    (record) => record.type === 'message' && record.message.role === 'tool',
  );
  expect(results).toHaveLength(7);
  for (const { seq, call } of results) {
    const [other, same] = await mutated(
      team.records,
      `  - { name: other, message: ${seq}, result: "Something else." }\n  - { name: late, message: ${seq}, delay: 1s }\n`,
    );
    const next = team.records.find((each) => each.type === 'request' && each.call === call && each.seq > seq);
    expect(other).toMatchObject({ seq, isChanged: true, outcome: 'open', departure: { seq: next?.seq } });
    expect(other?.departure?.asked).toContain('Something else.');
    expect(other?.departure?.expected).not.toContain('Something else.');
    expect(other?.goesOn).toEqual({ seq, text: 'Something else.' });
    expect(same).toMatchObject({ isChanged: false, outcome: 'done' });
    expect(same?.departure).toBeUndefined();
  }
});

test('calls are found by tool, arguments, agent and number; failures, texts and cut answers come as they would', async () => {
  const { team } = await recorded();
  const [failed, injected, cut, end, prompt] = await mutated(
    team.records,
    [
      '  - { name: fails, call: { tool: "n*", args: { n: 4 } }, fail: No disk. }',
      '  - { name: more, call: { tool: note, agent: Pickle, number: 3 }, inject: Sing. }',
      '  - { name: cut, answer: Cookie, cut: 3 }',
      '  - { name: end, answer: { agent: Pickle, number: 4 }, cut: 3 }',
      `  - { name: prompt, message: ${team.records.find((each) => each.type === 'message' && each.message.role === 'user')?.seq ?? 0}, inject: Now. }`,
    ].join('\n'),
  );
  expect(failed).toMatchObject({ agent: 'Cookie', what: 'note fails', departure: { agent: 'Cookie' } });
  expect(failed?.goesOn).toMatchObject({ text: 'No disk.', isError: true });
  expect(injected).toMatchObject({ agent: 'Pickle', departure: { agent: 'Pickle' } });
  expect(injected?.departure?.asked).toContain('noted 3\n\nSing.');
  expect(cut?.departure?.why).toBe(
    'Cookie goes on in the record, and ends now: The answer was cut at the longest that the model may say.',
  );
  expect(cut).toMatchObject({ outcome: 'open' });
  expect(cut?.goesOn).toBeUndefined();
  expect(end).toMatchObject({ outcome: 'limited', departure: { agent: 'Pickle' } });
  expect(prompt?.goesOn).toMatchObject({ prompt: 'go\n\nNow.' });
  expect(prompt?.departure?.asked).toContain('Now.');
});

test('a mutation that fits nowhere is refused by its line, and so is a run that departs by itself', async () => {
  const { team } = await recorded();
  const why = async (yaml: string) => {
    const error: unknown = await mutated(team.records, yaml).catch((each: unknown) => each);
    return error instanceof Error ? error.message : '';
  };
  expect(await why('  - { name: a, call: note, fail: x }\n  - { name: b, call: knit, fail: x }')).toBe(
    'Line 3, b: There are no such calls of knit in this run.',
  );
  expect(await why('  - { name: a, call: { tool: note, number: 9 }, fail: x }')).toBe(
    'Line 2, a: This run has 4 such calls of note, and number 9 is meant.',
  );
  expect(await why('  - { name: a, call: { tool: "n*", args: { n: 4 }, number: 2 }, fail: x }')).toBe(
    'Line 2, a: This run has 1 such call of n*, and number 2 is meant.',
  );
  expect(await why('  - { name: a, answer: Nobody, cut: 1 }')).toContain('no answers of Nobody');
  expect(await why('  - { name: a, message: 4711, inject: x }')).toContain(
    'Message 4711 is none of this run',
  );
  const broken = team.records.filter(({ type }) => type !== 'approval');
  const requests = broken.filter(({ type }) => type === 'request');
  const without = broken.filter((each) => each !== requests[2]);
  const { mutations } = readExpectations('mutations:\n  - { name: a, call: note, fail: x }');
  await expect(replayMutations(new MemoryTranscript('c1', without), mutations, {})).rejects.toThrow(
    'The run itself departs from its record',
  );
});

test('what is quoted of a departure is without secrets before it is cut, and is what differs', async () => {
  const secret = `ghp_${'aB3dE5gH7jK9mN1pQ2sT4vW6yZ8cF9hJxLnR'}`;
  const said = `First.\n${'word '.repeat(20)}${secret} and more\nLast.`;
  const note = aTool('note', () => said);
  const { team } = await recorded({ script: { Pickle: [use('note'), { text: 'Done.' }] }, tools: [note] });
  const clean = (text: string) => text.replaceAll(secret, '[a key]');
  const file = readExpectations(
    [
      'mutations:',
      '  - { name: fails, call: note, fail: No disk }',
      '  - { name: more, call: note, inject: Sing. }',
      `  - { name: less, call: note, result: "First.\\nLast." }`,
      `  - { name: same, call: note, result: ${JSON.stringify(said)} }`,
      `  - { name: empty, call: note, result: "" }`,
      `  - { name: one, answer: Pickle, cut: 1 }`,
    ].join('\n'),
  );
  expect(file.problems).toEqual([]);
  const results = await replayMutations(new MemoryTranscript('c1', team.records), file.mutations, { clean });
  const [fails, more, less, same, empty, one] = results;
  expect(fails?.departure?.why).toContain('“No disk”, where “First.” was recorded.');
  expect(more?.departure?.why).toContain(': “Sing.” is more than was recorded.');
  expect(less?.departure?.why).toContain(`[a key] and`);
  expect(less?.departure?.why).toContain(' is left out of it.');
  expect(JSON.stringify(results.map(({ departure }) => departure?.why))).not.toContain('ghp_');
  expect(same).toMatchObject({ isChanged: false, outcome: 'done' });
  expect(same?.departure).toBeUndefined();
  expect(empty).toMatchObject({ isChanged: true, outcome: 'open' });
  expect(one?.what).toBe('the answer is cut behind 1 character');
});

test('a call that takes longer than a tool may is ended as ever', async () => {
  const look = aTool('read_file', () => 'soup', { effect: 'read' });
  const team = aTeam(['Pickle'], {
    script: { Pickle: [use('read_file'), { text: 'soup it is' }] },
    tools: [look],
  });
  await team.session.run('go');
  const [late, soon] = await mutated(
    team.records,
    '  - { name: late, call: read_file, delay: 16m }\n  - { name: soon, call: read_file, delay: 14m }',
  );
  expect(late?.departure?.asked).toContain('read_file was ended because it took longer than 900 s.');
  expect(soon).toMatchObject({ isChanged: false, outcome: 'done' });
});
