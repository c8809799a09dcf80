import fc from 'fast-check';
import { FIELDS, type Field } from '../../../../src/query/language/fields.js';
import { SHARED } from '../../../../src/query/language/syntax.js';

/** Words that occur in the transcripts of the tests, and some that never do. */
export interface Vocabulary {
  readonly texts: readonly string[];
  readonly names: Readonly<Partial<Record<string, readonly string[]>>>;
}

const quote = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** A value of a field as a person may write it. */
function valueOf(field: Field, { texts, names }: Vocabulary): fc.Arbitrary<string> {
  const known = [...(names[field.name] ?? []), 'nowhere'];
  const name = fc.constantFrom(...known);
  switch (field.type) {
    case 'choice':
      return fc.constantFrom(...(field.values as string[]));
    case 'count':
      return fc.oneof(
        fc
          .tuple(fc.constantFrom('', '>', '>=', '<', '<='), fc.constantFrom('0', '1', '2', '100', '1k'))
          .map((each) => each.join('')),
        fc.constantFrom('0..1', '10..2k'),
      );
    case 'money':
      return fc.oneof(
        fc
          .tuple(
            fc.constantFrom('', '>', '>=', '<', '<='),
            fc.constantFrom('0', '$0.10', '0.5', '2', '1_000'),
          )
          .map((each) => each.join('')),
        fc.constantFrom('0..0.2', '$0.01..$20'),
      );
    case 'duration':
      return fc.oneof(
        fc
          .tuple(fc.constantFrom('>', '>=', '<', '<='), fc.constantFrom('0ms', '40ms', '1s', '1m', '2h'))
          .map((each) => each.join('')),
        fc.constantFrom('10ms..1s', '1s..10m'),
      );
    case 'date':
      return fc.constantFrom('7d', '1h', 'today', 'yesterday', '2026-11-21', '2026-11', '2026-11-21T09:31');
    case 'path':
      return fc.oneof(name.map(quote), fc.constantFrom('*.ts', '**/*.md', 'src/**', '*'));
    case 'program':
      return name.map((each) => (/\s/.test(each) ? '=' : '') + quote(each));
    case 'name':
      return fc.oneof(
        name.map(quote),
        name.map((each) => `=${quote(each)}`),
        name.map((each) => quote(`${each.slice(0, 2)}*`)),
        fc.constantFrom('/e/', '/^[a-m]/i', '"*"'),
      );
    case 'text':
    case 'argument': {
      const text = fc.constantFrom(...texts);
      return fc.oneof(
        text.map(quote),
        text.map((each) => `=${quote(each)}`),
        fc.constantFrom('/e.?r/', '/[A-Z]{2}/', '/the/i'),
        ...(field.type === 'argument' ? [fc.constantFrom('>1', '<=100')] : []),
      );
    }
  }
}

/** A term of any field, with any of its values, as text. */
export function anyTerm(vocabulary: Vocabulary, fields: readonly Field[] = FIELDS): fc.Arbitrary<string> {
  const paths = fc.constantFrom('', ...(vocabulary.names.args ?? []).map((each) => `.${each}`));
  return fc.oneof(
    fc.constantFrom(...vocabulary.texts).map(quote),
    fc.constantFrom(...fields).chain((field) => {
      const value = valueOf(field, vocabulary);
      const values = fc.oneof(
        { weight: 4, arbitrary: value },
        fc
          .array(value, { minLength: 2, maxLength: 3 })
          .filter((each) => field.name !== 'is' || new Set(each.map((one) => one === 'live')).size === 1)
          .map((each) => `(${each.join(' OR ')})`),
      );
      const key = field.name === 'args' ? paths.map((path) => `args${path}`) : fc.constant(field.name);
      return fc
        .tuple(key, values)
        .filter(([name, written]) => name !== 'args' || !/[<>]=?\d/.test(written))
        .map(([name, written]) => `${name}:${written}`);
    }),
  );
}

/** A question as text, with groups, negations, orders and trees; every one of them is right. */
export function anyQuestion(vocabulary: Vocabulary, fields: readonly Field[] = FIELDS): fc.Arbitrary<string> {
  const term = anyTerm(vocabulary, fields);
  const { sequence } = fc.letrec<{ part: string; all: string; sequence: string; group: string }>((tie) => ({
    group: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((each) => `(${each.join(' OR ')})`),
    part: fc
      .tuple(
        fc.constantFrom('', '', '', '-'),
        fc.oneof(
          { depthSize: 'small', withCrossShrink: true },
          { weight: 6, arbitrary: term },
          { weight: 1, arbitrary: tie('group') },
          {
            weight: 1,
            arbitrary: fc
              .tuple(fc.constantFrom('in', 'under', 'with'), tie('group'))
              .map(([where, group]) => `${where}:${group}`),
          },
        ),
      )
      .map(([minus, written]) => minus + written),
    all: fc.array(tie('part'), { minLength: 1, maxLength: 3 }).map((each) => each.join(' ')),
    sequence: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 4, arbitrary: tie('all') },
      {
        weight: 1,
        arbitrary: fc
          .tuple(
            tie('all'),
            fc.constantFrom('after', 'before'),
            tie('all'),
            fc.subarray([...SHARED], { maxLength: 2 }),
            fc.constantFrom('', '', ' within:0', ' within:2', ' within:1s', ' within:10m'),
          )
          .map(
            ([left, order, right, same, within]) =>
              `${left} ${order} ${right}${same.map((each) => ` same:${each}`).join('')}${within}`,
          ),
      },
    ),
  }));
  return sequence;
}
