import type { VirtualList } from './virtualList.js';

/** How much of the page before stays in sight when one is turned, in pixels. */
const OVERLAP = 48;

/** Brings a row into sight. Of one that is higher than the window, the beginning; where it fills the window, it stays. */
export function revealRow(list: VirtualList, index: number, align: 'auto' | 'center'): void {
  list.showPart(index);
  const { start, end, windowHeight } = list.span(index);
  if (end - start <= windowHeight) list.reveal(index, align);
  else if (align === 'center' || start > 0 || end < windowHeight) list.reveal(index, 'start');
}

/**
 * The row to which a page further down (1) or up (-1) leads from a row. A row that goes on beyond the window is scrolled,
 * and stays the one.
 */
export function turnPage(list: VirtualList, from: number, by: 1 | -1): number {
  const { start, end, windowHeight } = list.span(from);
  if (end <= 0 || start >= windowHeight) return list.top?.index ?? from;
  if (by > 0 ? end > windowHeight + OVERLAP : start < -OVERLAP) {
    list.element.scrollTop += by * (windowHeight - OVERLAP);
    return from;
  }
  const next = list.indexAt(start + by * windowHeight);
  const moved = by > 0 ? Math.max(next, from + 1) : Math.min(next, from - 1);
  return Math.max(0, Math.min(moved, list.part.of - 1));
}
