import { inLanguage, message, type Message, t } from '../../src/core/l10n.js';
import type { TimelineSpan } from '../../src/page/protocol/analysis.js';
import { plainText } from '../content/plainText.js';
import { el, fill } from '../dom.js';
import { formatDuration } from '../../src/core/duration.js';
import { formatCount, formatMoment, formatNoun } from '../format.js';

const KINDS: Readonly<Record<TimelineSpan['kind'], Message>> = {
  call: message`Call of`,
  model: message`Request to`,
  answer: message`Answer of`,
  tool: message`Tool`,
  dispatch: message`Waiting for the answer to`,
  approval: message`Waiting for approval of`,
  error: message`Error`,
  retry: message`Another try of`,
  idle: message`Nothing ran, and nobody was waited for`,
  loop: message`The same calls again and again, the last of`,
  reread: message`Read again, although nothing had changed, by`,
  compaction: message`Compaction: what was said before is no longer sent as it was`,
};

/** How far from what it is about, and from the edges of the window, in pixels. */
const BESIDE = 12;
const EDGE = 8;

/** Says in words what a span of the timeline is. */
export class TimelineTip {
  readonly element = el('div', { class: 'tip', hidden: true, role: 'tooltip' });

  /** What it says; '' where it is hidden. */
  get words(): string {
    return this.element.hidden ? '' : [...this.element.children].map((line) => line.textContent).join(', ');
  }

  hide(): void {
    this.element.hidden = true;
  }

  /** Shows the words below and beside a place of the window. */
  show(
    span: TimelineSpan,
    at: { readonly left: number; readonly bottom: number },
    countsSteps: boolean,
  ): void {
    this.element.hidden = false;
    const many = span.merged > 1 ? t` and ${formatNoun(span.merged - 1, 'more', 'more')}` : '';
    fill(
      this.element,
      el('div', { class: 'tip-name' }, `${inLanguage(KINDS[span.kind])} `, plainText(span.label), many),
      el(
        'div',
        {},
        countsSteps ? span.state : `${formatDuration(Math.max(0, span.end - span.start))}, ${span.state}`,
      ),
      el(
        'div',
        { class: 'faint' },
        countsSteps ? t`Step ${formatCount(span.position + 1)}` : formatMoment(span.start),
      ),
    );
    const { offsetWidth, offsetHeight } = this.element;
    const within = (position: number, most: number): string =>
      `${Math.max(EDGE, Math.min(position, most - EDGE))}px`;
    this.element.style.left = within(at.left + BESIDE, innerWidth - offsetWidth);
    this.element.style.top = within(at.bottom + BESIDE, innerHeight - offsetHeight);
  }
}
