/** A definition file, split into its two parts. */
export interface FrontMatter {
  /** The YAML between the two `---`; undefined where the file does not begin with one. */
  readonly header: string | undefined;
  /** What follows the header, or the whole file where there is none. */
  readonly body: string;
  /** False where the second `---` is missing; then everything is header. */
  readonly closed: boolean;
}

/** The line of a file at which its header starts, from 1. */
export const FIRST_HEADER_LINE = 2;

const fence = /^---[ \t]*$/;

/** Splits a file at its front matter: the first line `---` up to the next one. Accepts a BOM and any line breaks. */
export function splitFrontMatter(text: string): FrontMatter {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  if (!fence.test(lines[0] ?? '')) return { header: undefined, body: lines.join('\n'), closed: true };
  const end = lines.findIndex((line, index) => index > 0 && fence.test(line));
  if (end < 0) return { header: lines.slice(1).join('\n'), body: '', closed: false };
  return { header: lines.slice(1, end).join('\n'), body: lines.slice(end + 1).join('\n'), closed: true };
}
