import type { TurnSummary } from '../../../query/numbers/turn.js';
import { shortText, withTexts } from '../../../query/numbers/turns.js';
import type { NamedSession } from '../../../app/stores/namedSessions.js';
import { LATEST } from '../../../app/sources/nameMatch.js';
import { formatCount, formatMoment } from '../../../app/text/format.js';
import { formatDuration } from '../../../core/duration.js';
import { ownTextOf } from '../../../core/injected.js';
import { DamageInTurn, positionsIn } from '../../../export/damageInTurn.js';
import { NO_PRICES } from '../../../core/ports/prices.js';
import type { ConversationState, Transcript } from '../../../core/ports/transcript.js';
import type { Call } from '../call.js';
import { MessageWriter } from '../messageWriter.js';
import { tellDamage } from '../readAll.js';
import { tellDamageHere } from '../recordsByPosition.js';
import { cutTo } from '../styles.js';
import { readTotals } from '../../../query/numbers/sessionTotals.js';
import type { Reading } from '../../../query/numbers/transcriptReader.js';
import { beginsTurn } from '../../../query/numbers/transcriptItem.js';
import { widenSpan } from '../../../query/numbers/callTree.js';

/** A turn, with the state of its session where nothing has ended it. */
type ShownTurn = Omit<TurnSummary, 'state'> & { readonly state: TurnSummary['state'] | ConversationState };

/** How many turns are made ready at once. */
const BATCH = 100;

/**
 * Tells the turns of one session: each prompt of a person, what came of it, and how long it took; and behind the turn that it
 * stands in, what cannot be read.
 */
export async function timeline(call: Call): Promise<void> {
  const { out, signal } = call;
  await call.withOne(call.words.length > 0 ? call.words : [LATEST], async (session) => {
    const transcript = await session.open();
    try {
      const before = new WorkBefore();
      const { turns } = await readTotals(transcript, NO_PRICES, signal, (reading) => before.add(reading));
      const damages = new DamageInTurn(positionsIn(transcript));
      const writer = new MessageWriter(out, false);
      const tellDamageUpTo = (position: number) =>
        tellDamageHere(out, writer, session.id, damages.upTo(position));
      if (before.messages > 0) await tellBefore(call, session.id, before);
      for (let from = 0; from < turns.length; from += BATCH) {
        signal.throwIfAborted();
        const some = turns.slice(from, from + BATCH);
        const texts = await textsAt(
          call,
          transcript,
          some.flatMap(({ position, answeredAt }) => [position, answeredAt]),
        );
        for (const read of withTexts(some, (position) => texts.get(position) ?? '')) {
          // That nothing has ended it is no sign that anybody works on it.
          const turn = read.state === 'running' ? { ...read, state: await stateOf(session) } : read;
          await tellDamageUpTo(turn.position);
          if (out.isJson) await out.tell('turn', { session: session.id, ...turn });
          else await writeTurn(call, turn);
        }
      }
      await tellDamageUpTo(Infinity);
      if (turns.length === 0) await out.note('Nobody asked anything in it.');
      await tellDamage(call, session, transcript);
    } finally {
      await transcript.close();
    }
  });
}

/** How far a session has come whose last turn has no end. */
async function stateOf(session: NamedSession): Promise<ShownTurn['state']> {
  const { state } = await session.entry();
  return state === 'waiting' ? 'running' : state;
}

async function tellBefore({ out }: Call, session: string, before: WorkBefore): Promise<void> {
  const { messages, toolCalls, errors, span } = before;
  const { startedAt: start, endedAt: end } = span;
  if (out.isJson) return out.tell('before', { session, start, end, messages, toolCalls, errors });
  const facts = [
    start === 0 ? '' : formatMoment(start),
    end > start ? formatDuration(end - start) : '',
    formatCount(messages, 'message'),
    toolCalls === 0 ? '' : formatCount(toolCalls, 'tool call'),
  ].filter((fact) => fact !== '');
  const failed = errors === 0 ? '' : ` ${out.style('red', formatCount(errors, 'failure'))}`;
  await out.say(
    `${out.style('bold', 'before the first prompt')} ${out.style('dim', facts.join(' · '))}${failed}`,
  );
  await out.say();
}

/** The beginnings of messages, secrets replaced before they are cut. */
async function textsAt(
  { out }: Call,
  transcript: Transcript,
  positions: readonly (number | undefined)[],
): Promise<ReadonlyMap<number, string>> {
  const texts = new Map<number, string>();
  for (const position of positions) {
    if (position === undefined) continue;
    const [record] = await transcript.read(position, position + 1);
    texts.set(position, shortText(out.clean(ownTextOf(record))));
  }
  return texts;
}

async function writeTurn({ out }: Call, turn: ShownTurn): Promise<void> {
  const { index, start, end, prompt, answer, toolCalls, dispatches, errors, state } = turn;
  const facts = [
    formatMoment(start),
    end > start ? formatDuration(end - start) : '',
    toolCalls === 0 ? '' : formatCount(toolCalls, 'tool call'),
    dispatches === 0 ? '' : formatCount(dispatches, 'dispatch').replace(/dispatchs$/, 'dispatches'),
  ].filter((fact) => fact !== '');
  const failed = errors === 0 ? '' : ` ${out.style('red', formatCount(errors, 'failure'))}`;
  const ended = state === 'done' ? '' : ` ${out.style('yellow', state)}`;
  await out.say(
    `${out.style('bold', `${index + 1}`)} ${out.style('dim', facts.join(' · '))}${failed}${ended}`,
  );
  const room = out.columns - 4;
  await out.say(`  ${out.style('green', '›')} ${cutTo(out.line(prompt), room)}`);
  if (answer !== '') await out.say(`  ${out.style('cyan', '‹')} ${cutTo(out.line(answer), room)}`);
  await out.say();
}

/** What a session holds before its first prompt, as a session does that goes on from another or was cut at its beginning. */
class WorkBefore {
  /** Of agents and their tools. */
  messages = 0;
  toolCalls = 0;
  errors = 0;
  /** In milliseconds since 1970; 0 where no time is known. */
  readonly span = { startedAt: 0, endedAt: 0 };
  #isOver = false;

  add({ facts, call, toolCalls, isNewFailure }: Reading): void {
    this.#isOver ||= call.parent === undefined && beginsTurn(facts);
    if (this.#isOver) return;
    this.toolCalls += toolCalls;
    if (isNewFailure) this.errors++;
    if (facts.role !== 'assistant' && facts.role !== 'tool') return;
    this.messages++;
    widenSpan(this.span, facts);
  }
}
