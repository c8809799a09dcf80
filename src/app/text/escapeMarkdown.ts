/** Escapes every ASCII character that could start Markdown, HTML, an icon or a link, so that the text reads literally. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, '\\$&');
}
