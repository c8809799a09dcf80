import type { Timeline } from '../../src/page/protocol/analysis.js';
import { plainText } from '../content/plainText.js';
import { el, fill } from '../dom.js';
import { formatNoun } from '../format.js';
import type { LaneLayout } from './timelineChart.js';

/** The names of so many lanes are measured: who has more scrolls, and the chart stands still meanwhile. */
const MAX_MEASURED = 100;

/** Puts the name of each lane's agent beside the lane. */
export function fillLaneLabels(
  labels: HTMLElement,
  lanes: Timeline['lanes'],
  { tops, row }: LaneLayout,
): void {
  const longest = lanes.slice(0, MAX_MEASURED).reduce((most, { agent }) => Math.max(most, agent.length), 0);
  labels.style.setProperty('--longest-name', String(longest));
  fill(
    labels,
    lanes.map(({ agent, hue, calls }, lane) => {
      const label = el(
        'div',
        { class: 'lane-label', title: `${agent}: ${formatNoun(calls, 'call')}` },
        el('span', { class: `dot hue-${hue}` }),
        el('span', { class: 'lane-name' }, plainText(agent)),
      );
      label.style.height = `${row + 12}px`;
      label.style.top = `${tops[lane] ?? 0}px`;
      return label;
    }),
  );
  labels.style.height = `${tops.at(-1) ?? 0}px`;
}
