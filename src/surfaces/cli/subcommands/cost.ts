import type { NamedSession } from '../../../app/stores/namedSessions.js';
import { formatShortMoment, formatTokens } from '../../../app/text/format.js';
import {
  addCosts,
  costOf,
  formatCost,
  knownAmount,
  NO_COST,
  requestsOf,
  type Cost,
} from '../../../core/cost.js';
import type { Call } from '../call.js';
import { COST_KEYS, type CostKey } from '../costKeys.js';
import { costShape } from '../../../export/costShape.js';
import { isTimeZone, STRETCHES, stretchOfDay, type Stretch } from '../../../query/language/amounts.js';
import { Detours, WastedSums } from '../../../query/numbers/detours.js';
import type { Prices } from '../../../core/ports/prices.js';
import { Quotas, limitWords } from '../../../query/numbers/quotas.js';
import { SpentByTime } from '../../../query/numbers/spentByTime.js';
import { NO_TOKENS, sumOf, type TokenCount } from '../../../query/numbers/tokens.js';
import { Days } from '../../../search/days.js';
import { readAll } from '../readAll.js';
import { explainSum, Sums, type Sum } from '../sums.js';
import { WrongUse } from '../terminal.js';
import { writeTable } from '../table.js';
import type { SessionTotals } from '../../../query/numbers/sessionTotals.js';

/** Tells what models have cost, the most first, and how that is known. */
export async function cost(call: Call): Promise<void> {
  const { out } = call;
  const asked = call.text('by');
  const by = COST_KEYS.find((key) => key === asked) ?? 'model';
  const sums = new Sums();
  let total = NO_COST;
  let delegated = NO_COST;
  let prices = '';
  const stretchOf = stretchesOf(by, call);
  let times = new SpentByTime();
  let detours = new Detours();
  const waste = new WastedSums();
  const quotas = new Quotas();
  const isWaste = by === 'waste';
  const readsWith = (prices: Prices) => {
    times = new SpentByTime();
    detours = new Detours(prices);
    const told = isWaste ? detours : times;
    return (...read: Parameters<SpentByTime['add']>) => told.add(...read);
  };
  for await (const { session, totals } of readAll(call, stretchOf || isWaste ? readsWith : undefined)) {
    total = addCosts(total, totals.statistics.cost);
    delegated = addCosts(delegated, totals.statistics.delegated);
    for (const each of totals.quotas) quotas.take(each);
    prices = totals.statistics.prices;
    if (isWaste) waste.add(session.id, detours.wasted());
    const shares = isWaste
      ? wasteShares(detours)
      : stretchOf
        ? sharesByTime(times, stretchOf)
        : await sharesOf(by, session, totals);
    for (const [name, used] of shares) sums.add(name, used);
  }
  const sorted = sums.all
    .filter((sum) => by === 'session' || hasAsked(sum))
    .toSorted((a, b) => (stretchOf ? (a.name < b.name ? -1 : 1) : knownAmount(b.cost) - knownAmount(a.cost)));
  if (out.isJson) {
    for (const { name, sessions, tokens, cost: spent, priceRows } of sorted)
      await out.tell('cost', {
        by,
        name,
        sessions,
        ...(isWaste ? { first: waste.list().find(({ kind }) => kind === name)?.first } : { tokens }),
        ...costShape(spent),
        ...(by === 'model' && { priceRows: [...priceRows] }),
      });
    await out.tell('total', {
      prices,
      ...costShape(total),
      delegated: costShape(delegated),
      limits: quotas.list,
      ...(stretchOf && { timeZone: call.timeZone, weekBegins: 'Monday' }),
      ...(isWaste && { wasted: costShape(waste.cost) }),
    });
    return;
  }
  await writeTable(
    out,
    [
      { head: by.toUpperCase(), gives: true, style: 'cyan' },
      { head: 'REQUESTS', side: 'right', isExtra: true },
      ...(isWaste ? [] : [{ head: 'TOKENS', side: 'right', isExtra: true } as const]),
      { head: 'COST', side: 'right' },
    ],
    sorted.map((sum) => rowOf(out, sum).filter((_, at) => !isWaste || at !== 2)),
  );
  await sayTotal(out, total);
  if (isWaste) await sayWaste(out, waste);
  if (requestsOf(delegated) > 0) await out.say(`Of this, ${formatCost(delegated)} by subagents.`);
  if (stretchOf)
    await out.say(
      out.style('dim', out.line(`By the clock of ${call.timeZone}, days from midnight, weeks from Monday.`)),
    );
  await sayLimits(call, quotas);
  const rows = sorted.flatMap(({ priceRows }) => [...priceRows]);
  const matched = rows.length > 0 ? `, ${rows.join('; ')}` : '';
  await out.say(out.style('dim', out.line(`Prices: ${prices === '' ? 'none' : prices}${matched}`)));
}

async function sayTotal(out: Call['out'], total: Cost): Promise<void> {
  await out.say();
  const words = formatCost(total);
  await out.say(
    words === ''
      ? 'No request to a model is recorded.'
      : `${out.style('bold', words)}${explainSum(total, '  ')}`,
  );
}

async function sayLimits({ out, terminal }: Call, quotas: Quotas): Promise<void> {
  for (const { limit, minutes, usedPercent, at, resetsAt } of quotas.list) {
    const [asOf, ends] = [at, resetsAt].map((time) => formatShortMoment(time, terminal.now()));
    const told = at > 0 ? ` as of ${asOf}` : '';
    const isOver = resetsAt <= terminal.now();
    const until = resetsAt > 0 ? `, ${isOver ? 'ended' : 'ends'} ${ends}` : '';
    await out.say(out.line(`Limit ${limitWords({ limit, minutes })}: ${usedPercent} % used${told}${until}`));
  }
}

async function sayWaste(out: Call['out'], waste: WastedSums): Promise<void> {
  await out.say(`Of this, ${formatCost(waste.cost) || 'nothing'} was wasted.`);
  for (const { kind, first } of waste.list())
    await out.say(out.style('dim', out.line(`First ${kind}: record ${first.position} of ${first.session}`)));
}

function wasteShares(detours: Detours): readonly (readonly [string, Used])[] {
  return detours
    .wasted()
    .map(({ kind, cost: spent }) => [kind, { messages: 0, tokens: NO_TOKENS, cost: spent }]);
}

function isTime(by: CostKey): by is Stretch {
  return STRETCHES.some((stretch) => stretch === by);
}

/**
 * Gives the day, the first day of the week or the month in which a moment falls, '' for a time that is not known; undefined where
 * no times are asked for.
 */
function stretchesOf(by: CostKey, { timeZone }: Call): ((time: number) => string) | undefined {
  if (!isTime(by)) return undefined;
  if (!isTimeZone(timeZone))
    throw new WrongUse(`There is no time zone ${timeZone}; write one such as Europe/Berlin.`);
  const days = Days.of(timeZone);
  return (time) => (time <= 0 ? '' : stretchOfDay(days.of(time), by));
}

/** What a session has spent, by the stretches of time in which it did. */
function sharesByTime(
  times: SpentByTime,
  stretchOf: (time: number) => string,
): readonly (readonly [string, Used])[] {
  const shares = new Map<string, { messages: number; tokens: TokenCount; cost: Cost }>();
  times.each((time, { cost: spent, requests, tokens = NO_TOKENS }) => {
    const name = stretchOf(time);
    const share = shares.get(name) ?? { messages: 0, tokens: NO_TOKENS, cost: NO_COST };
    share.tokens = sumOf(share.tokens, tokens);
    share.cost = addCosts(share.cost, costOf(spent, requests));
    shares.set(name, share);
  });
  return [...shares];
}

/** Whether a model was asked, as far as anything tells: who only speaks in a history that was sent on cost nothing here. */
function hasAsked({ cost: spent, tokens }: Sum): boolean {
  return requestsOf(spent) > 0 || tokens.input + tokens.output > 0;
}

type Used = Parameters<Sums['add']>[1];

async function sharesOf(
  by: CostKey,
  session: NamedSession,
  { statistics }: Pick<SessionTotals, 'statistics'>,
): Promise<readonly (readonly [string, Used])[]> {
  switch (by) {
    case 'model':
      return statistics.byModel.map((each) => [each.name, each]);
    case 'agent':
      return statistics.byAgent.map((each) => [each.name, each]);
    case 'session':
      return [[session.id, statistics]];
    case 'project':
      return [[(await session.info()).project ?? '', statistics]];
    case 'source':
      return [[(await session.info()).source ?? 'agent-logbook', statistics]];
    default:
      return [];
  }
}

function rowOf(out: Call['out'], { name, tokens, cost: spent }: Sum): readonly string[] {
  return [
    out.line(name === '' ? '(not said)' : name),
    requestsOf(spent).toLocaleString('en'),
    formatTokens(tokens.input + tokens.output, tokens.estimated).replace(/ tokens$/, ''),
    formatCost(spent),
  ];
}
