import { translated } from '../../core/l10n.js';
import { preview } from '../../core/text.js';
import { visibleLine, visibleText } from '../../core/visibleText.js';

declare const plainBrand: unique symbol;
declare const dialogBrand: unique symbol;
declare const iconBrand: unique symbol;

/**
 * A text that VS Code shows as it stands: no link in it runs a command, and no character in it is invisible or turns the
 * reading direction. Only the functions of this file make one, and only such texts reach the surfaces of VS Code.
 */
export type PlainText = string & { readonly [plainBrand]: true };

/** A link of our own, for a notification: its label and its command are constants of the code. */
export class SafeLink {
  readonly markdown: string;

  /** `argument` is whatever the command takes; it is encoded, so that it cannot end the link. */
  constructor(label: string, command: string, argument: unknown) {
    const query = encodeURIComponent(JSON.stringify(argument)).replace(/[()']/g, percentEncoded);
    this.markdown = `[${plain(label)}](command:${command}?${query})`;
  }
}

function percentEncoded(mark: string): string {
  return `%${mark.charCodeAt(0).toString(16)}`;
}

/** A text that only the detail of a dialog may show: nothing in it is invisible, and what looks like a link stays. */
export type DialogText = string & { readonly [dialogBrand]: true };

/** A plain text for a place where VS Code draws `$(name)` as an icon; only icons of ours are in it. */
export type IconText = string & { readonly [iconBrand]: true };

/** How much of a text one line shows, in code points; a longer one would fill a notification or a hover. */
const MAX_LINE = 300;

/** How much of a text a tooltip or the detail of a dialog shows, in code points. */
const MAX_BLOCK = 3_000;

/**
 * Separates the two characters that make a link: VS Code reads `[x](command:…)` in notifications, progress and the
 * prompts of input boxes, and runs the command of whoever wrote it.
 */
function withoutLinks(text: string): string {
  return text.replaceAll('](', '] (');
}

/** A text of a model, a tool, a file or a person on one line, at most `limit` code points long. */
export function plain(text: string, limit = MAX_LINE): PlainText {
  // Cut before it is worked on, because the text may have any length: no line break of it becomes more than one blank.
  const beginning = preview(text.slice(0, limit * 8), limit * 4);
  return withoutLinks(preview(visibleLine(beginning), limit)) as PlainText;
}

/** Something that is seen: no blank, no mark of a letter before it, no joiner, no pattern of Braille without a dot. */
const SEEN = /[^\s\p{M}\p{Cf}\u2800]/u;

/** The first of some texts of which anything is seen, as `plain` gives it; the last where nothing is seen of any. */
export function firstSeen(...texts: readonly string[]): PlainText {
  const shown = texts.map((text) => plain(text));
  return shown.find((text) => SEEN.test(text)) ?? shown.at(-1) ?? plain('');
}

/** A text of several lines, for a tooltip or the detail of a dialog. */
export function plainLines(text: string): PlainText {
  return withoutLinks(visibleText(preview(text, MAX_BLOCK))) as PlainText;
}

/** A text of several lines for the detail of a dialog, whole, because a person decides by it: no links are read there. */
export function wholeText(text: string): DialogText {
  return visibleText(text) as DialogText;
}

/**
 * A sentence of ours, in the language of the person, with texts of others in it: what stands in `${}` is made plain, and so is the whole, because two
 * harmless texts side by side can make a link. A {@link SafeLink} stays one.
 */
export function words(
  ours: TemplateStringsArray,
  ...others: readonly (string | number | SafeLink)[]
): PlainText {
  const { parts, order } = translated(ours);
  let finished = '';
  let text = parts[0] ?? '';
  order.forEach((value, index) => {
    const other = others[value] ?? '';
    if (other instanceof SafeLink) {
      finished += `${spaced(text)}${other.markdown}`;
      text = '';
    } else text += spaced(String(other));
    text += parts[index + 1] ?? '';
  });
  return (finished + spaced(text)) as PlainText;
}

/** A part of a sentence, plain, with the blanks at its ends. */
function spaced(text: string): string {
  const [before = ''] = /^\s*/.exec(text) ?? [];
  const after = /\s+$/.exec(text)?.[0] ?? '';
  const inner = plain(text);
  return inner === '' ? before && ' ' : `${before && ' '}${inner}${after && ' '}`;
}

/** A text for a place with icons: what looks like the name of an icon in it is written, not drawn. */
export function iconText(text: string, icon?: string): IconText {
  const escaped = plain(text).replaceAll('$(', '\\$(');
  return (icon === undefined ? escaped : `$(${icon}) ${escaped}`) as IconText;
}

/** Joins texts with a mark of ours between them; empty ones are left out. */
export function joined(texts: readonly string[], mark: string): PlainText {
  return plain(texts.filter((text) => text !== '').join(mark));
}
