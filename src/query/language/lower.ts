import type { ScanQuestion } from '../columns/scanQuestion.js';
import type { StructureTests } from '../columns/structureColumns.js';
import type { TextCriteria } from '../textTest.js';
import type { QueryPlan } from './plan.js';
import type { RecordFacts } from './sessionFacts.js';
import type { Part, Term } from './syntax.js';
import type { CompiledTerm } from './terms.js';
import { compilePattern } from './values.js';

/**
 * A question as one that columns and an index of texts answer alone, so that nothing else has to be known of a session;
 * undefined where it asks for more. That is one for messages or records that asks, side by side, for agents, tools,
 * roles, depths, calls, errors or messages, negated or not, and for texts that must be there.
 */
export function scanQuestionOfPlan({ query, rows, terms }: QueryPlan): ScanQuestion | undefined {
  if (query.kind !== 'all' || (rows !== 'messages' && rows !== 'records')) return undefined;
  const structure: StructureTests[] = rows === 'messages' ? [{ role: (role) => role !== undefined }] : [];
  const texts: TextCriteria[] = [];
  const grams: ScanQuestion['grams'][number][] = [];
  for (const part of query.of) {
    const term = termIn(part);
    const compiled = term && terms.get(term);
    if (!compiled) return undefined;
    const asked = part.kind === 'term' && compiled.on === 'texts' ? compiled : undefined;
    const text = asked && textOf(term);
    const tests = compiled.on === 'facts' ? structureOf(term, compiled.test, part.kind === 'not') : undefined;
    if (asked && text) {
      texts.push(text);
      grams.push(asked.grams);
    } else if (tests) structure.push(tests);
    else return undefined;
  }
  return { structure: structure.reduce(both, {}), texts, grams };
}

function termIn(part: Part): Term | undefined {
  const inner = part.kind === 'not' ? part.of : part;
  return inner.kind === 'term' ? inner : undefined;
}

/** The text that a term asks for; undefined for one of several. */
function textOf({ field, values: [value, ...more] }: Term): TextCriteria | undefined {
  if (!value || more.length > 0) return undefined;
  const part = field === 'content' || field === 'content.word' ? 'content' : 'text';
  const wholeWord = field === 'word' || field === 'content.word';
  if (value.kind === 'text') return { [part]: value.text, matchCase: value.exact, wholeWord };
  // A pattern is tested as it is; whole words of one are none.
  return value.kind === 'pattern' ? { [part]: compilePattern(value.source, value.flags) } : undefined;
}

const noTexts = (): readonly string[] => [];

type FactsTest = Extract<CompiledTerm, { on: 'facts' }>['test'];

/** What a term asks of the columns. A pattern of a person is not run on them, because nobody could end it. */
function structureOf(
  { field, values }: Term,
  test: FactsTest,
  isNegated: boolean,
): StructureTests | undefined {
  if (values.some(({ kind }) => kind === 'pattern')) return undefined;
  const holds = (facts: Partial<RecordFacts>) =>
    test({ kind: 'record', ...facts } as RecordFacts, noTexts, noTexts) !== isNegated;
  switch (field) {
    case 'agent':
      return { agent: (agent) => holds({ agent }) };
    case 'tool':
      return { tools: (tools) => holds({ tools }) };
    case 'role':
      return { role: (role) => holds({ role: role ?? undefined }) };
    case 'depth':
      return { depth: (depth) => holds({ depth }) };
    case 'call':
      return { call: (callId) => holds({ callId }) };
    case 'is': {
      const [value, ...more] = values;
      const asked = value?.kind === 'text' && more.length === 0 ? value.text : '';
      if (asked === 'error') return { failed: (isError) => holds({ isError }) };
      return asked === 'message' ? { role: (role) => holds({ isMessage: role !== undefined }) } : undefined;
    }
    default:
      return undefined;
  }
}

/** What both ask for. */
function both(one: StructureTests, other: StructureTests): StructureTests {
  const joined: Record<string, (value: never) => boolean> = { ...one };
  for (const [column, test] of Object.entries(other) as [string, (value: never) => boolean][]) {
    const known = joined[column];
    joined[column] = known ? (value) => known(value) && test(value) : test;
  }
  return joined;
}
