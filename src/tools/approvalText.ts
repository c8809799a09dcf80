import { visibleText } from '../core/visibleText.js';

/** Joiners and emoji selectors, where they stand behind something else than a picture. */
const strayGlue =
  /(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)[\u200c\u200d\ufe0e\ufe0f]|\p{Co}/gu;

/** Blanks that are no plain space, and runs of blanks long enough to push text out of sight. */
const oddBlank = /[^\S \n\r\t\u2028\u2029\ufeff]/gu;
const longBlank = / {40,}|\t{10,}|\n{8,}/g;

/**
 * A text as it is put before a person who shall approve it: nothing in it is unseen, looks like another blank,
 * or pushes the rest out of sight.
 */
export function approvalText(text: string): string {
  return visibleText(text.replace(strayGlue, nameOf).replace(oddBlank, nameOf)).replace(
    longBlank,
    (run) =>
      `⟨${run.length} ${run.startsWith('\n') ? 'line ends' : run.startsWith('\t') ? 'tabs' : 'spaces'}⟩`,
  );
}

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
