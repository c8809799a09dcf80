import { explainBranch, pageOfBranch, type ExplainedBranch } from '../../../app/sources/explainedBranch.js';
import { costShape } from '../../../export/costShape.js';
import { markedPrices } from '../../../search/markedPrices.js';
import type { Call } from '../call.js';
import { blameOptions } from './blame.js';
import { writePage } from './compare.js';

/** Tells which sessions are behind the commits of a branch. */
export async function explain(call: Call): Promise<void> {
  const { out, terminal } = call;
  const [range = '', ...names] = call.words;
  const branch = await explainBranch({
    ...(await blameOptions(call)),
    folder: terminal.cwd,
    range,
    sessions: () => call.sessions(names),
    prices: await markedPrices(call.ownPrices),
    onProblem: (session, message) => call.trouble(session, message),
  });
  await call.tellTroubles();
  if (out.isJson) await tell(call, branch);
  else await writePage(call, pageOfBranch(out.clean(branch)));
  if (call.text('fail-on') === 'unreviewed' && branch.unreviewed > 0) call.fail();
}

async function tell({ out }: Call, { commits, sessions, ...branch }: ExplainedBranch): Promise<void> {
  await out.tell('branch', { ...branch, commits: commits.length, sessions: sessions.length });
  for (const { sessions: places, ...commit } of commits)
    await out.tell('commit', { ...commit, sessions: places.map((at) => sessions[at]?.session ?? '') });
  for (const { cost, ...session } of sessions)
    await out.tell('session', { ...session, ...(cost && { cost: costShape(cost) }) });
}
