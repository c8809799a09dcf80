import { argumentsOf, callsOf } from '../../../../src/query/numbers/toolCalls.js';
import { messageIn } from '../../../../src/query/numbers/transcriptItem.js';
import { programsOf } from '../../../../src/query/language/programs.js';
import type { GatheredFacts } from '../../../../src/query/language/sessionFacts.js';
import type { Vocabulary } from './questionArbitrary.js';

/** The words of a transcript, so that questions about it find something. */
export function vocabularyOf(facts: GatheredFacts, items: readonly unknown[]): Vocabulary {
  const some = <T>(values: Iterable<T>): T[] => [...new Set(values)].slice(0, 12);
  const inputs = [...facts.toolCalls].flatMap(({ askedAt, order }) =>
    askedAt === undefined ? [] : [callsOf(messageIn(items[askedAt]) ?? {})[order]?.input],
  );
  const written = items.map((item) => JSON.stringify(item ?? null)).join(' ');
  const words = some(written.match(/[\p{L}\p{N}]{2,12}/gu) ?? []);
  const named = (values: readonly (string | undefined)[]) =>
    some(values.filter((value) => value !== undefined && value !== ''));
  return {
    texts: ['e', 'an', 'error', ...words.filter((_, at) => at % 3 === 0)],
    names: {
      agent: named([...facts.records].map(({ agent }) => agent)) as string[],
      tool: named([...facts.toolCalls].map(({ tool }) => tool)) as string[],
      role: ['user', 'assistant', 'tool'],
      model: named([...facts.records].map(({ model }) => model)) as string[],
      run: named([...facts.records].map(({ runId }) => runId)) as string[],
      call: named([...facts.records].map(({ callId }) => callId)) as string[],
      session: ['20261121-1'],
      source: ['codex'],
      project: ['bakery'],
      command: some(inputs.flatMap((input) => [...programsOf(input)])),
      file: some(
        inputs.flatMap((input) =>
          Object.values(argumentsOf(input)).filter(
            (value) => typeof value === 'string' && value.length < 60 && /^[\w./-]+$/.test(value),
          ),
        ),
      ) as string[],
      args: some(inputs.flatMap((input) => Object.keys(argumentsOf(input)))).filter((key) =>
        /^\w+$/.test(key),
      ),
    },
  };
}
