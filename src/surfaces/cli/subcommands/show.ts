import { isReadByOlder, readerWords } from '../../../app/panel/panelsInView.js';
import { formatCount, formatMoment, formatTokens } from '../../../app/text/format.js';
import { formatDuration } from '../../../core/duration.js';
import { formatCost } from '../../../core/cost.js';
import type { NamedSession } from '../../../app/stores/namedSessions.js';
import { LATEST } from '../../../app/sources/nameMatch.js';
import type { Transcript } from '../../../core/ports/transcript.js';
import { loadUsablePrices } from '../../../query/pricing/loadPrices.js';
import { UserError } from '../../../app/userError.js';
import { visibleText } from '../../../core/visibleText.js';
import { positionOfMessage } from '../../../query/notes/locateNotes.js';
import type { Call } from '../call.js';
import { damageShape, recordsByPosition } from '../recordsByPosition.js';
import { MessageWriter } from '../messageWriter.js';
import { Questions } from '../questions.js';
import { tellDamage } from '../readAll.js';
import { readTotals } from '../../../query/numbers/sessionTotals.js';

/** Shows one session: what it is as a whole, then its messages. */
export async function show(call: Call): Promise<void> {
  const names = call.words.length > 0 ? call.words : [LATEST];
  await call.withOne(names, async (session) => {
    const transcript = await session.open();
    try {
      const wanted = await wantedRecords(call, session, transcript);
      if (call.out.isJson) await tellRecords(call, session, transcript, wanted);
      else await writeSession(call, session, transcript, wanted);
      await tellDamage(call, session, transcript);
    } finally {
      await transcript.close();
    }
  });
}

/** What of a transcript is shown. */
interface WantedRecords {
  /** The positions of the records that are wanted; undefined: all. */
  readonly positions?: readonly number[];
  /** Whether what is wrong at a position is shown too, as nothing between it and what is wanted is left out. */
  readonly holds: (position: number) => boolean;
}

async function wantedRecords(
  call: Call,
  session: NamedSession,
  transcript: Transcript,
): Promise<WantedRecords> {
  const where = call.text('where');
  const [first, last] = [call.number('first'), call.number('last')];
  const found = where === undefined ? undefined : await matching(call, session, where);
  const isWhole = first === undefined && last === undefined;
  if (isWhole && call.text('at') === undefined)
    return { ...(found && { positions: found }), holds: () => true };
  const all = await positionsFrom(
    call,
    transcript,
    found ?? (await messagePositions(transcript, call.signal)),
  );
  if (isWhole) return { positions: all, holds: (position) => position > (all[0] ?? Infinity) };
  // Both: the beginning and the end, nothing twice where they meet.
  const begin = all.slice(0, first ?? 0);
  const end = all.slice(Math.max(begin.length, all.length - (last ?? 0)));
  const after = all[begin.length] ?? Infinity;
  const before = all[all.length - end.length - 1] ?? -1;
  return {
    positions: [...begin, ...end],
    holds: (position) => (begin.length > 0 && position <= after) || (end.length > 0 && position > before),
  };
}

/** The positions from the message that `--at` names on; all of them where it names none. */
async function positionsFrom(
  call: Call,
  transcript: Transcript,
  positions: readonly number[],
): Promise<readonly number[]> {
  const id = call.text('at');
  if (id === undefined) return positions;
  const at = await positionOfMessage(id, transcript, { signal: call.signal });
  if (at === undefined) throw new UserError(`No message of this session has the id ${visibleText(id)}.`);
  return positions.filter((position) => position >= at);
}

async function matching(call: Call, session: NamedSession, where: string): Promise<readonly number[]> {
  const questions = await Questions.of(call, where, 'messages');
  const answer = await questions.ask(session);
  if (answer) await questions.tellMissing(answer, session);
  return answer?.indexes ?? [];
}

async function messagePositions(transcript: Transcript, signal: AbortSignal): Promise<number[]> {
  const positions: number[] = [];
  for (let from = 0; from < transcript.length; from += 500) {
    signal.throwIfAborted();
    for (const [at, { type }] of (await transcript.read(from, from + 500)).entries())
      if (type === 'message') positions.push(from + at);
  }
  return positions;
}

async function tellRecords(
  { out, signal }: Call,
  { id }: NamedSession,
  transcript: Transcript,
  { positions, holds }: WantedRecords,
): Promise<void> {
  for await (const { position, record, damage } of recordsByPosition(transcript, positions, signal)) {
    if (record) await out.tell('record', { session: id, position, record });
    else if (holds(position)) await out.tell('damage', damageShape(id, position, damage));
  }
  signal.throwIfAborted();
}

async function writeSession(
  call: Call,
  session: NamedSession,
  transcript: Transcript,
  { positions, holds }: WantedRecords,
): Promise<void> {
  const { out, signal } = call;
  await writeHead(call, session, transcript);
  const writer = new MessageWriter(out, call.has('full'));
  for await (const { position, record, damage } of recordsByPosition(transcript, positions, signal)) {
    if (record) await writer.write(record);
    else if (holds(position)) await writer.damage(damage);
  }
  signal.throwIfAborted();
  await writer.end();
  if (positions?.length === 0) await out.note('No message of it matches.');
}

async function writeHead(call: Call, session: NamedSession, transcript: Transcript): Promise<void> {
  const { out } = call;
  const { title, source, project } = await session.info();
  const { statistics, durationMs, startedAt } = await readTotals(
    transcript,
    await loadUsablePrices(call.ownPrices),
    call.signal,
  );
  const origin = session.kind === 'stored' ? (await session.entry()).origin : undefined;
  const { messages, tokens, cost, errors, byAgent } = statistics;
  const agents = byAgent.map(({ name }) => name).filter((name) => name !== '');
  await out.say(out.style('bold', out.line(title === '' ? session.id : title)));
  const facts = [
    source ?? '',
    project === undefined ? '' : `project ${project}`,
    agents.slice(0, 5).join(', '),
    formatMoment(startedAt),
    durationMs === 0 ? '' : formatDuration(durationMs),
    formatCount(messages, 'message'),
    formatTokens(tokens.input + tokens.output, tokens.estimated),
    formatCost(cost),
    errors === 0 ? '' : formatCount(errors, 'failure'),
    origin && isReadByOlder(origin) ? `read by version ${readerWords(origin)}` : '',
  ].filter((fact) => fact !== '');
  await out.say(out.style('dim', out.line(facts.join(' · '))));
  await out.say();
}
