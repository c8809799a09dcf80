import { t } from '../../src/core/l10n.js';
import type { RowImages } from '../../src/page/protocol/row.js';
import { el } from '../dom.js';
import { formatBytes } from '../format.js';
import { icon } from '../icons.js';
import type { RowContext } from './rowContext.js';

/** The pictures of a row: a button for each until it is requested; remote ones are only named. */
export function pictures(row: number, images: RowImages, { textOf, actions }: RowContext): HTMLElement[] {
  return images.map(({ part, type, characters, shown }) => {
    const fetched = textOf('image', part);
    if (fetched && fetched.next === undefined) {
      return el('img', {
        class: 'picture',
        attributes: { src: fetched.text, alt: t`Image of type ${type}` },
      });
    }
    if (!shown) return el('span', { class: 'absent-image' }, icon('file-media'), t`Remote image, not loaded`);
    const show = el(
      'button',
      { class: 'more', attributes: { type: 'button' } },
      icon('file-media'),
      t`Show image (${type}, ${formatBytes(Math.round((characters * 3) / 4))})`,
    );
    show.addEventListener('click', () => actions.fetchText(row, 'image', part));
    return show;
  });
}
