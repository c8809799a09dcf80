import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { factsOf } from '../../../src/query/numbers/facts.js';
import { explainCost, formatCost } from '../../../src/core/cost.js';
import { importFile } from '../../../src/import/importFile.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { TranscriptProjection } from '../../../src/page/panel/projection/transcriptProjection.js';
import { loadPrices } from '../../../src/query/pricing/loadPrices.js';
import { temporaryFolder } from '../../support/storeFixture.js';
import { lines, records } from './reading.js';

const prices = await loadPrices('');
const AT = '2026-03-01T10:00:00.000Z';
const LATER = '2026-03-01T10:05:00.000Z';

describe('what a source says of money', () => {
  test('Claude Code: the costUSD of old lines is exact, and streamed copies of a message count once', async () => {
    const answer = (output: number) => ({
      type: 'assistant',
      sessionId: 's',
      uuid: `u${output}`,
      timestamp: AT,
      costUSD: 0.25,
      requestId: 'q',
      message: {
        id: 'm1',
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [{ type: 'text', text: `part ${output}` }],
        usage: { input_tokens: 10, output_tokens: output },
      },
    });
    expect(await told(asked, answer(3), answer(9))).toBe('$0.25 recorded by the source (1 request).');
  });

  test('Claude Code: a stream says at its end what all of it cost, by model, subagents included', async () => {
    const answer = (id: string, beside: object = {}) => ({
      type: 'assistant',
      session_id: 's',
      ...beside,
      message: {
        id,
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [],
        usage: { input_tokens: 3, output_tokens: 1 },
      },
    });
    const modelUsage = {
      'claude-sonnet-4-5': { inputTokens: 10, outputTokens: 20, cacheReadInputTokens: 70, costUSD: 0.5 },
      'claude-haiku-4-5': { inputTokens: 5, outputTokens: 1, costUSD: 0.25 },
    };
    const end = { type: 'result', subtype: 'success', session_id: 's', result: 'Done', total_cost_usd: 0.75 };
    const words = { type: 'user', session_id: 's', message: { role: 'user', content: 'go' } };
    const stream = [words, answer('m1'), answer('m2')];
    expect(await told(...stream, { ...end, modelUsage })).toBe('$0.75 recorded by the source (2 requests).');
    const { tokens } = await totalsOf(lines(...stream, { ...end, modelUsage }));
    expect([tokens.input, tokens.output]).toEqual([85, 21]);
    const usage = { input_tokens: 6, output_tokens: 2 };
    expect(await told(...stream, { ...end, usage })).toBe('$0.75 recorded by the source (2 requests).');
    const child = answer('m3', { parent_tool_use_id: 'toolu_1' });
    const withChild = [...stream, child, { ...end, modelUsage }];
    expect(await told(...withChild)).toContain('$0.75 recorded by the source');
    const { tokens: all } = await totalsOf(lines(...withChild));
    expect([all.input, all.output]).toEqual([85, 21]);
    // What the session used alone does not say what its subagents did.
    expect(await told(...stream, child, { ...end, usage })).not.toContain('by the source');
  });

  test('Claude Code: a side question that repeats messages of the session counts them once', async () => {
    const own = claudeAnswer('m1', 'u1', 1_000_000);
    const copy = {
      ...claudeAnswer('m1', 'u2', 1_000_000),
      requestId: 'other',
      isSidechain: true,
      agentId: 'a',
    };
    const side = { ...claudeAnswer('m2', 'u3', 100_000), isSidechain: true, agentId: 'a' };
    expect(await cost(asked, own, copy, side)).toBe('$6.30');
    expect(await cost(asked, copy, side, own)).toBe('$6.30');
  });

  test('Claude Code: a branch does not pay again for what it copied, though each line stands there twice', async () => {
    const old = claudeAnswer('m1', 'u1', 1_000_000);
    const twin = { ...old, sessionId: 'branch' };
    const copy = { ...twin, forkedFrom: { sessionId: 's', messageUuid: 'u1' } };
    const own = { ...claudeAnswer('m2', 'u2', 100_000), sessionId: 'branch' };
    const question = { ...asked, sessionId: 'branch', forkedFrom: { sessionId: 's', messageUuid: 'u0' } };
    expect(await cost(question, copy, twin, own)).toBe('$0.30');
    expect(await cost(question, twin, copy, own)).toBe('$0.30');
    const { conversations, problems } = await importTranscript(lines(question, copy, twin, own), 'branch');
    expect(conversations[0]?.facts).toEqual({ 'Forked from': 's' });
    expect(problems.map(({ message }) => message)).toContain(
      'This session repeats the beginning of s, from which it was forked: what was said there is kept, what it cost is left out (answers: 1).',
    );
  });

  test('Claude Code: what was sent to the background pays for its own part, as each session that it is a copy of', async () => {
    const folder = await temporaryFolder();
    const chain = [
      asked,
      claudeAnswer('m1', 'u1', 1_000_000),
      claudeAnswer('m2', 'u2', 100_000),
      claudeAnswer('m3', 'u3', 10_000),
    ];
    const session = async (name: string, from: number, to: number, isBackground = true) => {
      const marks = { sessionId: name, ...(isBackground && { sessionKind: 'bg' }) };
      const own = [{ ...claudeAnswer(`own ${name}`, `own-${name}`, from * 1000), ...marks }];
      const all = [...chain.slice(0, to).map((line) => ({ ...line, ...marks })), ...(from > 0 ? own : [])];
      await writeFile(join(folder, `${name}.jsonl`), lines(...all));
    };
    await session('first', 0, 3, false);
    await session('second', 7, 3);
    await session('third', 0, 4);
    await writeFile(join(folder, 'other.jsonl'), lines({ ...asked, uuid: 'elsewhere' }));
    const costs = new Map<string, string>();
    for (const name of ['first', 'second', 'third'])
      for (const heldBytes of [0, undefined]) {
        const path = join(folder, `${name}.jsonl`);
        const result = await importFile(path, heldBytes === undefined ? {} : { heldBytes });
        expect(result.readWith).toEqual([]);
        costs.set(`${name} ${heldBytes ?? 'held'}`, formatCost(costOf(records(result))));
      }
    expect(Object.fromEntries(costs)).toEqual({
      'first 0': '$6.30',
      'first held': '$6.30',
      'second 0': '$0.021',
      'second held': '$0.021',
      'third 0': '$0.03',
      'third held': '$0.03',
    });
  });

  test('Claude Code: a session that was branched off begins later than its first message, and pays for its own part', async () => {
    const folder = await temporaryFolder();
    const began = (timestamp: string) => ({ type: 'queue-operation', operation: 'enqueue', timestamp });
    const old = [asked, claudeAnswer('m1', 'u1', 1_000_000)];
    const own = claudeAnswer('m2', 'u2', 100_000);
    await writeFile(join(folder, 'parent.jsonl'), lines(began(AT), ...old));
    const branch = [began(LATER), ...old, own].map((line) => ({ ...line, sessionId: 'branch' }));
    await writeFile(join(folder, 'branch.jsonl'), lines(...branch));
    const costIn = async (name: string) =>
      formatCost(costOf(records(await importFile(join(folder, `${name}.jsonl`)))));
    expect([await costIn('parent'), await costIn('branch')]).toEqual(['$6.00', '$0.30']);
  });

  test('Codex: a forked session says what it used itself, $0.16, and nothing of what it repeats', async () => {
    const total = (timestamp: string, input: number) => ({
      timestamp,
      type: 'event_msg',
      payload: {
        type: 'token_count',
        info: { total_token_usage: { input_tokens: input, output_tokens: 0 } },
      },
    });
    const session = [
      { timestamp: AT, type: 'session_meta', payload: { id: 'child', forked_from_id: 'parent' } },
      { timestamp: AT, type: 'session_meta', payload: { id: 'parent' } },
      { timestamp: AT, type: 'turn_context', payload: { model: 'gpt-5' } },
      {
        timestamp: AT,
        type: 'response_item',
        payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go on' }] },
      },
      ...[9e9, 18e9, 27_024_000_000].map((input) => total(AT, input)),
    ];
    expect(await cost(...session, total(LATER, 27_024_000_000 + 130_560))).toBe('$0.16');
  });

  test.each([
    [{ 'claude-sonnet-4.6': 2 }, '$1.50 recorded by the source (2 requests).'],
    [{ 'claude-sonnet-4.6': 2, 'gpt-5': 3 }, '$1.50 recorded by the source (6 requests).'],
  ])('Copilot CLI: its last total replaces all prices, with the models %j', async (models, expected) => {
    const shutdown = (totalNanoAiu: number) => ({
      id: `e${totalNanoAiu}`,
      timestamp: LATER,
      type: 'session.shutdown',
      data: {
        totalNanoAiu,
        modelMetrics: Object.fromEntries(
          Object.entries(models).map(([model, count]) => [
            model,
            { requests: { count }, usage: { inputTokens: 5000, outputTokens: 50 } },
          ]),
        ),
      },
    });
    const start = { id: 'e0', timestamp: AT, type: 'session.start', data: { sessionId: 's' } };
    const user = { id: 'e1', timestamp: AT, type: 'user.message', data: { content: 'Go' } };
    const said = { outputTokens: 50, content: 'Done', model: 'claude-sonnet-4.6' };
    const answer = { id: 'e2', timestamp: AT, type: 'assistant.message', data: said };
    expect(await told(start, user, answer, shutdown(0.5e11), shutdown(1.5e11))).toBe(expected);
  });

  test('Copilot CLI: its total has what subagents used, which is not priced besides; what comes after it is', async () => {
    const event = (id: number, type: string, data: object) => ({
      id: `e${id}`,
      timestamp: AT,
      type,
      data,
    });
    const said = { outputTokens: 50, content: 'Done', model: 'claude-sonnet-4.6' };
    const task = { toolCallId: 't1', name: 'task', arguments: {} };
    const session = [
      event(0, 'session.start', { sessionId: 's' }),
      event(1, 'user.message', { content: 'Go' }),
      event(2, 'assistant.message', { ...said, toolRequests: [task] }),
      event(3, 'subagent.started', { toolCallId: 't1', agentName: 'Scout' }),
      event(4, 'assistant.message', { ...said, parentToolCallId: 't1' }),
      event(5, 'assistant.message', { content: 'Found', parentToolCallId: 't1' }),
    ];
    const metrics = {
      'claude-sonnet-4.6': { requests: { count: 3 }, usage: { inputTokens: 9, outputTokens: 99 } },
    };
    const end = event(6, 'session.shutdown', { totalNanoAiu: 1.5e11, modelMetrics: metrics });
    const whole = '$1.50 recorded by the source (3 requests).';
    expect(await told(...session, end)).toBe(whole);
    // An end that tells nothing takes nothing back.
    expect(await told(...session, end, event(7, 'session.shutdown', {}))).toBe(whole);
    const later = event(8, 'assistant.message', { ...said, parentToolCallId: 't1' });
    expect(await told(...session, end, later)).toMatch(
      /^\$1\.50 recorded by the source \(3 requests\)\. 1 request of unknown cost: only a part/,
    );
  });

  test('OpenCode and Pi: the cost of a message is exact, and zero for used tokens is none', async () => {
    const openCode = (money: number) => ({
      info: { id: 's' },
      messages: [
        {
          info: { role: 'assistant', modelID: 'mine', tokens: { input: 9, output: 1 }, cost: money },
          parts: [{ type: 'text', text: 'Done' }],
        },
      ],
    });
    expect(await cost(openCode(0.42))).toBe('$0.42');
    expect(await cost(openCode(0))).toBe('cost unknown');
    const pi = [
      { type: 'session', id: 's', cwd: '/project', timestamp: AT },
      {
        type: 'message',
        timestamp: AT,
        message: {
          role: 'assistant',
          model: 'mine',
          content: [{ type: 'text', text: 'Done' }],
          usage: { input: 9, output: 1, cost: { input: 0.1, output: 0.2, total: 0.3 } },
        },
      },
    ];
    expect(await cost(...pi)).toBe('$0.30');
  });

  test('Cline: the cost of a request is exact', async () => {
    const request = JSON.stringify({ tokensIn: 9, tokensOut: 1, cost: 0.07 });
    const task = [
      { ts: 1, type: 'say', say: 'task', text: 'Go' },
      { ts: 2, type: 'say', say: 'api_req_started', text: request },
      { ts: 3, type: 'say', say: 'text', text: 'Done' },
    ];
    expect(await costOfText(JSON.stringify(task))).toBe('$0.07');
  });

  test.each([
    [
      'SWE-agent',
      { instance_cost: 2.42, tokens_sent: 773_278, tokens_received: 6744, api_calls: 48 },
      '48 requests',
    ],
    ['mini-SWE-agent', { instance_cost: 2.42, api_calls: 48 }, '48 requests'],
  ])('%s: what the whole run cost stands beside its messages', async (_, stats, requests) => {
    const history = [
      { role: 'user', content: 'Go' },
      { role: 'assistant', content: 'Done' },
    ];
    const text = JSON.stringify({ history, info: { exit_status: 'submitted', model_stats: stats } });
    const { cost: paid } = await totalsOf(text);
    expect(explainCost(paid)).toBe(`$2.42 recorded by the source (${requests}).`);
  });

  test('tau2-bench: the cost of the agent is exact', async () => {
    const messages = [
      { role: 'user', content: 'Go' },
      { role: 'assistant', content: 'Done' },
    ];
    expect(await costOfText(JSON.stringify({ simulations: [{ id: 's', agent_cost: 0.05, messages }] }))).toBe(
      '$0.05',
    );
  });

  test('tau2-bench: the person whom a model plays is paid for besides, under a name of its own', async () => {
    const messages = [
      { role: 'user', content: 'Go' },
      { role: 'assistant', content: 'Done' },
    ];
    const simulation = { id: 's', agent_cost: 0.05, user_cost: 0.02, messages };
    const { cost: paid, byAgent } = await totalsOf(JSON.stringify({ simulations: [simulation] }));
    expect(explainCost(paid)).toBe('$0.07 recorded by the source (2 requests).');
    expect(byAgent.map(({ name, cost: own }) => [name, formatCost(own)])).toContainEqual(['user', '$0.02']);
  });

  describe('Harbor (ATIF)', () => {
    const step = (metrics: object, more: object = {}) => ({
      step_id: 1,
      source: 'agent',
      message: 'Done',
      model_name: 'nobody-knows',
      metrics: { prompt_tokens: 100, completion_tokens: 10, ...metrics },
      ...more,
    });
    const trajectory = (steps: object[], more: object = {}) =>
      JSON.stringify({ schema_version: 'ATIF-v1.6', session_id: 's', agent: { name: 'a' }, steps, ...more });
    const total = { final_metrics: { total_cost_usd: 0.9 } };

    test('the cost of a step is exact, and no step pays for what it copied', async () => {
      expect(await costOfText(trajectory([step({ cost_usd: 0.2 }), step({ cost_usd: 0.3 })]))).toBe('$0.50');
      const copied = step({ cost_usd: 0.2 }, { is_copied_context: true });
      expect(await costOfText(trajectory([copied, step({ cost_usd: 0.3 })], total))).toBe('$0.30');
    });

    test('its total counts where the steps do not tell theirs, once', async () => {
      expect(await costOfText(trajectory([step({}), step({})], total))).toBe('$0.90');
      expect(await costOfText(trajectory([step({ cost_usd: 0.2 }), step({})], total))).toBe('$0.90');
      expect(await costOfText(trajectory([step({ cost_usd: 0.2 }), step({ cost_usd: 0.3 })], total))).toBe(
        '$0.50',
      );
    });

    const child = (steps: object[], more: object = {}) => ({
      trajectory_id: 'c',
      session_id: 'c',
      agent: { name: 'b' },
      steps,
      ...more,
    });
    const agents = async (text: string) =>
      (await totalsOf(text)).byAgent.map(({ name, cost: own }) => [name, formatCost(own)]);

    test('a total includes subagents: what they cost is not counted again', async () => {
      const below = { ...total, subagent_trajectories: [child([step({ cost_usd: 0.4 })])] };
      expect(await costOfText(trajectory([step({ cost_usd: 0.5 })], below))).toBe('$0.90');
      const silent = trajectory([step({}), step({})], below);
      expect(await costOfText(silent)).toBe('$0.90');
      expect(await agents(silent)).toEqual([
        ['a', '$0.50'],
        ['b', '$0.40'],
      ]);
    });

    test('the total of a subagent counts for it, and includes its own subagents', async () => {
      const inner = { ...child([step({ cost_usd: 0.1 })]), trajectory_id: 'i', agent: { name: 'i' } };
      const outer = child([step({})], {
        final_metrics: { total_cost_usd: 0.4 },
        subagent_trajectories: [inner],
      });
      const text = trajectory([step({})], { ...total, subagent_trajectories: [outer] });
      expect(await costOfText(text)).toBe('$0.90');
      // 0.9 with subagents less 0.4 below; 0.4 less 0.1 below it.
      expect(Object.fromEntries(await agents(text))).toEqual({ a: '$0.50', b: '$0.30', i: '$0.10' });
    });

    test('where a subagent tells nothing, or more than the total, nobody knows what the total leaves', async () => {
      const of = (cost: object) => ({ ...total, subagent_trajectories: [child([step(cost)])] });
      expect(await costOfText(trajectory([step({})], of({})))).toBe('cost unknown');
      expect(await costOfText(trajectory([step({})], of({ cost_usd: 1.5 })))).toBe('≥ $1.50, 1 of 2 unknown');
    });
  });

  test('OpenHands: each event tells what was paid until then, and the run of an evaluation what all of it cost', async () => {
    const event = (id: number, paid: number, requests = id) => ({
      id,
      source: 'agent',
      action: 'run',
      args: { command: 'ls' },
      timestamp: AT,
      llm_metrics: {
        accumulated_cost: paid,
        accumulated_token_usage: { prompt_tokens: 100 * requests, completion_tokens: 10 * requests },
      },
    });
    const events = [event(1, 0.1), event(2, 0.25), event(3, 0.25, 2)];
    expect(await told(...events)).toBe('$0.25 recorded by the source (2 requests).');
    const silent = { id: 1, source: 'agent', action: 'run', args: { command: 'ls' }, timestamp: AT };
    const run = { instance_id: 'i', history: [silent], metrics: { accumulated_cost: 0.7 } };
    expect(await cost(run)).toBe('$0.70');
  });

  test('Langfuse: the cost of a generation is exact, in any of its spellings', async () => {
    const generation = (id: string, more: object) => ({
      id,
      traceId: 't',
      type: 'GENERATION',
      name: 'llm',
      model: 'nobody-knows',
      startTime: AT,
      endTime: LATER,
      input: [{ role: 'user', content: 'Go' }],
      output: { role: 'assistant', content: `Done ${id}` },
      usage: { input: 10, output: 1 },
      ...more,
    });
    const spellings = [{ costDetails: { total: 0.1 } }, { calculatedTotalCost: 0.1 }, { totalCost: 0.1 }];
    for (const [at, spelling] of spellings.entries())
      expect(
        await costOfText(
          JSON.stringify({ trace: { id: 't' }, observations: [generation(`g${at}`, spelling)] }),
        ),
      ).toBe('$0.10');
  });

  test('OpenTelemetry: the cost of a span is exact', async () => {
    const attribute = (key: string, value: object) => ({ key, value });
    const span = {
      traceId: '1'.repeat(32),
      spanId: '2'.repeat(16),
      name: 'chat nobody-knows',
      kind: 3,
      startTimeUnixNano: '1772359200000000000',
      endTimeUnixNano: '1772359201000000000',
      attributes: [
        attribute('gen_ai.operation.name', { stringValue: 'chat' }),
        attribute('gen_ai.request.model', { stringValue: 'nobody-knows' }),
        attribute('gen_ai.usage.input_tokens', { intValue: '10' }),
        attribute('gen_ai.usage.output_tokens', { intValue: '1' }),
        attribute('gen_ai.usage.cost', { doubleValue: 0.31 }),
        attribute('gen_ai.output.messages', {
          stringValue: JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: 'Done' }] }]),
        }),
      ],
    };
    const text = JSON.stringify({
      resourceSpans: [{ resource: {}, scopeSpans: [{ scope: { name: 's' }, spans: [span] }] }],
    });
    expect(await costOfText(text)).toBe('$0.31');
  });

  test('OpenRouter: the cost in the usage of an answer is exact', async () => {
    const answer = {
      id: 'gen-1',
      object: 'chat.completion',
      model: 'nobody-knows',
      created: 1772359200,
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Done' } }],
      usage: { prompt_tokens: 10, completion_tokens: 1, cost: 0.013 },
    };
    expect(await costOfText(JSON.stringify(answer))).toBe('$0.013');
  });

  test('aider: the cost of a message is exact', async () => {
    const chat = [
      '# aider chat started at 2026-03-01 10:00:00',
      '> Model: gpt-4o with diff edit format',
      '',
      '#### Go',
      '',
      'Done',
      '',
      '> Tokens: 2.1k sent, 123 received. Cost: $0.0036 message, $0.0072 session.',
      '',
    ];
    expect(await costOfText(chat.join('\n'))).toBe('$0.0036');
  });
});

const asked = {
  type: 'user',
  sessionId: 's',
  uuid: 'u0',
  timestamp: AT,
  message: { role: 'user', content: 'Go' },
};

function claudeAnswer(id: string, uuid: string, input: number) {
  return {
    type: 'assistant',
    sessionId: 's',
    uuid,
    timestamp: AT,
    requestId: `q-${id}`,
    message: {
      id,
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [{ type: 'text', text: `It is ${id}` }],
      usage: { input_tokens: input, output_tokens: 0 },
    },
  };
}

const cost = (...values: readonly object[]) => costOfText(lines(...values));

const costOfText = async (text: string) => formatCost((await totalsOf(text)).cost);

const told = async (...values: readonly object[]) => explainCost((await totalsOf(lines(...values))).cost);

function costOf(all: ReturnType<typeof records>) {
  const projection = new TranscriptProjection(prices);
  projection.add(all.map(factsOf));
  return projection.statistics().cost;
}

async function totalsOf(text: string) {
  const projection = new TranscriptProjection(prices);
  projection.add(records(await importTranscript(text, 'file')).map(factsOf));
  return projection.statistics();
}
