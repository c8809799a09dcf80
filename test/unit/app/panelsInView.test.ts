import { expect, test } from 'vitest';
import { PanelsInView } from '../../../src/app/panel/panelsInView.js';

function following() {
  const changes: string[] = [];
  const inView = new PanelsInView((error) => {
    throw error;
  });
  inView.onDidChange((conversation) => changes.push(`${conversation} ${inView.isVisible(conversation)}`));
  return { inView, changes };
}

test('a conversation is in view while any of its panels is', () => {
  const { inView, changes } = following();
  const [left, right] = [{}, {}];
  inView.set(left, 'a', true);
  inView.set(right, 'a', true);
  inView.set(left, 'a', false);
  expect(inView.isVisible('a')).toBe(true);
  expect(inView.isVisible('b')).toBe(false);
  inView.set(right, 'a', false);
  inView.set(right, 'a', false);
  expect(changes).toEqual(['a true', 'a false']);
});
