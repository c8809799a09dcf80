import { ROW_KINDS, type RowKind } from '../../../query/language/syntax.js';
import type { Call } from '../call.js';
import { alsoLine, hitLine, hitsIn, matchWords, positionShape, shapeOfHit } from '../found.js';
import { Questions } from '../questions.js';

/** Finds the rows that match a question, a line for each. */
export async function query(call: Call): Promise<void> {
  const { out } = call;
  const [text = '', ...names] = call.words;
  const questions = await Questions.of(call, text, rowsOf(call));
  const most = call.number('limit') ?? Infinity;
  const counts = { rows: 0, sessions: 0, told: 0 };
  let heading = '';
  for await (const session of call.counted(names, (each) => questions.readAhead(each))) {
    const answer = await questions.ask(session);
    if (!answer) continue;
    counts.rows += answer.indexes.length;
    counts.sessions++;
    failWhereFound(call);
    if (call.has('count')) continue;
    await questions.tell(session, async () => {
      for await (const hit of hitsIn(call, text, answer, most - counts.told)) {
        counts.told++;
        if (out.isJson) await out.tell('row', { ...positionShape(session), ...shapeOfHit(hit, session) });
        else {
          const name = session.kind === 'file' && session.others === 0 ? session.where : session.id;
          if (name !== heading) await out.say(out.style('cyan', out.line(name)));
          heading = name;
          await out.say(`  ${hitLine(call, hit, '')}`);
          const also = alsoLine(call, hit, session);
          if (also !== '') await out.say(also);
        }
      }
    });
    await questions.tellMissing(answer, session);
    await out.flush();
  }
  await tellCounts(call, counts);
}

/** What is asked for. */
export function rowsOf(call: Call): RowKind {
  const asked = call.text('rows');
  return ROW_KINDS.find((kind) => kind === asked) ?? 'messages';
}

/** Makes the run end with 1 where something matches and nothing should. */
export function failWhereFound(call: Call): void {
  if (call.has('fail-on-match')) call.fail();
}

async function tellCounts(
  call: Call,
  { rows, sessions, told }: { readonly rows: number; readonly sessions: number; readonly told: number },
): Promise<void> {
  const { out } = call;
  if (rows === 0 && call.has('fail-if-none')) call.fail();
  if (call.has('count')) {
    if (out.isJson) await out.tell('count', { rows, sessions });
    else await out.say(String(rows));
    return;
  }
  if (out.isJson) return;
  const rest = told < rows ? `; ${told} are shown, --limit shows more` : '';
  await out.note(rows === 0 ? 'Nothing matches.' : `${matchWords(rows, sessions)}${rest}.`);
}
