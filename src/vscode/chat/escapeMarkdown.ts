/** The text with every ASCII sign that Markdown, HTML, icons or links could begin with escaped: it reads as it is. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, '\\$&');
}
