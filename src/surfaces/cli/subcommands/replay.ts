import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { features } from '../../../app/features/features.js';
import { runChanges, stoppedWords, type ChangesResult } from '../../../app/runs/runTimes.js';
import { usableExpectations } from '../../../app/sources/checkExpectations.js';
import { worktreeBehind } from '../../../app/sources/restoredFiles.js';
import { whyUnread } from '../../../app/sources/whyUnread.js';
import type { NamedSession } from '../../../app/stores/namedSessions.js';
import { replayMutations, type MutatedReplay } from '../../../app/team/mutatedReplay.js';
import { UserError } from '../../../app/userError.js';
import type { PlacedMutation } from '../../../compare/expectations/expectationFile.js';
import { splitName } from '../../../app/sources/compareSessions.js';
import { describedTools, replayRun } from '../../../app/team/replayRun.js';
import { replayNotes, replaySentence, type Replayed } from '../../../app/team/replayDeparture.js';
import { terminalApplication } from '../../../app/terminal/terminalApplication.js';
import { formatCost } from '../../../core/cost.js';
import type { Prices } from '../../../core/ports/prices.js';
import { silentLog } from '../../../core/ports/log.js';
import { lineDiff } from '../../../query/numbers/lineDiff.js';
import type { Call } from '../call.js';
import { writeTable } from '../table.js';
import { EXIT, WrongUse } from '../terminal.js';
import { Approving, budgetOf, openIn, RunWriter } from './run.js';

/** Runs a recorded session again, with its record as the answers. */
export async function replay(call: Call): Promise<void> {
  const { out, signal } = call;
  const { name, run } = splitName(call.words[0] ?? '');
  const mutations = await mutationsOf(call);
  const now = call.has('recorded') ? {} : { agents: await agentsHere(call), tools: describedTools() };
  const { loadUsablePrices } = await features.pricing();
  const prices = await loadUsablePrices(call.ownPrices);
  await call.withOne([name], async (session) => {
    const transcript = await session.open();
    const clean = (text: string) => out.clean(text);
    const options = { ...now, prices, run, openOrigin: session.openOther, clean, signal };
    try {
      if (mutations) {
        const results = await replayMutations(transcript, mutations, options);
        if (!call.has('live')) {
          await tellMutations(call, results, []);
          return;
        }
        const { live, stopped, error } = await goOn(call, session, results, prices);
        await tellMutations(call, results, live);
        if (stopped) await out.note(stoppedWords(stopped));
        if (stopped === 'cancelled') call.endWith(EXIT.interrupted);
        else if (stopped) call.fail();
        // What ran until then was paid for, and is told first.
        if (error !== undefined) throw error;
        return;
      }
      const result = await replayRun(transcript, options);
      if (!result.exact) call.fail();
      await (out.isJson ? tell(call, result) : say(call, result));
    } finally {
      await transcript.close();
    }
  });
}

/** The mutations of the file that is named; undefined where none is. Throws a UserError with the lines of what is wrong there. */
async function mutationsOf(call: Call): Promise<readonly PlacedMutation[] | undefined> {
  const file = call.text('mutations');
  if (call.has('live') && (file === undefined || call.text('budget') === undefined))
    throw new WrongUse('--live asks models, which costs money: it needs --mutations and a --budget.');
  for (const option of ['budget', 'model', 'endpoint', 'approve'])
    if (call.has(option) && !call.has('live'))
      throw new WrongUse(`--${option} is for --live: a replay asks no model, and nothing is executed.`);
  if (file === undefined) return undefined;
  const text = await readFile(resolve(call.terminal.cwd, file), 'utf8').catch((error: unknown) => {
    throw new UserError(`${file} cannot be read: ${whyUnread(error)}.`);
  });
  const { mutations } = usableExpectations(text, file);
  if (mutations.length > 0) return mutations;
  throw new UserError(`${file} holds no mutations; docs/replay.md says how they are written.`);
}

/** What came of the runs that go on from changes, in the order of these; undefined where none was begun. */
type Live = ChangesResult['runs'];

/** Asks models for what follows the changes that made a difference, as long as there is money. */
async function goOn(
  call: Call,
  session: NamedSession,
  results: readonly MutatedReplay[],
  prices: Prices,
): Promise<Pick<ChangesResult, 'stopped' | 'error'> & { readonly live: Live }> {
  const { terminal, out, signal } = call;
  if (session.kind !== 'stored')
    throw new UserError(`${session.id} is not in the store of this folder: it cannot be gone on from.`);
  const changed = results.filter(({ goesOn }) => goesOn !== undefined);
  const notices: string[] = [];
  const application = openIn(call, notices);
  const approving = new Approving(call, application);
  try {
    const { stores, runs } = application;
    const writer = new RunWriter(out);
    const { runs: done, ...why } = await runChanges(
      { stores, runs, worktreeBehind },
      {
        conversation: session.id,
        changes: changed.flatMap(({ goesOn }) => goesOn ?? []),
        folder: terminal.cwd,
        budget: budgetOf(call),
        prices,
        signal,
        attended: terminal.ask !== undefined,
        onRun: (at, told) => {
          writer.say(`Going on from ${changed[at]?.name ?? ''}`);
          for (const each of told) writer.say(each);
        },
        onEvent: out.isJson ? () => undefined : (event) => writer.hear(event),
      },
    );
    await writer.settled();
    await application.close();
    for (const notice of notices) await out.note(notice);
    await approving.tell();
    if (done.some((one) => one && one.result.outcome !== 'done')) call.fail();
    return { live: results.map((result) => done[changed.indexOf(result)]), ...why };
  } finally {
    approving.dispose();
    application.dispose();
  }
}

async function tellMutations(call: Call, results: readonly MutatedReplay[], live: Live): Promise<void> {
  const { out } = call;
  const outcomeOf = ({ outcome, isChanged }: MutatedReplay, at: number): string => {
    const run = live[at];
    if (run) return [run.result.outcome, formatCost(run.cost)].filter((each) => each !== '').join(', ');
    return isChanged || outcome === 'open' ? outcome : `${outcome}, as it was`;
  };
  if (!out.isJson) {
    await writeTable(
      out,
      [
        { head: 'mutation', style: 'bold' },
        { head: 'what', gives: true },
        { head: 'at' },
        { head: 'first divergence' },
        { head: 'outcome' },
      ],
      results.map((result, at) => [
        out.line(result.name),
        out.line(result.what),
        `step ${result.step}`,
        result.departure ? `step ${result.departure.step}, ${out.line(result.departure.agent)}` : 'none',
        outcomeOf(result, at),
      ]),
    );
    for (const [at, { name, departure }] of results.entries()) {
      const run = live[at];
      if (departure || run) await out.say();
      if (departure) await out.say(`${out.style('bold', out.line(name))}: ${out.line(departure.why)}`);
      if (run) {
        if (run.result.text !== '') await out.say(out.lines(run.result.text));
        const reason = run.result.error?.message;
        if (reason !== undefined) await out.note(`It ended as ${run.result.outcome}: ${reason}`);
        await out.note(`Recorded as ${run.conversation}; its files are in ${run.folder}.`);
      }
    }
    if (results.some(({ outcome }, at) => outcome === 'open' && !live[at]))
      await out.note(
        'What follows a divergence is open: nobody knows it without asking a model, as --live does with a --budget.',
      );
    return;
  }
  for (const [at, result] of results.entries()) {
    const { name, line, what, seq, agent, step, isChanged, outcome, departure } = result;
    const run = live[at];
    const reason = run?.result.error?.message;
    await out.tell('mutation', {
      name,
      line,
      what,
      seq,
      agent,
      step,
      isChanged,
      outcome,
      ...(departure && { departure }),
      ...(run && {
        live: {
          session: run.conversation,
          outcome: run.result.outcome,
          folder: run.folder,
          ...(reason !== undefined && { reason }),
        },
      }),
    });
  }
}

/** The agents of this folder, as their files have them now. */
export async function agentsHere({ terminal }: Call) {
  const application = terminalApplication({
    folder: terminal.cwd,
    settings: {},
    key: undefined,
    log: silentLog,
    onNotice: () => undefined,
  });
  try {
    return await application.agents.agents();
  } finally {
    application.dispose();
  }
}

async function say({ out }: Call, result: Replayed): Promise<void> {
  await out.say(out.style('bold', out.line(replaySentence(result))));
  for (const note of replayNotes(result)) await out.say(out.style('dim', out.line(note)));
  const { departure } = result;
  if (!departure) return;
  await out.say();
  await out.say(out.style('red', '- expected'));
  await out.say(out.style('green', '+ asked'));
  for (const line of lineDiff(departure.expected, departure.asked)) {
    if (line.kind === 'skipped') {
      await out.say(out.style('dim', `  … ${line.count} equal lines`));
      continue;
    }
    const text = out.lines(line.parts.map((part) => part.text).join(''));
    if (line.kind === 'same') await out.say(out.style('dim', `  ${text}`));
    else if (line.kind === 'removed') await out.say(out.style('red', `- ${text}`));
    else await out.say(out.style('green', `+ ${text}`));
  }
}

async function tell({ out }: Call, result: Replayed): Promise<void> {
  const { conversation, exact, runs, answers, results, isOpen, fromRecord, changes, departure, unserved } =
    result;
  const sums = { runs, answers, results, isOpen, fromRecord };
  await out.tell('replay', { session: conversation, exact, sentence: replaySentence(result), ...sums });
  for (const change of changes) await out.tell('change', change);
  if (departure) await out.tell('departure', departure);
  for (const answer of unserved) await out.tell('unserved', answer);
}
