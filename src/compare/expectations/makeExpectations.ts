import { Document, isScalar, visit } from 'yaml';
import { t } from '../../core/l10n.js';
import { inDollars } from '../../core/money.js';
import { knownAmount } from '../../core/cost.js';
import { preview, singleLine } from '../../core/text.js';
import type { AgentNode, CheckedRun } from './checkedRun.js';
import { treeLines } from './checkRun.js';
import type { AgentTree, Expect, ExpectationTest } from './expectationWords.js';

/** What a test that is made looks at: a session by its name, or the newest record of what an agent was asked. */
export type MadeFrom = Pick<ExpectationTest, 'session'> | Pick<ExpectationTest, 'agent' | 'prompt'>;

/** Longer lists say what a run did once, and not what it is to do again. */
const MAX_CALLS = 8;
const MAX_NAME = 60;
/** By how much a later run may be larger. */
const ROOM = 1.5;

/** A file with one test that the run it is made of passes: short, with room for what differs from run to run. */
export function makeExpectations(run: CheckedRun, from: MadeFrom, comment: string): string {
  const name = preview(singleLine(run.prompt), MAX_NAME) || t`What this run did`;
  const document = new Document({ tests: [{ name, ...from, expect: expectOf(run) }] });
  document.commentBefore = ` ${singleLine(comment)}`;
  visit(document, {
    Seq(_key, node) {
      if (node.items.every((item) => isScalar(item))) node.flow = true;
    },
  });
  return document.toString({ lineWidth: 100, flowCollectionPadding: false });
}

function expectOf(run: CheckedRun): Expect {
  const { calls, agents, end, totals } = run;
  const tools = [...new Set(calls.map(({ tool }) => tool))];
  // What is done again at once is one thing that is done.
  const order = calls.map(({ tool }) => tool).filter((tool, at, all) => tool !== all[at - 1]);
  const written = totals.files.filter((file) => file.written).map(({ path }) => path);
  const dollars = inDollars(knownAmount(totals.cost));
  const isTeam = treeLines(agents, '').length > 1;
  return {
    ...(end !== 'unknown' && end !== 'open' && { outcome: end }),
    ...(calls.length > 0 && order.length <= MAX_CALLS && { toolSequence: { inOrder: order } }),
    ...(tools.length > 0 && { allowedTools: tools.sort() }),
    ...(isTeam && { agents: treeOf(agents) }),
    ...(written.length > 0 && written.length <= MAX_CALLS && { files: { writtenOnly: written } }),
    maxToolCalls: withRoom(calls.length),
    maxErrors: totals.errors,
    ...(dollars > 0 && totals.cost.unknown === 0 && { maxCost: Number((dollars * ROOM).toPrecision(2)) }),
  };
}

function withRoom(value: number): number {
  return Math.ceil(value * ROOM);
}

function treeOf(nodes: readonly AgentNode[]): AgentTree {
  if (nodes.every(({ asks }) => asks.length === 0)) return nodes.map(({ agent }) => agent);
  return Object.fromEntries(nodes.map(({ agent, asks }) => [agent, asks.length === 0 ? null : treeOf(asks)]));
}
