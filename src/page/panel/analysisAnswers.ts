import type { Timeline } from '../protocol/analysis.js';
import type { RequestHandlers } from '../protocol/requestServer.js';
import type { CachedAnswers } from './projection/cachedAnswers.js';
import { pausesOf } from './projection/pauses.js';
import { timelineView, type TimelinePart } from './projection/timelineView.js';
import type { ProjectionLoader } from './projection/projectionLoader.js';
import type { TokenTally } from './projection/tokenTally.js';
import type { TranscriptProjection } from './projection/transcriptProjection.js';
import type { RowContext } from './rows/stepRow.js';
import { BoundedMap } from '../../core/boundedMap.js';
import { textOf } from '../../core/message.js';
import { messageIn } from '../../query/numbers/transcriptItem.js';
import type { TurnSpan, TurnSummary } from '../../query/numbers/turn.js';
import { withTexts, shortText } from '../../query/numbers/turns.js';
import type { Transcript } from '../../core/ports/transcript.js';
import { recordsAt } from './recordReader.js';

const MAX_TURNS = 500;

/** What answers about the whole transcript are made of. */
export interface AnalysisOptions {
  readonly projection: TranscriptProjection;
  readonly tally: TokenTally;
  readonly texts: TurnTexts;
  readonly kept: CachedAnswers;
  readonly context: () => RowContext;
  readonly loop: Pick<ProjectionLoader, 'letPass' | 'reachedMore'>;
  /** Ends further work that a page no longer waits for. */
  readonly onLeave: () => void;
}

/** The work for answers that is in progress. */
export interface AnalysisAnswers {
  /** Ends work for the timeline and the statistics until they are requested again. */
  leave(): void;
}

/** Answers what a page asks about the transcript as a whole: statistics, tools, timeline and turns. */
export function answerAnalysis(
  handlers: RequestHandlers,
  { projection, tally, texts, kept, context, loop, onLeave }: AnalysisOptions,
): AnalysisAnswers {
  let drawing = new AbortController();
  const leave = () => {
    drawing.abort();
    tally.dispose();
    onLeave();
  };

  // Starts counting tokens that no provider reported.
  handlers.add('statistics', () => {
    if (kept.current) return { ...kept.current.statistics, counting: false };
    tally.want(projection.index.records);
    return { ...projection.statistics(tally), counting: tally.isCounting };
  });
  handlers.add('tools', () => kept.current?.tools ?? projection.tools.summary(projection.index.calls.all));
  // Cancels an earlier request.
  handlers.add('timeline', (part) => {
    drawing.abort();
    const isWhole = part.from === undefined && part.to === undefined;
    if (isWhole && kept.current) return kept.current.timeline;
    drawing = new AbortController();
    const { signal } = drawing;
    return loop.letPass(() => drawTimeline(projection, part, context().running, signal));
  });
  handlers.add('leave', () => {
    leave();
    return {};
  });
  handlers.add('turns', async ({ start, count, time }) => {
    const { turns, countsSteps } = projection;
    const { current } = kept;
    const last = current && Math.min(start + Math.min(count, MAX_TURNS), current.turnCount);
    if (current && time === undefined && last !== undefined && last <= current.turns.length)
      return {
        total: current.turnCount,
        turns: await loop.letPass(() => texts.of(current.turns.slice(start, last))),
      };
    // Where all turns fit, there is nothing to choose from.
    const isShort = turns.length <= count;
    const at = time !== undefined && (countsSteps ? turns.atPosition(time) : turns.at(time));
    const first = at === false ? start : isShort ? 0 : at;
    const end = first + Math.min(count, MAX_TURNS);
    return { total: turns.length, turns: await loop.letPass(() => texts.of(turns.slice(first, end))) };
  });
  handlers.add('next', async ({ of, from, by }) => {
    const look = () =>
      of === 'prompt' ? projection.turns.beside(from, by) : projection.beside(of, from, by);
    let position = look();
    // What is new lies at the end, which is asked for when only the beginning is read.
    while (of === 'new' && position === undefined && (await loop.reachedMore())) position = look();
    return position === undefined ? {} : { position };
  });
  return { leave };
}

/** The timeline of what is read so far. */
export function drawTimeline(
  { index, timeline, turns, hues, detours, countsSteps }: TranscriptProjection,
  part: TimelinePart,
  running: boolean,
  signal?: AbortSignal,
): Promise<Timeline> {
  const pauses = countsSteps ? [] : pausesOf(turns, index.calls.all, running);
  const whole = { ...part, pauses, countsSteps, detours: detours.marks };
  return timelineView(index.calls.all, timeline.moments, hues, whole, running, signal);
}

/** For how many turns the texts are remembered: more than one answer has. */
const REMEMBERED = 2_000;

/** Reads the beginnings of prompts and answers, for the turns that a page asks for and no others. */
export class TurnTexts {
  readonly #transcript: Transcript;
  readonly #texts = new BoundedMap<number, string>(REMEMBERED);

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
  }

  /** Turns with their texts. Rejects with errors of the file system. */
  async of(turns: readonly TurnSpan[]): Promise<TurnSummary[]> {
    const positions = turns.flatMap(({ position, answeredAt = position }) => [position, answeredAt]);
    const texts = new Map(positions.map((position) => [position, this.#texts.get(position)]));
    const unknown = positions.filter((position) => texts.get(position) === undefined);
    for (const [position, record] of await recordsAt(this.#transcript, unknown)) {
      const text = shortText(textOf(messageIn(record)?.content));
      texts.set(position, text);
      this.#texts.set(position, text);
    }
    return withTexts(turns, (position) => texts.get(position) ?? '');
  }
}
