import { describe, expect, it } from 'vitest';
import type { TimelineSpan } from '../../../src/page/protocol/analysis.js';
import { spanBeside, spanOf } from '../../../webview/views/timeScale.js';

const span = (position: number, start: number, given: Partial<TimelineSpan> = {}): TimelineSpan => ({
  kind: 'tool',
  lane: 0,
  row: 0,
  start,
  end: start + 10,
  state: 'done',
  label: 'search',
  depth: 0,
  position,
  merged: 1,
  ...given,
});

describe('a span that was chosen', () => {
  const chosen = span(5, 100);

  it('is found again when it was drawn anew, has ended meanwhile, or stands in another row', () => {
    const same = span(5, 110, { state: 'failed', row: 2 });
    expect(spanOf([span(4, 100), same], chosen)).toBe(same);
  });

  it('is the one that it was merged into, and is itself again when it stands alone', () => {
    const merged = span(2, 60, { end: 140, merged: 4 });
    expect(spanOf([merged, span(9, 200)], chosen)).toBe(merged);
    expect(spanOf([span(2, 60), chosen], chosen)).toBe(chosen);
  });

  it('is nowhere outside of the part that is drawn, and no other kind, row or state stands for it', () => {
    const around = { end: 140, merged: 4 };
    const others = [
      span(2, 60, { ...around, kind: 'model' }),
      span(2, 60, { ...around, row: 1 }),
      span(2, 60, { ...around, state: 'failed' }),
      span(2, 60, { end: 140 }),
    ];
    expect(spanOf(others, chosen)).toBeUndefined();
  });
});

describe('a step from span to span', () => {
  const [first, second, third] = [span(1, 10), span(2, 20), span(3, 30)];
  const drawn = [third, first, second];

  it('goes through them in time, and stays at the ends', () => {
    expect(spanBeside(drawn, undefined, 1)).toBe(first);
    expect(spanBeside(drawn, undefined, -1)).toBe(third);
    expect(spanBeside(drawn, first, 1)).toBe(second);
    expect(spanBeside(drawn, third, 1)).toBe(third);
    expect(spanBeside(drawn, first, -1)).toBe(first);
  });

  it('goes on from where the chosen one was, where that is not drawn any more', () => {
    expect(spanBeside(drawn, span(9, 25), 1)).toBe(third);
    expect(spanBeside(drawn, span(9, 25), -1)).toBe(second);
    expect(spanBeside(drawn, span(9, 99), 1)).toBeUndefined();
    expect(spanBeside([], undefined, 1)).toBeUndefined();
  });
});
