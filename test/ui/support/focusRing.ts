import type { Page } from 'playwright-core';

/** What has the keyboard's focus in a page. */
export interface Focused {
  /** What it is called; '' where nothing has the focus. */
  readonly name: string;
  /** The row of the list that it is, or lies in; undefined where it is elsewhere. */
  readonly row: string | undefined;
  readonly isRow: boolean;
  /** How far the colour of its ring stands out from the page: the contrast of WCAG, 1 where there is no ring. */
  readonly contrast: number;
}

export function focused(page: Page): Promise<Focused> {
  return page.evaluate(readFocus);
}

/** Runs in the page. */
function readFocus(): Focused {
  const element = document.activeElement;
  if (!element || element === document.body) return { name: '', row: undefined, isRow: false, contrast: 1 };
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  /** The relative luminance of a colour as it looks on the page. */
  const luminance = (colour: string): number => {
    if (!canvas) return 0;
    for (const layer of [getComputedStyle(document.body).backgroundColor, colour]) {
      canvas.fillStyle = layer;
      canvas.fillRect(0, 0, 1, 1);
    }
    const [r = 0, g = 0, b = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map((value) => {
      const share = value / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const page = luminance('transparent');
  const contrastOf = (colour: string): number => {
    const ring = luminance(colour);
    return (Math.max(page, ring) + 0.05) / (Math.min(page, ring) + 0.05);
  };
  const inner = element.shadowRoot?.activeElement;
  const root = element.shadowRoot?.querySelector('.root');
  const rings = [element, element.querySelector(':scope > .row-main'), inner, root].flatMap((part) => {
    if (!part) return [];
    const { outlineStyle, outlineWidth, outlineColor, borderColor } = getComputedStyle(part);
    const outline = outlineStyle !== 'none' && outlineWidth !== '0px' ? [outlineColor] : [];
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.color = 'var(--vscode-focusBorder)';
    const isFocusBorder = borderColor === getComputedStyle(probe).color;
    probe.remove();
    return isFocusBorder ? [...outline, borderColor] : outline;
  });
  const row = element.closest<HTMLElement>('.row');
  return {
    name: element.getAttribute('aria-label') ?? element.textContent.trim(),
    row: row?.getAttribute('aria-label') ?? undefined,
    isRow: element === row,
    contrast: Math.max(1, ...rings.map(contrastOf)),
  };
}
