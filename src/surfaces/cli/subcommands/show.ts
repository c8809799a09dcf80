import { isReadByOlder, readerWords } from '../../../app/panel/panelsInView.js';
import { formatCount, formatMoment, formatTokens } from '../../../app/text/format.js';
import { formatDuration } from '../../../core/duration.js';
import { formatCost } from '../../../core/cost.js';
import { countedTotals } from '../../../app/stores/countedTotals.js';
import type { NamedSession } from '../../../app/stores/namedSessions.js';
import { LATEST } from '../../../app/sources/nameMatch.js';
import type { Transcript } from '../../../core/ports/transcript.js';
import { UserError } from '../../../app/userError.js';
import { markedPrices } from '../../../search/markedPrices.js';
import { visibleText } from '../../../core/visibleText.js';
import { positionOfMessage } from '../../../query/notes/locateNotes.js';
import type { Call } from '../call.js';
import { PAGE, startOf } from '../fileTail.js';
import type { Output } from '../output.js';
import { damageShape, recordsByPosition } from '../recordsByPosition.js';
import { MessageWriter } from '../messageWriter.js';
import { Questions } from '../questions.js';
import { tellDamage } from '../readAll.js';

/** Shows one session: its messages, and below all of them what they come to. */
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
  const all =
    found ?? (await messagePositions(call, transcript, call.text('at') === undefined ? { first, last } : {}));
  const meant = await positionsFrom(call, transcript, all);
  if (isWhole) return { positions: meant, holds: (position) => position > (meant[0] ?? Infinity) };
  // Both: the beginning and the end, nothing twice where they meet.
  const begin = meant.slice(0, first ?? 0);
  const end = meant.slice(Math.max(begin.length, meant.length - (last ?? 0)));
  const after = meant[begin.length] ?? Infinity;
  const before = meant[meant.length - end.length - 1] ?? -1;
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

/** The positions of messages, at least so many of the first and of the last as there are, and one more of each; all where nothing is said. */
async function messagePositions(
  { signal }: Call,
  transcript: Transcript,
  { first, last }: { readonly first?: number | undefined; readonly last?: number | undefined },
): Promise<number[]> {
  const isPart = first !== undefined || last !== undefined;
  const tail = isPart ? await startOf(transcript, (last ?? 0) + 1) : 0;
  const positions: number[] = [];
  for (let from = 0; from < transcript.length; from += PAGE) {
    signal.throwIfAborted();
    // What lies between the beginning and the end that are wanted is not read.
    if (isPart && positions.length > (first ?? 0)) from = Math.max(from, tail);
    for (const [at, { type }] of (await transcript.read(from, from + PAGE)).entries())
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
  await writeHead(call, session);
  const writer = new MessageWriter(out, call.has('full'));
  for await (const { position, record, damage } of recordsByPosition(transcript, positions, signal)) {
    if (record) await writer.write(record);
    else if (holds(position)) await writer.damage(damage);
  }
  signal.throwIfAborted();
  await writer.end();
  if (positions?.length === 0) await out.note('No message of it matches.');
  if (!positions) await writeSums(call, session, transcript);
}

/** What is known of it without reading it. */
async function writeHead({ out }: Call, session: NamedSession): Promise<void> {
  const { title, source, project } = await session.info();
  const origin = session.kind === 'stored' ? (await session.entry()).origin : undefined;
  await out.say(out.style('bold', out.line(title === '' ? session.id : title)));
  const facts = [
    source ?? '',
    project === undefined ? '' : `project ${project}`,
    origin && isReadByOlder(origin) ? `read by version ${readerWords(origin)}` : '',
  ];
  await writeFacts(out, facts);
  await out.say();
}

/** What all of it comes to, below it: whoever reads the beginning alone does not wait for the rest to be read. */
async function writeSums(call: Call, session: NamedSession, transcript: Transcript): Promise<void> {
  const { statistics, durationMs, startedAt } = await countedTotals(
    session,
    await markedPrices(call.ownPrices),
    call.signal,
    (work) => work(transcript),
  );
  const { messages, tokens, cost, errors, byAgent } = statistics;
  const agents = byAgent.map(({ name }) => name).filter((name) => name !== '');
  await call.out.say();
  await writeFacts(call.out, [
    agents.slice(0, 5).join(', '),
    formatMoment(startedAt),
    durationMs === 0 ? '' : formatDuration(durationMs),
    formatCount(messages, 'message'),
    formatTokens(tokens.input + tokens.output, tokens.estimated),
    formatCost(cost),
    errors === 0 ? '' : formatCount(errors, 'failure'),
  ]);
}

async function writeFacts(out: Output, facts: readonly (string | false | undefined)[]): Promise<void> {
  const told = facts.filter((fact) => fact !== '' && fact !== undefined && fact !== false);
  if (told.length > 0) await out.say(out.style('dim', out.line(told.join(' · '))));
}
