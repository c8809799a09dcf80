/** The text with every occurrence of the secret replaced, even where it is escaped for a URL. */
export function redactToken(text: string, secret: string): string {
  if (secret === '') return text;
  return text.replaceAll(secret, '…').replaceAll(encodeURIComponent(secret), '…');
}
