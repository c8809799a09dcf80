import { describe, expect, it } from 'vitest';
import { TurnTexts } from '../../../../src/page/panel/analysisAnswers.js';
import { MemoryTranscript } from '../../../support/memoryTranscript.js';
import { factsOf } from '../../../../src/query/numbers/facts.js';
import { isMessageRecord } from '../../../../src/core/record.js';
import { timelineView } from '../../../../src/page/panel/projection/timelineView.js';
import { Durations } from '../../../../src/query/numbers/toolUse.js';
import { pausesOf } from '../../../../src/page/panel/projection/pauses.js';
import { TranscriptProjection } from '../../../../src/page/panel/projection/transcriptProjection.js';
import { largeStory } from '../../../support/largeStory.js';
import { STORY_START, StoryTeller } from '../../../support/storyTeller.js';
import { teamStory } from '../../../support/teamStory.js';

/** Everything that one pass gathers of a story. */
function foldsOf(story: StoryTeller): TranscriptProjection {
  const projection = new TranscriptProjection();
  projection.add(story.records.map(factsOf));
  return projection;
}

function timelineOf(
  projection: TranscriptProjection,
  part: { from?: number; to?: number; pixels: number },
  running = false,
) {
  return timelineView(
    projection.index.calls.all,
    projection.timeline.moments,
    projection.hues,
    part,
    running,
  );
}

describe('what one pass over a transcript gathers', () => {
  const story = teamStory();
  const projection = foldsOf(story);
  const messages = story.records.filter(isMessageRecord);

  it('counts every message once, by role and by agent', () => {
    const { messages: total, byRole, byAgent } = projection.usage.statistics(projection.index.calls.all);
    const sum = (shares: readonly { messages: number }[]) =>
      shares.reduce((all, each) => all + each.messages, 0);
    expect([total, sum(byRole), sum(byAgent)]).toEqual(Array(3).fill(messages.length));
  });

  it('adds up what the provider told, once for each call, and labels what it did not tell', () => {
    const { tokens, byAgent, byModel, byRole } = projection.usage.statistics(projection.index.calls.all);
    const told = messages.reduce((all, record) => all + (record.usage?.inputTokens ?? 0), 0);
    expect(tokens).toMatchObject({ input: told, estimated: false });
    expect(byAgent.reduce((all, each) => all + each.tokens.input, 0)).toBe(told);
    expect(byModel).toMatchObject([{ name: 'gpt-5-mini', failures: 1, tokens: { input: told } }]);
    expect(byRole.map(({ name, tokens: { estimated } }) => [name, estimated])).toEqual([
      ['system', true],
      ['user', true],
      ['assistant', false],
      ['tool', true],
    ]);
  });

  it('estimates from the length of what was said where nobody told the tokens', () => {
    const untold = new StoryTeller();
    const call = untold.run('planner', 'x'.repeat(400));
    call.message({ role: 'assistant', content: 'y'.repeat(80) }, { model: 'm' });
    const { byAgent, byModel } = foldsOf(untold).usage.statistics(foldsOf(untold).index.calls.all);
    expect(byAgent).toMatchObject([{ tokens: { input: 100, output: 20, estimated: true } }]);
    expect(byModel).toMatchObject([{ name: 'm', tokens: { input: 0, output: 20, estimated: true } }]);
  });

  it('counts runs, calls, tool calls and errors', () => {
    expect(projection.usage.statistics(projection.index.calls.all)).toMatchObject({
      runs: 2,
      calls: 7,
      toolCalls: 15,
      errors: 7,
    });
  });

  it('lists the slowest steps first, a dispatch as the call that it began', () => {
    const { slowest } = projection.usage.statistics(projection.index.calls.all);
    const times = slowest.map(({ durationMs = 0 }) => durationMs);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(slowest[0]).toMatchObject({ kind: 'dispatch', label: 'reviewer' });
    expect(slowest.some(({ label }) => label === 'subagent_dispatch')).toBe(false);
  });

  it('shows how the context of each call grew, request by request', () => {
    const { contextGrowth } = projection.usage.statistics(projection.index.calls.all);
    for (const { points } of contextGrowth) {
      expect(points.map(({ request }) => request)).toEqual(points.map((_, at) => at + 1));
      expect(points.at(-1)!.tokens).toBeGreaterThan(points[0]!.tokens);
    }
  });

  it('sums tools up: calls, failures, times, the names of their arguments', () => {
    const read = projection.tools.summary().find(({ tool }) => tool === 'read_file');
    expect(read).toMatchObject({ calls: 3, failures: 1, unanswered: 0, p50: 12, p95: 18 });
    expect(read?.arguments[0]).toEqual({ name: 'path', calls: 3 });
    expect(read?.agents).toEqual(['researcher', 'reviewer']);
  });

  it('gives the nearest rank as percentile, however the durations came', () => {
    const durations = new Durations();
    expect(durations.percentile(0.5)).toBe(0);
    durations.add(7);
    expect(durations.percentile(0.95)).toBe(7);
    for (let ms = 100; ms > 7; ms--) durations.add(ms);
    expect(durations.percentile(0.5)).toBe(53);
    for (let ms = 1; ms < 7; ms++) durations.add(ms);
    expect([0.5, 0.95, 1].map((part) => durations.percentile(part))).toEqual([50, 95, 100]);
    expect([durations.count, durations.total]).toEqual([100, 5_050]);
  });

  it('lists the turns, each with the work of everybody until the next prompt and not the pause after it', async () => {
    const turns = projection.turns.slice(0, 9);
    expect(
      turns.map(({ toolCalls, dispatches, errors, state }) => [toolCalls, dispatches, errors, state]),
    ).toEqual([
      [12, 4, 2, 'done'],
      [0, 0, 0, 'done'],
      [3, 1, 5, 'failed'],
    ]);
    const [texts] = await new TurnTexts(new MemoryTranscript('c', story.records)).of(turns);
    expect(texts!.answer).toMatch(/^What was wrong Since Tuesday/);
    expect(turns[0]!.end).toBeLessThan(turns[1]!.start - 80_000);
  });

  it('finds the turn that goes on at a time, and the prompts beside a record', () => {
    const [first, second, third] = projection.turns.slice(0, 3);
    const { turns } = projection;
    const times = [0, first!.start, second!.start - 1, Infinity];
    expect(times.map((time) => turns.at(time))).toEqual([0, 0, 0, 2]);
    expect([undefined, first!.position, second!.position - 1].map((from) => turns.beside(from, 1))).toEqual([
      first!.position,
      second!.position,
      second!.position,
    ]);
    expect([undefined, first!.position, second!.position + 1].map((from) => turns.beside(from, -1))).toEqual([
      third!.position,
      undefined,
      second!.position,
    ]);
  });

  it('draws one lane for each agent, calls at the same time below each other, dispatches from where they came', async () => {
    const { lanes, spans, start } = await timelineOf(projection, { pixels: 1_000 });
    expect(start).toBe(STORY_START);
    expect(lanes.map(({ agent, calls }) => [agent, calls])).toEqual([
      ['planner', 2],
      ['researcher', 3],
      ['coder', 1],
      ['reviewer', 1],
    ]);
    const calls = spans.filter(({ kind }) => kind === 'call');
    expect(calls.map(({ lane, from }) => [lane, from?.lane])).toEqual([
      [0, undefined],
      [1, 0],
      [2, 0],
      [3, 0],
      [1, 2],
      [0, undefined],
      [1, 0],
    ]);
    expect(calls.filter(({ state }) => state === 'failed')).toHaveLength(2);
    for (const { start: from, end } of spans) expect(end).toBeGreaterThanOrEqual(from);
  });

  it('sends few spans however many there are, and all of a part that is looked at closely', async () => {
    const large = foldsOf(largeStory(6_000));
    const all = await timelineOf(large, { pixels: 800 });
    expect(all.spans.length).toBeLessThan(2_000);
    const merged = all.spans
      .filter(({ kind }) => kind === 'tool')
      .reduce((sum, span) => sum + span.merged, 0);
    const { moments } = large.timeline;
    const kinds = Array.from({ length: moments.length }, (_, at) => moments.within(at, 0, Infinity)?.kind);
    expect(merged).toBe(kinds.filter((kind) => kind === 'tool').length);
    const part = await timelineOf(large, { from: all.start, to: all.start + 5_000, pixels: 1_000 });
    expect(part.spans.filter(({ kind }) => kind === 'tool').every((span) => span.merged === 1)).toBe(true);
  });

  it('begins with the first time that a record says, where others say none', async () => {
    const story = teamStory();
    const timed = await timelineOf(foldsOf(story), { pixels: 1_000 });
    const timeless = [0, 3, 7, story.records.length - 1];
    const records = story.records.map((record, at) =>
      timeless.includes(at) ? { ...record, time: 0 } : record,
    );
    const projection = foldsOf(Object.assign(teamStory(), { records }));
    const { start, end, spans } = await timelineOf(projection, { pixels: 1_000 });
    expect(start).toBeGreaterThanOrEqual(timed.start);
    expect(end).toBeLessThanOrEqual(timed.end);
    expect(spans.every((span) => span.start >= start)).toBe(true);
    const pauses = pausesOf(projection.turns, projection.index.calls.all, false);
    expect(pauses.every((gap) => gap.start >= start)).toBe(true);
  });

  it('says that a call without an end still runs, as long as the conversation does', async () => {
    const open = teamStory();
    const folded = foldsOf(Object.assign(open, { records: open.records.slice(0, 5) }));
    const stateOf = async (running: boolean) => {
      const { spans } = await timelineOf(folded, { pixels: 100 }, running);
      return spans[0]?.state;
    };
    expect([await stateOf(true), await stateOf(false)]).toEqual(['running', 'done']);
  });
});
