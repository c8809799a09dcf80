import { features } from '../../../app/features/features.js';
import { splitName } from '../../../app/sources/compareSessions.js';
import {
  describedTools,
  replayNotes,
  replayRun,
  replaySentence,
  type Replayed,
} from '../../../app/team/replayRun.js';
import { terminalApplication } from '../../../app/terminal/terminalApplication.js';
import { silentLog } from '../../../core/ports/log.js';
import { lineDiff } from '../../../query/numbers/lineDiff.js';
import type { Call } from '../call.js';

/** Runs a recorded session again, with its record as the answers. */
export async function replay(call: Call): Promise<void> {
  const { out, signal } = call;
  const { name, run } = splitName(call.words[0] ?? '');
  const now = call.has('recorded') ? {} : { agents: await agentsHere(call), tools: describedTools() };
  const { loadUsablePrices } = await features.pricing();
  const prices = await loadUsablePrices(call.ownPrices);
  await call.withOne([name], async (session) => {
    const transcript = await session.open();
    try {
      const result = await replayRun(transcript, {
        ...now,
        prices,
        run,
        openOrigin: session.openOther,
        signal,
      });
      if (!result.exact) call.fail();
      await (out.isJson ? tell(call, result) : say(call, result));
    } finally {
      await transcript.close();
    }
  });
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
