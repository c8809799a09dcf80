import type { NamedSession } from '../../../app/stores/namedSessions.js';
import { formatTokens } from '../../../app/text/format.js';
import { addCosts, formatCost, knownAmount, NO_COST, requestsOf } from '../../../core/cost.js';
import type { Call } from '../call.js';
import { COST_KEYS, type CostKey } from '../costKeys.js';
import { costShape } from '../../../export/costShape.js';
import { readAll } from '../readAll.js';
import { Sums, type Sum } from '../sums.js';
import { explainSum } from '../explainSum.js';
import { writeTable } from '../table.js';
import type { SessionTotals } from '../../../app/sources/sessionTotals.js';

/** Tells what models have cost, the most first, and how that is known. */
export async function cost(call: Call): Promise<void> {
  const { out } = call;
  const asked = call.text('by');
  const by = COST_KEYS.find((key) => key === asked) ?? 'model';
  const sums = new Sums();
  let total = NO_COST;
  let prices = '';
  for await (const { session, totals } of readAll(call)) {
    total = addCosts(total, totals.statistics.cost);
    prices = totals.statistics.prices;
    for (const [name, used] of await sharesOf(by, session, totals)) sums.add(name, used);
  }
  const sorted = sums.all
    .filter((sum) => by === 'session' || hasAsked(sum))
    .toSorted((a, b) => knownAmount(b.cost) - knownAmount(a.cost));
  if (out.isJson) {
    for (const { name, sessions, tokens, cost: spent } of sorted)
      await out.tell('cost', { by, name, sessions, tokens, ...costShape(spent) });
    await out.tell('total', { prices, ...costShape(total) });
    return;
  }
  await writeTable(
    out,
    [
      { head: by.toUpperCase(), gives: true, style: 'cyan' },
      { head: 'REQUESTS', side: 'right', isExtra: true },
      { head: 'TOKENS', side: 'right', isExtra: true },
      { head: 'COST', side: 'right' },
    ],
    sorted.map((sum) => rowOf(out, sum)),
  );
  await out.say();
  const words = formatCost(total);
  await out.say(
    words === ''
      ? 'No request to a model is recorded.'
      : `${out.style('bold', words)}${explainSum(total, '  ')}`,
  );
  await out.say(out.style('dim', out.line(`Prices: ${prices === '' ? 'none' : prices}`)));
}

/** Whether a model was asked, as far as anything tells: who only speaks in a history that was sent on cost nothing here. */
function hasAsked({ cost: spent, tokens }: Sum): boolean {
  return requestsOf(spent) > 0 || tokens.input + tokens.output > 0;
}

type Used = Parameters<Sums['add']>[1];

async function sharesOf(
  by: CostKey,
  session: NamedSession,
  { statistics }: SessionTotals,
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
