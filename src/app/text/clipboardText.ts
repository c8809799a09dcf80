import { escapedUnseen, visibleText } from '../../core/visibleText.js';

/** What a text in the clipboard is: JSON has escapes of its own, so that nothing of it is lost. */
export type ClipboardKind = 'text' | 'json';

/**
 * A text as it goes into the clipboard: control characters, which a terminal obeys when they are pasted, and characters
 * that are invisible or turn the reading direction are written out.
 */
export function clipboardText(text: string, kind: ClipboardKind): string {
  return kind === 'json' ? escapedUnseen(text) : visibleText(text);
}

/** Escapes every ASCII character that could start Markdown, HTML, an icon or a link, so that the text reads literally. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, '\\$&');
}
