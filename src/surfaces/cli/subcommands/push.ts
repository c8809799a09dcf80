import {
  pushManySessions,
  pushSessions,
  type PushedSession,
  type PushingOptions,
} from '../../../app/archive/pushSessions.js';
import { archiveProblem } from '../../../app/archive/openArchive.js';
import { formatCount } from '../../../app/text/format.js';
import { modeNamed, USUAL_MODE } from '../../../archive/archiveMode.js';
import { ArchiveThreads } from '../../../archive/archiveThreads.js';
import { silentLog } from '../../../core/ports/log.js';
import { markedPrices } from '../../../search/markedPrices.js';
import type { Call } from '../call.js';
import { pushedArchive } from '../archive.js';
import { WrongUse } from '../terminal.js';

/** The word for all conversations of the store. */
const ALL = 'all';

/** Pushes sessions to the archive of a team. */
export async function push(call: Call): Promise<void> {
  const { out, signal, sharing: rules } = call;
  if (call.archive)
    throw new WrongUse('What is pushed comes from this machine; --from names one of its tools.');
  const prices = await markedPrices(call.ownPrices);
  const mode = modeNamed(call.text('mode')) ?? USUAL_MODE;
  const names = call.words.length === 1 && call.words[0] === ALL ? [] : call.words;
  const archive = await pushedArchive(call.namedArchive);
  const sums = { sessions: 0, added: 0, redacted: 0, withheld: 0, failed: 0 };
  const { archiveScript: script } = call.terminal;
  const threads = script && new ArchiveThreads({ log: silentLog, script });
  try {
    const options: PushingOptions = {
      mode,
      rules,
      prices,
      signal,
      onProgress: ({ id }, done, all) => out.progress(`Pushing ${id}: ${done} of ${all}`),
    };
    const { login } = archive;
    const sessions = call.sessions(names);
    // What the rules are made of again on the other side.
    const policy = Object.assign({}, rules, { rows: undefined });
    const pushed = threads
      ? pushManySessions(archive, sessions, options, {
          ...login,
          threads,
          mode,
          policy,
          signal,
          ownPrices: call.ownPrices,
        })
      : pushSessions(archive, sessions, options);
    for await (const each of pushed) {
      await tell(call, each, sums);
      out.progress(`Pushed ${formatCount(sums.sessions, 'session')}`);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (sums.sessions > 0) await out.note(`${wordsOf(sums)} Push again to go on from there.`);
    throw archiveProblem(error);
  } finally {
    threads?.dispose();
    await archive.close();
  }
  if (!out.isJson) await out.say(out.line(wordsOf(sums)));
}

interface Sums {
  sessions: number;
  added: number;
  redacted: number;
  withheld: number;
  failed: number;
}

async function tell(call: Call, { session, outcome, problem }: PushedSession, sums: Sums): Promise<void> {
  const { out } = call;
  if (!outcome) {
    sums.failed++;
    call.fail();
    await out.note(`${session.id} was not pushed: ${problem}`);
    return;
  }
  const { kind, mode, added, records, redacted, withheld } = outcome;
  sums.sessions++;
  sums.added += added;
  sums.redacted += redacted;
  sums.withheld += withheld;
  if (out.isJson)
    await out.tell('push', {
      session: session.id,
      ...(session.kind === 'file' && { file: session.where }),
      outcome: kind,
      mode,
      added,
      records,
      redacted,
      withheld,
    });
}

function wordsOf({ sessions, added, redacted, withheld, failed }: Sums): string {
  const left = redacted === 0 ? '' : ` ${formatCount(redacted, 'secret')} left out.`;
  const held =
    withheld === 0
      ? ''
      : ` Of ${formatCount(withheld, 'record')} only the facts were sent: the texts could not be cleaned.`;
  const lost = failed === 0 ? '' : ` ${formatCount(failed, 'session')} not pushed.`;
  return `${formatCount(sessions, 'session')} in the archive, ${formatCount(added, 'record')} new.${left}${held}${lost}`;
}
