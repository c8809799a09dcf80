import { expect, it } from 'vitest';
import type { RowsAnswer } from '../../../src/page/protocol/requests.js';
import { RowLoader } from '../../../webview/rowLoader.js';
import { INITIAL, type State } from '../../../webview/state.js';

/** A loader of a list of one row, whose questions are answered by hand. */
function loading(generation: number) {
  let state: State = { ...INITIAL, list: { ...INITIAL.list, generation, rows: 1 } };
  const asked: { generation: number; answer: (answer: RowsAnswer) => void }[] = [];
  const loader = new RowLoader({
    stateOf: () => state,
    fetch: (of) => new Promise((answer) => asked.push({ generation: of, answer })),
    onRows: () => undefined,
    onFailure: (error) => expect.unreachable(String(error)),
  });
  loader.look(0, 0);
  return { asked, hear: (now: number) => (state = { ...state, list: { ...state.list, generation: now } }) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('rows of a list that became another meanwhile are asked for again', async () => {
  const { asked, hear } = loading(1);
  hear(2);
  asked[0]?.answer({ generation: 1, start: 0, rows: [] });
  await settled();
  expect(asked.map(({ generation }) => generation)).toEqual([1, 2]);
});

it('rows of a list that the page has heard of meanwhile are asked for, also where it has none of those asked for', async () => {
  const { asked, hear } = loading(1);
  hear(2);
  asked[0]?.answer({ generation: 2, start: 0, rows: [] });
  await settled();
  expect(asked.map(({ generation }) => generation)).toEqual([1, 2]);
});

it('rows of a list that the page has not heard of yet wait until it has', async () => {
  const { asked } = loading(1);
  asked[0]?.answer({ generation: 2, start: 0, rows: [] });
  await settled();
  expect(asked).toHaveLength(1);
});

it('a list without the rows asked for is not asked again and again', async () => {
  const { asked } = loading(1);
  asked[0]?.answer({ generation: 1, start: 0, rows: [] });
  await settled();
  expect(asked).toHaveLength(1);
});
