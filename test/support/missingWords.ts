/** The words of three letters and more with how often they stand there; marks, layout and HTML entities are no words. */
function wordsOf(text: string): Map<string, number> {
  const words = new Map<string, number>();
  for (const [word] of text.replace(/&#?\w{2,32};/g, ' ').matchAll(/\p{L}{3,}/gu))
    words.set(word, (words.get(word) ?? 0) + 1);
  return words;
}

/** The words of `texts` that stand less often in an export, whatever markup is around them. */
export function missingWords(texts: readonly string[], exported: string): string[] {
  const there = wordsOf(exported);
  return [...wordsOf(texts.join('\n'))]
    .filter(([word, count]) => (there.get(word) ?? 0) < count)
    .map(([word]) => word);
}
