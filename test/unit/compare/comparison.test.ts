import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { finished } from '../../../src/compare/align.js';
import { areSame, compareRuns, type Comparison } from '../../../src/compare/comparison.js';
import { htmlOf, markdownOf, pageOfSet, pageOfTwo } from '../../../src/compare/forms.js';
import { ALL_RULES, type Rule } from '../../../src/compare/normal.js';
import { outliersIn, passAtOf, rateOf, RunTable } from '../../../src/compare/runs.js';
import { readRun, runStretches, type Run, type Step } from '../../../src/compare/steps.js';
import { foldedRows, sentenceOf } from '../../../src/compare/words.js';
import { NO_PRICES } from '../../../src/core/ports/prices.js';
import type { ReadRecord } from '../../../src/core/ports/transcript.js';
import { seed } from '../../support/fixedInputs.js';
import { hasRealTranscripts, realTranscripts } from '../../support/realTranscripts.js';
import { StoryTeller } from '../../support/storyTeller.js';
import { teamStory } from '../../support/teamStory.js';

const signal = new AbortController().signal;

async function runOf(
  records: readonly ReadRecord[],
  run?: number,
  rules: ReadonlySet<Rule> = ALL_RULES,
): Promise<Run> {
  const read = (start: number, end: number) => Promise.resolve(records.slice(start, end));
  const source = { length: records.length, read };
  const part = run === undefined ? undefined : (await runStretches(source, signal))[run - 1];
  return await readRun(source, { prices: NO_PRICES, signal, rules, part });
}

async function compared(
  left: readonly ReadRecord[],
  right: readonly ReadRecord[],
  rules?: ReadonlySet<Rule>,
): Promise<Comparison> {
  return finished(compareRuns(await runOf(left, undefined, rules), await runOf(right, undefined, rules)));
}

/** Kinds of the rows that differ, with their steps left and right. */
const differences = ({ rows }: Comparison) =>
  rows
    .filter(({ kind }) => kind !== 'same')
    .map(({ kind, left, right }) => `${kind} ${left?.number ?? '-'} ${right?.number ?? '-'}`);

/** A baker who looks, changes and tries. */
function baking(
  change: (tools: { use: (tool: string, args: object, result: string, isError?: boolean) => void }) => void,
  ending = 'The cookies are large again.',
) {
  const story = new StoryTeller();
  const cookie = story.run('Cookie', 'Why are the cookies so small?', { system: 'You bake.' });
  const use = (tool: string, args: object, result: string, isError = false) =>
    void cookie.useTool(tool, args as Record<string, unknown>, result, { isError });
  change({ use });
  cookie.say(ending);
  cookie.end();
  return story.records;
}

const usual = (use: (tool: string, args: object, result: string, isError?: boolean) => void) => {
  use('read_file', { path: 'scale.mjs' }, 'serves / people');
  use('edit_file', { path: 'scale.mjs', to: 'people / serves' }, 'Changed.');
  use(
    'run_command',
    { command: 'node bake.mjs' },
    'Baked 12 in 340 ms, id 0f8fad5b-d9cb-469f-a165-70867728950e.',
  );
};
const bakedWell = baking(({ use }) => usual(use));

describe('two runs', () => {
  test('are alike where only ids, times and folders are others, unless these are kept', async () => {
    const again = baking(({ use }) => {
      use('read_file', { path: 'scale.mjs' }, 'serves / people');
      use('edit_file', { path: 'scale.mjs', to: 'people / serves' }, 'Changed.');
      use(
        'run_command',
        { command: 'node bake.mjs' },
        'Baked 12 in 2.1 s, id 7c9e6679-7425-40de-944b-e07fc1f90ae7.',
      );
    });
    expect(sentenceOf(await compared(bakedWell, again))).toMatch(/^The same in all 5 steps; both ended well/);
    const strict = await compared(bakedWell, again, new Set(['times']));
    expect(differences(strict)).toEqual(['result 4 4']);
  });

  test('are told by what they did where they part, and where they are together again', async () => {
    const without = baking(({ use }) => {
      use('edit_file', { path: 'scale.mjs', to: 'people / serves' }, 'Changed.');
      use(
        'run_command',
        { command: 'node bake.mjs' },
        'Baked 12 in 1 s, id 7c9e6679-7425-40de-944b-e07fc1f90ae7.',
      );
    });
    const found = await compared(bakedWell, without);
    expect(sentenceOf(found)).toContain(
      'The same until step 2: left read scale.mjs, which right did not; together again from step 3 left, 2 right on',
    );
    expect(areSame(found, 'steps')).toBe(false);
    expect(areSame(found, 'tools')).toBe(false);
    expect(areSame(found, 'outcome')).toBe(true);
  });

  test('say which argument is another one, which call moved, which failed, and that words alone are no difference', async () => {
    const other = baking(({ use }) => {
      use('read_file', { path: 'bowl.mjs' }, 'serves / people');
      use('edit_file', { path: 'scale.mjs', to: 'people / serves' }, 'Changed.');
      use('run_command', { command: 'node bake.mjs' }, 'No oven.', true);
    }, 'The cookies are large again!');
    const found = await compared(bakedWell, other);
    expect(differences(found)).toEqual(['arguments 2 2', 'result 4 4', 'style 5 5']);
    expect(found.rows[1]?.changed).toEqual([{ path: 'path', left: 'scale.mjs', right: 'bowl.mjs' }]);
    expect(sentenceOf(found)).toContain(
      'both called read_file, with another path: scale.mjs left, bowl.mjs right',
    );
    expect(areSame(found, 'tools')).toBe(true);
    const swapped = baking(({ use }) => {
      use('edit_file', { path: 'scale.mjs', to: 'people / serves' }, 'Changed.');
      use('read_file', { path: 'scale.mjs' }, 'serves / people');
      use('run_command', { command: 'node bake.mjs' }, 'Baked 12 in 340 ms.');
    });
    const moved = await compared(bakedWell, swapped);
    expect(moved.counts.moved).toBeGreaterThan(0);
    expect(moved.counts.left + moved.counts.right + moved.counts.tool).toBe(0);
    expect(sentenceOf(moved)).toContain('there, right at step');
  });

  test('say first what went in otherwise', async () => {
    const story = new StoryTeller();
    const cookie = story.run('Cookie', 'Why are the cakes so small?', { system: 'You bake well.' });
    usual((tool, args, result) => void cookie.useTool(tool, args as Record<string, unknown>, result));
    cookie.say('The cookies are large again.');
    cookie.end();
    expect(sentenceOf(await compared(bakedWell, story.records))).toMatch(
      /^Other system prompt and prompt; every step is the same/,
    );
  });
});

/** Tool calls with their result, of an agent that waits for it: the positions of both records. */
function callsIn(records: readonly ReadRecord[]): { asked: number; answered: number; call: string }[] {
  const found: { asked: number; answered: number; call: string }[] = [];
  for (const [at, record] of records.entries()) {
    if (record.type !== 'message' || !('message' in record)) continue;
    const { message, call } = record as Extract<ReadRecord, { type: 'message' }>;
    const [only, more] = message.tool_calls ?? [];
    if (!only || more || /dispatch|^Task$|^Agent$/.test(only.function.name)) continue;
    const isAnswer = (other: ReadRecord) =>
      other.type === 'message' &&
      (other as { message?: { tool_call_id?: string } }).message?.tool_call_id === only.id &&
      other.call === call;
    const answered = records.findIndex((other, place) => place > at && isAnswer(other));
    if (answered < 0 || records.filter(isAnswer).length > 1) continue;
    found.push({ asked: at, answered, call });
  }
  return found;
}

type Draft = Record<string, unknown> & { message: Record<string, unknown> };
const draftOf = (record: ReadRecord | undefined) => structuredClone(record) as unknown as Draft;

const changes = {
  'left out': (records, { asked, answered }) => records.filter((_, at) => at !== asked && at !== answered),
  arguments: (records, { asked }) => {
    const changed = draftOf(records[asked]);
    const [call] = changed.message.tool_calls as { function: { arguments: string } }[];
    if (call)
      call.function.arguments = JSON.stringify({
        ...(JSON.parse(call.function.arguments || '{}') as object),
        seeded: 'otherwise',
      });
    return records.toSpliced(asked, 1, changed as unknown as ReadRecord);
  },
  result: (records, { answered }) => {
    const changed = draftOf(records[answered]);
    changed.message.content = 'The seeded result, which nobody expected.';
    return records.toSpliced(answered, 1, changed as unknown as ReadRecord);
  },
  order: (records, here, next) => {
    if (!next || next.call !== here.call || next.asked !== here.answered + 1) return undefined;
    const [a, b] = [
      records.slice(here.asked, here.answered + 1),
      records.slice(next.asked, next.answered + 1),
    ];
    return [...records.slice(0, here.asked), ...b, ...a, ...records.slice(next.answered + 1)];
  },
  'a subagent more': (records, { asked }) => {
    const { seq, run, call, agent, depth, conversation, time } = records[asked] as Extract<
      ReadRecord,
      { type: 'message' }
    >;
    const at = { seq, time, conversation, run, call, agent, depth };
    const child = { ...at, call: 'seeded', parentCall: call, agent: 'Seeded', depth: depth + 1 };
    const asks = {
      id: 'seeded',
      type: 'function',
      function: { name: 'subagent_dispatch', arguments: '{"agent":"Seeded","task":"Taste it."}' },
    };
    const added = [
      { ...at, id: 's1', type: 'message', message: { role: 'assistant', content: '', tool_calls: [asks] } },
      {
        ...at,
        id: 's2',
        type: 'dispatch',
        target: 'Seeded',
        task: 'Taste it.',
        toolCallId: 'seeded',
        childCall: 'seeded',
      },
      { ...child, id: 's3', type: 'message', message: { role: 'user', content: 'Taste it.' } },
      { ...child, id: 's4', type: 'message', message: { role: 'assistant', content: 'Sweet.' } },
      {
        ...at,
        id: 's5',
        type: 'message',
        toolName: 'subagent_dispatch',
        message: { role: 'tool', tool_call_id: 'seeded', content: 'Sweet.' },
      },
    ];
    return [...records.slice(0, asked), ...(added as unknown as ReadRecord[]), ...records.slice(asked)];
  },
} satisfies Record<
  string,
  (
    records: readonly ReadRecord[],
    here: { asked: number; answered: number; call: string },
    next: { asked: number; answered: number; call: string } | undefined,
  ) => readonly ReadRecord[] | undefined
>;

const expected: Readonly<Record<keyof typeof changes, RegExp>> = {
  'left out': /which right did not/,
  arguments: /seeded|both (?:called|asked) .*, left with/,
  result: /with another result|which .* left and .* right/,
  order: /at step|left .*, right /,
  'a subagent more': /right asked Seeded/,
};

const flat = (steps: readonly Step[]): Step[] => steps.flatMap((step) => [step, ...flat(step.below)]);

test('of 100 changes of transcripts at least 95 are where the runs part first, told in one true sentence', async () => {
  const transcripts: (readonly ReadRecord[])[] = [teamStory().records, bakedWell];
  if (hasRealTranscripts)
    for await (const records of realTranscripts(3)) if (records.length < 400) transcripts.push(records);
  const usable = transcripts
    .map((records) => ({ records, calls: callsIn(records) }))
    .filter(({ calls }) => calls.length > 2);
  const wrong: string[] = [];
  let done = 0;
  const kinds = Object.keys(changes) as (keyof typeof changes)[];
  for (let number = 0; done < 100; number++) {
    const { records, calls } = usable[(number * 7 + seed) % usable.length] as (typeof usable)[number];
    const kind = kinds[number % kinds.length] as keyof typeof changes;
    const place = (number * 31 + seed) % calls.length;
    const [here, next] = [calls[place], calls[place + 1]];
    const changed = here && changes[kind](records, here, next);
    if (!here || !changed) continue;
    done++;
    const [left, right] = [await runOf(records), await runOf(changed)];
    const comparison = finished(compareRuns(left, right));
    const first = comparison.rows[comparison.divergences[0]?.from ?? -1];
    const steps = flat(left.steps);
    const seeded = steps.find(({ position }) => position === here.asked)?.number ?? 0;
    const isThere =
      kind === 'a subagent more'
        ? first?.right?.name === 'Seeded'
        : kind === 'order'
          ? first?.left?.number === seeded || first?.right?.number === seeded
          : first?.left?.number === seeded;
    const sentence = sentenceOf(comparison);
    const isTold =
      expected[kind].test(sentence) &&
      (seeded === 1 || kind === 'a subagent more' || new RegExp(`step ${seeded}\\b`).test(sentence));
    if (!isThere || !isTold) wrong.push(`${kind} at ${seeded}: ${sentence}`);
    // Right and left tell the same the other way round.
    const mirrored = finished(compareRuns(right, left));
    expect(mirrored.counts).toEqual({
      ...comparison.counts,
      left: comparison.counts.right,
      right: comparison.counts.left,
    });
    if (done % 10 === 0) expect(finished(compareRuns(right, right)).divergences).toEqual([]);
  }
  expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(5);
}, 60_000);

describe('a run of a session', () => {
  /** Asked twice, each time of Cookie, whose call is told of by no tool call. */
  const twice = () => {
    const story = new StoryTeller();
    for (const oven of ['hot', 'cold']) {
      const pickle = story.run('Pickle', `Is the oven ${oven}?`);
      pickle.useTool('read_file', { path: 'oven.mjs' }, oven);
      pickle.say('I look.');
      pickle.end();
    }
    return story.records;
  };

  test('differs in its tools only where the same agent was told otherwise', async () => {
    const asked = (own: string, below: string) => {
      const story = new StoryTeller();
      const schemas = (description: string) => ({
        schemas: description === '' ? [] : [{ name: 'read_file', description, parameters: {} }],
      });
      const cookie = story.run('Cookie', 'Bake.');
      const { child } = cookie.dispatch('Crumb', 'Read.');
      child.say('Read.');
      child.end();
      cookie.end();
      const descriptions = [own, below];
      return story.records.map((record) =>
        record.type === 'callStart'
          ? { ...record, tools: ['read_file'], ...schemas(descriptions.shift() ?? '') }
          : record,
      );
    };
    const differing = async (left: readonly ReadRecord[], right: readonly ReadRecord[]) =>
      (await compared(left, right)).inputs.map(({ what, of }) => [what, of]);
    expect(await differing(asked('Reads.', 'Reads well.'), asked('Reads.', ''))).toEqual([
      ['tools', 'Crumb'],
    ]);
    expect(await differing(asked('Reads.', ''), asked('Reads all.', 'Reads.'))).toEqual([
      ['tools', undefined],
    ]);
    expect(await differing(asked('Reads.', ''), asked('Reads.', ''))).toEqual([]);
  });

  test('has the agents that it asked where it asked them, also where it is not the first', async () => {
    const records = [...twice()];
    const second = records.findLastIndex(({ type }) => type === 'callStart');
    const asked = records[second + 1] as Extract<ReadRecord, { type: 'message' }>;
    const { seq, time, conversation, run, call } = asked;
    const child = {
      seq,
      time,
      conversation,
      run,
      call: 'child',
      parentCall: call,
      agent: 'Cookie',
      depth: 1,
    };
    const said = {
      ...child,
      id: 'x',
      type: 'message',
      message: { role: 'assistant', content: 'It is cold.' },
    };
    const answered = records.findLastIndex(({ type }) => type === 'message');
    records.splice(answered, 0, said as unknown as (typeof records)[number]);
    const steps = (await runOf(records, 2)).steps;
    expect(steps.map(({ kind }) => kind)).toEqual(['prompt', 'call', 'agent', 'answer']);
    expect(steps.slice(2).map(({ position }) => position)).toEqual([answered, answered + 1]);
  });

  test('begins where a person asks, and not with what reaches an agent while it works', async () => {
    const line = (role: string, content: string, more: object = {}) =>
      ({ type: 'message', message: { role, content }, ...more }) as unknown as ReadRecord;
    const records = [
      line('user', 'Bake.'),
      line('assistant', 'I bake.'),
      line('user', 'Hurry.', { absorbed: true }),
      line('assistant', 'Done.'),
    ];
    expect(await runStretches({ length: 4, read: () => Promise.resolve(records) }, signal)).toEqual([
      { from: 0, to: 4 },
    ]);
  });
});

test('no character is cut in half, in whatever is told of long arguments and inputs', async () => {
  const cookies = (before: string) => `${before}${'🍪'.repeat(1_500)}`;
  const told = (before: string) =>
    baking(
      ({ use }) =>
        use(cookies(before), { path: cookies(before), [cookies('k')]: cookies(before) }, cookies(before)),
      cookies(before),
    );
  const systems = ['a', 'bb'].map((before) => {
    const story = new StoryTeller();
    const cookie = story.run('Cookie', cookies(before), { system: cookies(before) });
    cookie.say(cookies(before));
    cookie.end();
    return story.records;
  });
  const half = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
  for (const [left, right] of [[told('a'), told('bb')], systems]) {
    const found = await compared(left ?? [], right ?? []);
    expect(JSON.stringify(found).replaceAll('\\ud', '\ud800')).not.toMatch(half);
    expect(markdownOf(pageOfTwo(found, { left: 'a', right: 'b' }))).not.toMatch(half);
  }
});

describe('several runs', () => {
  test('are counted by the step of the baseline at which they leave it, and by what they came to', async () => {
    const table = new RunTable(await runOf(bakedWell), 0);
    const skipped = baking(({ use }) => use('run_command', { command: 'node bake.mjs' }, 'Baked 12 in 1 s.'));
    const lost = baking(({ use }) => {
      usual(use);
      use('read_file', { path: 'oven.mjs' }, 'hot');
    });
    for (const [at, records] of [bakedWell, bakedWell, skipped, skipped, lost].entries())
      finished(table.add(`run ${at + 1}`, await runOf(records)));
    const set = table.summary();
    expect(set.same).toBe(1);
    expect(set.forks.map(({ step, kind, runs: which }) => [step, kind, which])).toEqual([
      [2, 'left', [2, 3]],
      [undefined, 'right', [4]],
    ]);
    expect(set.steps.map(({ runs: many }) => many)).toEqual([5, 3, 3, 5, 5]);
    expect(set.others.map(({ step, runs: many }) => [step.about, many])).toEqual([['oven.mjs', 1]]);
    expect([set.success.passed, set.success.n, set.isFew]).toEqual([5, 5, false]);
    const page = pageOfSet(set);
    expect(page.sentence).toContain('1 of 4 runs do what run 1 does');
  });

  test('have rates with Wilson’s interval, unbiased pass@k and pass^k, and outliers by the median of distances', () => {
    const rounded = ({ low, high }: ReturnType<typeof rateOf>) =>
      [low, high].map((share) => Math.round((share ?? 0) * 100));
    const told = (passed: number, n: number) => rateOf(Array.from({ length: n }, (_, at) => at < passed));
    expect(
      [
        [3, 3],
        [4, 5],
        [5, 5],
        [0, 5],
        [10, 10],
        [18, 20],
        [20, 20],
        [90, 100],
      ].map(([c = 0, n = 0]) => rounded(told(c, n))),
    ).toEqual([
      [44, 100],
      [38, 96],
      [57, 100],
      [0, 43],
      [72, 100],
      [70, 97],
      [84, 100],
      [83, 94],
    ]);
    expect(rateOf([true, undefined, false])).toMatchObject({ passed: 1, n: 2, excluded: 1, rate: 0.5 });
    const at = (passed: number, n: number, of: 'any' | 'all') =>
      passAtOf({ passed, n }).map((each) => each[of].toFixed(2));
    expect(at(4, 5, 'all')).toEqual(['0.80', '0.60', '0.40', '0.20', '0.00']);
    expect(at(1, 5, 'any')).toEqual(['0.20', '0.40', '0.60', '0.80', '1.00']);
    const points = {
      what: 'cost',
      unit: 'dollars',
      points: [1, 1.1, undefined, 0.9, 1.2, 9],
      n: 5,
      median: 1.1,
      least: 0.9,
      most: 9,
    } as const;
    expect(outliersIn(points)).toEqual([{ run: 5, what: 'cost', value: 9, median: 1.1 }]);
  });
});

test('what others said is harmless in Markdown and HTML, and stretches that are alike are folded', async () => {
  const nasty = '<script>alert(1)</script> | @everyone `x` [a](javascript:b) \u202e';
  const bad = baking(({ use }) => {
    use('read_file', { path: nasty }, nasty);
    use('edit_file', { path: 'scale.mjs', to: 'people / serves' }, 'Changed.');
  }, nasty);
  const found = await compared(bakedWell, bad);
  const page = pageOfTwo(found, { left: nasty, right: 'b' });
  const [markdown, html] = [markdownOf(page), htmlOf(page)];
  for (const text of [markdown, html]) expect(text).not.toMatch(/(?<!\\)<script|\u202e/);
  expect(markdown).not.toMatch(/(?<!\\)\[a|@everyone|[^\\]`x/);
  fc.assert(
    fc.property(fc.array(fc.boolean()), (same) => {
      const rows = same.map((isSame) => ({
        kind: isSame ? ('same' as const) : ('left' as const),
        depth: 0,
        left: undefined,
        right: undefined,
      }));
      const folded = foldedRows(rows);
      expect(folded.reduce((sum, { alike }) => sum + (alike ?? 1), 0)).toBe(rows.length);
      expect(folded.filter(({ row }) => row?.kind === 'left')).toHaveLength(
        same.filter((each) => !each).length,
      );
    }),
  );
});
