import { compareSessions, type ComparedRun } from '../../app/sources/compareSessions.js';
import type { NamedSession } from '../../app/stores/namedSessions.js';
import { UserError } from '../../app/userError.js';
import { deltasOf, type Row, type StepView } from '../../compare/comparison.js';
import { sentenceOf } from '../../compare/words.js';
import { loadPrices } from '../../query/pricing/loadPrices.js';
import { listOf, answerOf, FLAG, NUMBER, RECORDED, TEXT, WHOLE } from './answerSchemas.js';
import type { McpLibrary } from './library.js';
import { fitted, roomOf } from './page.js';
import { QUOTED, shownId, shownName } from './shown.js';
import { text, whole, type ReadTool, type ToolArguments } from './readTool.js';

/** The most steps that differ of an answer. */
const MAX_DIFFERENCES = 60;

const SIDE = answerOf({ session: TEXT, run: WHOLE, end: TEXT, steps: WHOLE, unread_places: WHOLE }, [
  'session',
  'end',
  'steps',
]);
const STEP = answerOf({ step: WHOLE, position: WHOLE, agent: TEXT, tool: TEXT, about: TEXT, end: TEXT }, [
  'step',
  'position',
]);

/** Compares two sessions for a model. */
export const compareTool: ReadTool = {
  name: 'compare_sessions',
  title: 'What is different between two sessions',
  description:
    'Aligns two recorded sessions, or two runs of one, step by step: one sentence first, then what went in otherwise, each step that differs with its "position" for get_messages, and what both came to. Ids, times and folders count as equal.',
  properties: {
    left: text('The "session" of a result of list_sessions or search_sessions.'),
    right: text('The other session, or the same one for another of its runs.'),
    left_run: whole('Which run of it, from 1; all of it where nothing is said.', 1, 1_000_000),
    right_run: whole('The same of the other.', 1, 1_000_000),
    max_tokens: whole(
      'About so many tokens at most; the last differences are left out for that, which is said. 20,000 where nothing else is said.',
      500,
      100_000,
    ),
  },
  required: ['left', 'right'],
  answer: answerOf(
    {
      recorded: RECORDED,
      sentence: TEXT,
      left: SIDE,
      right: SIDE,
      inputs: listOf(TEXT),
      same_steps: WHOLE,
      differences: listOf(
        answerOf({ difference: TEXT, left: STEP, right: STEP, arguments: listOf(TEXT) }, ['difference']),
      ),
      differences_left_out: WHOLE,
      numbers: listOf(answerOf({ what: TEXT, unit: TEXT, left: NUMBER, right: NUMBER }, ['what', 'unit'])),
      is_whole: { ...FLAG, description: 'False where runs are too long to try every way of aligning them.' },
    },
    ['sentence', 'left', 'right', 'differences', 'numbers'],
  ),
  run: compare,
};

async function compare(library: McpLibrary, args: ToolArguments): Promise<object> {
  const [left, right] = [args.text('left') ?? '', args.text('right') ?? ''];
  // A session can be read as long as its source is being gone through.
  return await library.withSession(left, (first) =>
    library.withSession(right, (second) => tell(library, args, [first, second])),
  );
}

async function tell(
  library: McpLibrary,
  args: ToolArguments,
  sessions: readonly [NamedSession, NamedSession],
): Promise<object> {
  const runs = [args.number('left_run'), args.number('right_run')] as const;
  const both = sessions.map((session, at): ComparedRun => ({ session, run: runs[at] }));
  const compared = await compareSessions(both, {
    prices: await loadPrices(),
    signal: library.signal,
    // Before anything is cut.
    clean: (record) => library.withoutSecrets(record),
  });
  if (compared.kind !== 'two') throw new UserError('These two sessions cannot be compared.');
  const comparison = library.clean(compared.comparison);
  const rows = comparison.rows.filter(({ kind }) => kind !== 'same');
  const side = (which: 0 | 1) => ({
    session: shownId(sessions[which].id),
    ...(runs[which] !== undefined && { run: runs[which] }),
    end: comparison[which === 0 ? 'left' : 'right'].end,
    steps: comparison[which === 0 ? 'left' : 'right'].totals.steps,
    ...(comparison[which === 0 ? 'left' : 'right'].damaged > 0 && {
      unread_places: comparison[which === 0 ? 'left' : 'right'].damaged,
    }),
  });
  return fitted(library, roomOf(args), (size) => {
    const most = Math.floor(MAX_DIFFERENCES * size);
    return {
      recorded: QUOTED,
      sentence: sentenceOf(comparison),
      left: side(0),
      right: side(1),
      inputs: comparison.inputs.map(({ what, of }) => (of === undefined ? what : `${what} of ${of}`)),
      same_steps: comparison.counts.same,
      differences: rows.slice(0, most).map((row) => differenceShape(row, size)),
      ...(rows.length > most && { differences_left_out: rows.length - most }),
      numbers: deltasOf(comparison),
      is_whole: comparison.way !== 'banded',
    };
  });
}

function differenceShape({ kind, left, right, changed = [] }: Row, size: number): object {
  return {
    difference: kind,
    ...(left && { left: stepShape(left, size) }),
    ...(right && { right: stepShape(right, size) }),
    ...(changed.length > 0 && {
      arguments: changed
        .slice(0, 5)
        .map(({ path, left: a, right: b }) => shownName(`${path}: ${a} → ${b}`, size)),
    }),
  };
}

function stepShape({ number, position, agent, name, about, end }: StepView, size: number): object {
  return {
    step: number,
    position,
    ...(agent !== '' && { agent: shownName(agent, size) }),
    ...(name !== '' && { tool: shownName(name, size) }),
    about: shownName(about, size),
    end,
  };
}
