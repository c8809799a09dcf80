import { costShape } from '../../../export/costShape.js';
import { formatShortMoment } from '../../../app/text/format.js';
import type { NamedSession } from '../../../app/stores/namedSessions.js';
import { formatCost, type Cost } from '../../../core/cost.js';
import type { QueriedSession } from '../../../search/asking.js';
import { Tallies } from '../../../search/tallies.js';
import type { Call } from '../call.js';
import { hitLine, hitsIn, matchWords, positionShape, shapeOfHit } from '../found.js';
import { Questions } from '../questions.js';
import { failWhereFound, rowsOf } from './query.js';

/** How many sessions are shown with hits, and how many of each, where nothing else is said. */
const USUAL_SESSIONS = 20;
const USUAL_HITS = 3;
/** How many values of each field are shown to a person. */
const SHOWN_VALUES = 6;

/** Finds the sessions in which a question matches: the first matches of each, and what all of them have in common. */
export async function search(call: Call): Promise<void> {
  const { out } = call;
  const [text = '', ...names] = call.words;
  const questions = await Questions.of(call, text, rowsOf(call));
  const tallies = new Tallies(questions.plan);
  const most = call.number('limit') ?? USUAL_SESSIONS;
  for await (const session of call.counted(names, (each) => questions.readAhead(each))) {
    const answer = await questions.ask(session);
    if (!answer) continue;
    failWhereFound(call);
    const cost = tallies.add(answer.facts, answer.indexes);
    if (tallies.sessions <= most)
      await questions.tell(session, () => tellSession(call, text, session, { ...answer, cost }));
    await questions.tellMissing(answer, session);
    await out.flush();
  }
  if (tallies.rows === 0 && call.has('fail-if-none')) call.fail();
  await tellAll(call, tallies, most);
}

async function tellSession(
  call: Call,
  text: string,
  session: NamedSession,
  answer: QueriedSession & { readonly cost: Cost | undefined },
): Promise<void> {
  const { out, terminal } = call;
  const { facts, indexes, cost } = answer;
  const { title, source, project } = facts.info;
  const most = call.number('hits') ?? USUAL_HITS;
  if (out.isJson) {
    const hits: object[] = [];
    for await (const hit of hitsIn(call, text, answer, most)) {
      hits.push(shapeOfHit(hit, session));
    }
    const { beganAt } = facts.whole;
    const about = positionShape(session);
    await out.tell('group', {
      ...about,
      title,
      source,
      project,
      beganAt,
      count: indexes.length,
      ...(cost && { cost: costShape(cost) }),
      hits,
    });
    return;
  }
  const name = session.kind === 'file' && session.others === 0 ? session.where : session.id;
  const when = formatShortMoment(facts.whole.beganAt ?? 0, terminal.now());
  const about = [out.line(title), out.line(source ?? ''), when].filter((part) => part !== '').join(' · ');
  await out.say(`${out.style('cyan', out.line(name))}  ${out.style('bold', about)}`);
  for await (const hit of hitsIn(call, text, answer, most)) await out.say(`  ${hitLine(call, hit, '')}`);
  if (indexes.length > most)
    await out.say(out.style('dim', `  … ${indexes.length - most} more in this session`));
  await out.say();
}

async function tellAll(call: Call, tallies: Tallies, most: number): Promise<void> {
  const { out } = call;
  const { cost } = tallies;
  const totals = { rows: tallies.rows, sessions: tallies.sessions };
  if (out.isJson) {
    const facets = tallies.facets().map(({ values, ...facet }) => ({
      ...facet,
      values: values.map(({ cost: spent, ...value }) => ({
        ...value,
        ...(spent && { cost: costShape(spent) }),
      })),
    }));
    await out.tell('totals', { ...totals, ...(cost && { cost: costShape(cost) }), facets });
    return;
  }
  if (totals.rows === 0) {
    await out.note('Nothing matches.');
    return;
  }
  for (const { field, values, more } of tallies.facets()) {
    const shown = values.slice(0, SHOWN_VALUES).map(({ value, count, cost: spent }) => {
      const money = spent ? `, ${formatCost(spent)}` : '';
      return `${value} (${count}${money})`;
    });
    const left = values.length - shown.length + more;
    if (shown.length > 0)
      await out.say(
        out.style('dim', out.line(`${field}: ${shown.join(', ')}${left > 0 ? ` and ${left} more` : ''}`)),
      );
  }
  const rest = totals.sessions > most ? `; ${most} sessions are shown, --limit shows more` : '';
  const money = cost ? `, ${formatCost(cost)}` : '';
  await out.note(`${matchWords(totals.rows, totals.sessions)}${money}${rest}.`);
}
