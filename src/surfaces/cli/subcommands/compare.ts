import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  baselineNamed,
  comparedRuns,
  compareSessions,
  pageOfCompared,
  rulesNamed,
  splitName,
  type Compared,
  type ComparedRun,
  type UnreadRun,
} from '../../../app/sources/compareSessions.js';
import { UserError } from '../../../app/userError.js';
import { areSame, deltasOf, SAMENESS, type Comparison, type RunFacts } from '../../../compare/comparison.js';
import { htmlOf, markdownOf, type Page } from '../../../compare/forms.js';
import type { RunSet } from '../../../compare/runs.js';
import { sentenceOf } from '../../../compare/words.js';
import { costShape } from '../../../export/costShape.js';
import { loadUsablePrices } from '../../../query/pricing/loadPrices.js';
import type { Call } from '../call.js';
import { positionShape } from '../found.js';
import { cutTo } from '../styles.js';
import { writeTable } from '../table.js';

/** Tells what is different between two runs, or puts several side by side. */
export async function compare(call: Call): Promise<void> {
  await compareNamed(call, call.words);
}

/** The same of runs by their names, whatever the command is. */
export async function compareNamed(call: Call, words: readonly string[]): Promise<void> {
  const { out, signal } = call;
  const keep = call.text('keep');
  const baseline = call.text('baseline');
  const compared = await compareSessions(runsOf(call, words), {
    prices: await loadUsablePrices(call.ownPrices),
    signal,
    clean: (record) => out.clean(record),
    ...(keep !== undefined && { keep: rulesNamed(keep) }),
    ...(baseline !== undefined && { baseline: baselineNamed(baseline) }),
    onProgress: (run) => out.progress(`Comparing ${run}`),
  });
  const { unread } = compared;
  const facts =
    compared.kind === 'two' ? [compared.comparison.left, compared.comparison.right] : compared.set.facts;
  if (unread.length > 0 || facts.some(({ damaged }) => damaged > 0)) call.fail();
  if (out.isJson) {
    await (compared.kind === 'two' ? tellTwo(call, compared) : tellSet(call, compared.set, compared.runs));
    for (const each of unread) await out.tell('unread', each);
  } else await writePage(call, pageOfCompared(out.clean(compared)));
  const by = SAMENESS.find((each) => each === call.text('same'));
  if (by === undefined) return;
  const isSame = compared.kind === 'two' ? areSame(compared.comparison, by) : isSetSame(compared.set, by);
  if (!isSame) call.fail();
}

async function* runsOf(
  call: Call,
  words: readonly string[],
): AsyncGenerator<ComparedRun | UnreadRun, void, undefined> {
  const { terminal, signal } = call;
  const isAlone = words.length === 1;
  for (const word of words) {
    const split = splitName(word);
    // A file may have a number sign in its name.
    const isFile = split.run !== undefined && (await isThere(resolve(terminal.cwd, word)));
    const { name, run } = isFile ? { name: word, run: undefined } : split;
    try {
      yield* comparedRuns(run, call.sessions([name]), isAlone, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (isAlone || !(error instanceof UserError)) throw error;
      yield { name: word, why: error.message };
    }
  }
}

async function isThere(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

function isSetSame(set: RunSet, by: (typeof SAMENESS)[number]): boolean {
  const same = { steps: set.same, tools: set.sameTools, outcome: set.sameOutcome }[by];
  return same === set.facts.length - 1;
}

/** Writes a page in the form that the call wants. */
export async function writePage(call: Call, page: Page): Promise<void> {
  const { out } = call;
  const format = call.text('format');
  if (format === 'markdown') return out.write(markdownOf(page));
  if (format === 'html') return out.write(htmlOf(page));
  await out.say(out.style('bold', out.line(page.sentence)));
  for (const note of page.notes) await out.say(out.style('dim', out.line(note)));
  for (const { title, heads, rows, numbers = [] } of page.tables) {
    await out.say();
    await out.say(out.style('bold', title));
    const texts = heads.length - numbers.length;
    // Several columns give way alike.
    const most = Math.max(16, Math.floor(out.columns / texts) - 3);
    await writeTable(
      out,
      heads.map((head, at) => ({ head, ...(numbers.includes(at) && { side: 'right' as const }) })),
      rows.map((row) =>
        row.map((cell, at) => (numbers.includes(at) ? out.line(cell) : cutTo(out.line(cell), most))),
      ),
    );
  }
}

type Two = Extract<Compared, { kind: 'two' }>;

async function tellTwo({ out }: Call, { comparison, runs: [left, right] }: Two): Promise<void> {
  const { inputs, counts, filesOnlyLeft, filesOnlyRight, cost, way, rows } = comparison;
  await out.tell('comparison', {
    sentence: sentenceOf(comparison),
    left: sideShape(left, comparison.left),
    right: sideShape(right, comparison.right),
    same: Object.fromEntries(SAMENESS.map((by) => [by, areSame(comparison, by)])),
    inputs,
    counts,
    filesOnlyLeft,
    filesOnlyRight,
    distance: cost,
    way,
  });
  for (const { from, to, kind, ...divergence } of comparison.divergences)
    await out.tell('divergence', {
      difference: kind,
      ...divergence,
      left: firstOf(comparison, from, to, 'left'),
      right: firstOf(comparison, from, to, 'right'),
    });
  for (const { kind, ...row } of rows)
    if (kind !== 'same') await out.tell('difference', { difference: kind, ...row });
  for (const delta of deltasOf(comparison)) await out.tell('delta', delta);
}

function firstOf({ rows }: Comparison, from: number, to: number, side: 'left' | 'right'): number | undefined {
  for (let at = from; at < to; at++) {
    const step = rows[at]?.[side];
    if (step) return step.number;
  }
  return undefined;
}

function sideShape(
  { session, run }: ComparedRun,
  { end, scores, task, totals, normalised, damaged }: RunFacts,
): object {
  const { cost, ...rest } = totals;
  return {
    ...positionShape(session),
    ...(run !== undefined && { run }),
    end,
    scores,
    ...(task !== '' && { task }),
    normalised,
    damaged,
    ...rest,
    files: rest.files.length,
    cost: costShape(cost),
  };
}

async function tellSet({ out }: Call, set: RunSet, runs: readonly ComparedRun[]): Promise<void> {
  const { facts, steps, forks, others, baseline, same, sameTools, sameOutcome, tasks, otherTasks } = set;
  const { points, outliers, success, passAt, by, isFew } = set;
  await out.tell('set', {
    baseline: baseline + 1,
    same,
    sameTools,
    sameOutcome,
    tasks,
    otherTasks,
    points,
    outliers: outliers.map(({ run, ...outlier }) => ({ run: run + 1, ...outlier })),
    success,
    passAt,
    by,
    isFew,
  });
  for (const [at, each] of runs.entries()) {
    const about = facts[at];
    if (about) await out.tell('run', { number: at + 1, ...sideShape(each, about) });
  }
  for (const { kind, runs: which, ...fork } of forks)
    await out.tell('fork', { difference: kind, ...fork, runs: which.map((at) => at + 1) });
  for (const step of steps) await out.tell('step', step);
  for (const other of others) await out.tell('other', other);
}
