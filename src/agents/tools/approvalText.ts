import { distinctName, skeletonOf, writtenOut } from '../../core/lookalikes.js';
import { visibleText } from '../../core/visibleText.js';

/** Joiners and emoji selectors that do not follow an emoji. */
const strayGlue =
  /(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)[\u200c\u200d\ufe0e\ufe0f]|\p{Co}/gu;

/** White space other than plain spaces, and runs of it long enough to push text out of view. */
const oddBlank = /[^\S \n\r\t\u2028\u2029\ufeff]/gu;
const longBlank = / {40,}|\t{10,}|\n{8,}/g;

/**
 * A text as it is shown to a person for approval: nothing in it is invisible, imitates a plain space or a letter, or pushes
 * the rest out of view.
 */
export function approvalText(text: string): string {
  return visibleText(markedLookalikes(text).replace(strayGlue, nameOf).replace(oddBlank, nameOf)).replace(
    longBlank,
    (run) =>
      `⟨${run.length} ${run.startsWith('\n') ? 'line ends' : run.startsWith('\t') ? 'tabs' : 'spaces'}⟩`,
  );
}

/**
 * A text with the foreign letters of those words written out that could be taken for ASCII: a word of both, and one of nothing but
 * lookalikes that stands together with ASCII, as `аррӏе.com` does. Texts in other scripts stay as they are.
 */
function markedLookalikes(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text;
  return text.replace(/\S+/gu, (token) =>
    /[a-z]/i.test(token)
      ? token.replace(/[\p{L}\p{M}]+/gu, (word) =>
          /^[^\0-\x7f]+$/.test(word) && /^[\0-\x7f]+$/.test(skeletonOf(word))
            ? writtenOut(word)
            : distinctName(word),
        )
      : token,
  );
}

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
