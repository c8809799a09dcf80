import { describe, expect, test } from 'vitest';
import { query, type QueryTranscriptsOptions } from '../../../src/app/transcripts/queryTranscripts.js';
import { PATTERN_TOO_SLOW } from '../../../src/core/ports/patternMatcher.js';
import type { ReadRecord } from '../../../src/core/ports/transcript.js';
import { MemoryTranscript } from '../../support/memoryTranscript.js';
import { StoryTeller, STORY_START } from '../../support/storyTeller.js';

/** A session in which an agent reads a file, has it changed by another agent, and deletes something. */
function bakery(conversation: string): MemoryTranscript {
  const story = new StoryTeller(conversation);
  const baker = story.run('Baker', 'Why are the cookies so small?');
  baker.useTool('read_file', { path: 'src/scale.ts' }, 'factor = serves / people', { ms: 50 });
  const { child, call } = baker.dispatch('Fixer', 'turn the factor around');
  child.useTool('edit_file', { path: 'src/scale.ts' }, 'no such line', { isError: true, ms: 80 });
  child.say('It is turned around.');
  child.end();
  baker.answer(call, 'It is turned around.');
  baker.useTool('bash', { command: 'cd out && sudo rm -rf crumbs' }, '');
  baker.say('They are larger now.');
  baker.end();
  return new MemoryTranscript(conversation, story.records);
}

const options = { now: STORY_START + 60_000, timeZone: 'UTC' };

async function ask(text: string, more: QueryTranscriptsOptions = {}) {
  const result = await query([bakery('s1'), new MemoryTranscript('empty')], text, { ...options, ...more });
  if (!result.ok) throw new Error(result.problems[0]?.message);
  return result;
}

describe('what is found refers to where it stands', () => {
  test('messages', async () => {
    const { found, sessions } = await ask('role:user cookies');
    expect(sessions).toBe(2);
    expect(found).toEqual([
      {
        rows: 'messages',
        session: 's1',
        agent: 'Baker',
        run: 'r_1',
        call: 'k_1',
        time: STORY_START,
        seq: 2,
        position: 1,
        role: 'user',
      },
    ]);
  });

  test('tool calls', async () => {
    const { found } = await ask('tool:edit_file after tool:read_file same:path', { rows: 'toolCalls' });
    expect(found).toMatchObject([
      {
        rows: 'toolCalls',
        session: 's1',
        tool: 'edit_file',
        agent: 'Fixer',
        call: 'k_2',
        isError: true,
        durationMs: 80,
      },
    ]);
    const [row] = found as readonly { seq: number; resultSeq: number }[];
    expect((row?.resultSeq ?? 0) - (row?.seq ?? 0)).toBe(1);
  });

  test('calls of agents, runs and sessions', async () => {
    expect((await ask('is:error', { rows: 'agentCalls' })).found).toMatchObject([
      { id: 'k_2', agent: 'Fixer' },
    ]);
    expect((await ask('command:rm', { rows: 'runs' })).found).toMatchObject([{ id: 'r_1', firstSeq: 1 }]);
    expect((await ask('title:cookies', { rows: 'sessions' })).found).toMatchObject([
      { id: 's1', title: 'Why are the cookies so small?', time: STORY_START },
    ]);
  });
});

test('a text that lies in a file of its own is searched whole, and named where it is missing', async () => {
  const transcript = bakery('s1');
  const cut = transcript.records.findIndex(
    (record) => record.type === 'message' && record.toolName === 'read_file',
  );
  const record = transcript.records[cut] as Extract<ReadRecord, { type: 'message' }>;
  const whole = 'x'.repeat(50) + ' hidden ' + 'y'.repeat(50);
  const spill = [{ field: 'content', path: 'p', bytes: 108, sha256: '' }];
  transcript.records[cut] = { ...record, message: { ...record.message, content: 'xxxxx' }, spill };
  const asked = async () => query([transcript], 'hidden', options);
  expect(await asked()).toMatchObject({ found: [], incomplete: [{ session: 's1', missingTexts: 1 }] });
  transcript.spills.set('p', whole);
  expect(await asked()).toMatchObject({ found: [{ position: cut }], incomplete: [] });
});

test('sessions that cannot be read stand beside what was found in the others', async () => {
  const broken = bakery('broken');
  broken.read = () => Promise.reject(new Error('The disk is gone.'));
  const damaged = bakery('damaged');
  damaged.damaged = [{ file: 'f', offset: 0, bytes: 3, why: 'no JSON' }];
  const result = await query([broken, damaged, { transcript: bakery('s3'), source: 'codex' }], 'command:rm', {
    ...options,
    rows: 'sessions',
  });
  expect(result).toMatchObject({
    ok: true,
    found: [{ id: 'damaged' }, { id: 's3', source: 'codex' }],
    sessions: 2,
    unread: [{ session: 'broken', why: 'The disk is gone.' }],
    incomplete: [{ session: 'damaged', damaged: 1, missingTexts: 0 }],
  });
});

test('only what the facts leave open is read again', async () => {
  const transcript = bakery('s1');
  await query([transcript], 'agent:Baker is:message', options);
  expect(transcript.readCount).toBe(transcript.length);
  transcript.readCount = 0;
  await query([transcript], 'agent:Fixer role:assistant turned', options);
  expect(transcript.readCount).toBeLessThan(2 * transcript.length);
});

test('a pattern without end is given up, with its place', async () => {
  const story = new StoryTeller('s1');
  story.run('Baker', `${'a'.repeat(5_000)}!`);
  const text = 'agent:Baker /^(a+)+$/';
  const result = await query([new MemoryTranscript('s1', story.records)], text, {
    ...options,
    maxPatternMs: 50,
  });
  const problem = { start: 12, end: text.length, message: PATTERN_TOO_SLOW };
  expect(result).toEqual({ ok: false, problems: [problem] });
});

test('what is wrong with a question is reported before anything is read', async () => {
  const transcript = bakery('s1');
  expect(await query([transcript], 'agnt:x')).toMatchObject({ ok: false, problems: [{ start: 0, end: 5 }] });
  expect(await query([transcript], 'role:user', { rows: 'toolCalls' })).toMatchObject({
    ok: false,
    problems: [{ start: 0, end: 9, message: expect.stringContaining('A tool call has no role:') as string }],
  });
  expect(transcript.readCount).toBe(0);
  await expect(query([transcript], 'a', { timeZone: 'Nowhere/At_all' })).rejects.toThrow(RangeError);
  await expect(query([transcript], 'a', { signal: AbortSignal.abort() })).rejects.toThrow('aborted');
});
