import { formatCount, formatTokens } from '../../../app/text/format.js';
import { formatCost } from '../../../core/cost.js';
import { formatMoney, inDollars } from '../../../core/money.js';
import { formatDuration } from '../../../core/duration.js';
import type { Call } from '../call.js';
import { costShape } from '../../../export/costShape.js';
import { STATE_WORDS } from '../../../export/recordNotes.js';
import { positionShape } from '../found.js';
import { readAll } from '../readAll.js';
import { AllSessions, explainSum, mostUsed, type FileSum, type Sum, type Sums } from '../sums.js';
import { writeTable } from '../table.js';
import { CALL_STATES } from '../../../core/record.js';
import type { SessionTotals } from '../../../query/numbers/sessionTotals.js';

/** How many files are told of a session for programs, and of all sessions for people: those that were used most. */
const MAX_TOLD_FILES = 1_000;
const MAX_SHOWN_FILES = 15;

/** Counts messages, tokens, money and failures: of each session for programs, of all together for people. */
export async function stats(call: Call): Promise<void> {
  const { out } = call;
  const all = new AllSessions();
  for await (const { session, totals } of readAll(call)) {
    all.add(totals);
    if (out.isJson)
      await out.tell('stats', { ...positionShape(session), ...(await session.info()), ...shapeOf(totals) });
  }
  if (out.isJson) await out.tell('totals', allShape(all));
  else await writeAll(call, all);
}

function shapeOf(totals: Omit<SessionTotals, 'turns'>): object {
  const { statistics, durationMs, startedAt, endedAt, files, trouble, toldCost } = totals;
  const { messages, runs, calls, toolCalls, errors, states, tokens, cost, delegated, prices } = statistics;
  const { byRole, byAgent, byModel } = statistics;
  return {
    startedAt,
    endedAt,
    durationMs,
    spanMs: statistics.spanMs,
    activeMs: statistics.activeMs,
    messages,
    runs,
    calls,
    toolCalls,
    errors,
    states,
    tokens,
    cost: costShape(cost),
    delegated: costShape(delegated),
    prices,
    ...(toldCost !== undefined && { toldCost: inDollars(toldCost) }),
    byRole,
    byAgent: byAgent.map(({ cost: own, wholeCost, ...rest }) => ({
      ...rest,
      cost: costShape(own),
      wholeCost: costShape(wholeCost),
    })),
    byModel: byModel.map(({ cost: own, ...rest }) => ({ ...rest, cost: costShape(own) })),
    fileCount: files.length,
    files: mostUsed(files)
      .slice(0, MAX_TOLD_FILES)
      .map(({ path, uses, failures: failed, agents }) => ({ path, ...uses, failed, agents })),
    ...(trouble && { trouble }),
  };
}

function allShape(all: AllSessions): object {
  const { sessions, messages, runs, calls, toolCalls, errors, states, tokens, cost, prices } = all;
  const { durationMs, spanMs, activeMs } = all;
  return {
    sessions,
    messages,
    runs,
    calls,
    toolCalls,
    errors,
    states,
    durationMs,
    spanMs,
    activeMs,
    tokens,
    cost: costShape(cost),
    delegated: costShape(all.delegated),
    prices,
    ...(all.told.sessions > 0 && { toldCost: inDollars(all.told.dollars) }),
  };
}

async function writeAll({ out }: Call, all: AllSessions): Promise<void> {
  const { sessions, messages, runs, calls, toolCalls, errors, durationMs, tokens, cost, prices } = all;
  const facts = [
    formatCount(sessions, 'session'),
    formatCount(runs, 'run'),
    formatCount(calls, 'agent call'),
    formatCount(messages, 'message'),
    formatCount(toolCalls, 'tool call'),
    formatCount(errors, 'failure'),
    ...CALL_STATES.filter((state) => state !== 'failed' && all.states[state] > 0).map(
      (state) => `${all.states[state].toLocaleString('en')} ${STATE_WORDS[state]}`,
    ),
    durationMs === 0 ? '' : formatDuration(durationMs),
  ].filter((fact) => fact !== '');
  await out.say(out.style('bold', facts.join(' · ')));
  if (all.spanMs > 0)
    await out.say(
      `active for ${formatDuration(all.activeMs)}, ${formatDuration(all.spanMs)} from begin to end`,
    );
  const { input, output, estimated } = tokens;
  const about = estimated ? '≈ ' : '';
  await out.say(`${about}${input.toLocaleString('en')} tokens in, ${output.toLocaleString('en')} out`);
  const money = formatCost(cost);
  const told = `${money}${explainSum(cost, ': ')}`;
  if (money !== '') await out.say(`${out.line(told)} ${out.style('dim', out.line(prices))}`);
  const toldWords = toldByTools(all);
  if (toldWords !== '') await out.say(toldWords);
  await writeSums(out, 'AGENT', all.byAgent);
  await writeSums(out, 'MODEL', all.byModel);
  await writeSums(out, 'ROLE', all.byRole);
  await writeFiles(out, all.files);
}

/** What the tools say themselves, where that is another sum than ours; '' where it is the same, or nothing is said. */
export function toldByTools({ told, sessions }: Pick<AllSessions, 'told' | 'sessions'>): string {
  if (told.sessions === 0) return '';
  const [theirs, ours] = [formatMoney(told.dollars), formatCost(told.ours)];
  if (theirs === ours) return '';
  const of = told.sessions === sessions ? '' : ` of ${formatCount(told.sessions, 'session')}`;
  return `Told by the tool itself${of}: ${theirs}, with requests that its sessions do not tell; by these: ${ours}`;
}

async function writeFiles(out: Call['out'], files: readonly FileSum[]): Promise<void> {
  if (files.length === 0) return;
  await out.say();
  const shown = files.slice(0, MAX_SHOWN_FILES);
  const count = (number: number) => (number === 0 ? '' : number.toLocaleString('en'));
  await writeTable(
    out,
    [
      { head: 'FILE', gives: true, keepsEnd: true, style: 'cyan' },
      { head: 'READ', side: 'right' },
      { head: 'WRITTEN', side: 'right' },
      { head: 'NAMED', side: 'right', isExtra: true },
      { head: 'FAILED', side: 'right', isExtra: true },
    ],
    shown.map(({ path, uses: { read, written, named }, failures }) => [
      out.line(path),
      ...[read, written, named, failures].map(count),
    ]),
  );
  const more = files.length - shown.length;
  if (more > 0) await out.say(out.style('dim', `and ${formatCount(more, 'more file')}`));
}

async function writeSums(out: Call['out'], head: string, sums: Sums): Promise<void> {
  const { all } = sums;
  if (all.length === 0) return;
  await out.say();
  await writeTable(
    out,
    [
      { head, gives: true, style: 'cyan' },
      { head: 'MESSAGES', side: 'right' },
      { head: 'TOKENS', side: 'right' },
      { head: 'COST', side: 'right', isExtra: true },
    ],
    all.map((sum) => rowOf(out, sum)),
  );
}

function rowOf(out: Call['out'], { name, messages, tokens, cost }: Sum): readonly string[] {
  const count = formatTokens(tokens.input + tokens.output, tokens.estimated).replace(/ tokens$/, '');
  return [out.line(name === '' ? '(no name)' : name), messages.toLocaleString('en'), count, formatCost(cost)];
}
