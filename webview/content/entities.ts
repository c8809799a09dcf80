const PARSER = new DOMParser();

/**
 * The text with its named character references, such as `&eacute;`, as what they stand for; what is none stays. The pages' own
 * stand-in for the package `entities` of markdown-it, whose table of 18 kB every browser has anyway.
 */
export function decodeHTMLStrict(text: string): string {
  return text.replace(/&[a-z][\da-z]*;/gi, decoded);
}

function decoded(reference: string): string {
  // Behind a letter, as white space at the beginning of a document is none of its text.
  const { documentElement } = PARSER.parseFromString(`x${reference}`, 'text/html');
  const characters = documentElement.textContent.slice(1);
  // A browser also takes what only begins like one that needs no semicolon: `&notit;` is not `¬it;`.
  return characters.endsWith(';') && reference !== '&semi;' ? reference : characters;
}
