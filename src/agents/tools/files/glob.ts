import { RE2JS } from 're2js';
import { preview } from '../../../core/text.js';

/** A compiled pattern for paths with `/`; matching takes linear time whatever the pattern. */
export type Glob = (path: string) => boolean;

/**
 * Compiles a pattern: `*` and `?` stay within a name, `**` crosses folders, `[a-z]` and `{a,b}` as usual.
 * A pattern without `/` applies to the last name of a path. One that cannot be read gives a sentence that says why.
 */
export function compileGlob(pattern: string): Glob | { readonly problem: string } {
  const anchored = pattern.includes('/') ? pattern.replace(/^\.?\//, '') : `**/${pattern}`;
  try {
    const compiled = RE2JS.compile(globSource(anchored), RE2JS.DOTALL);
    return (path) => compiled.matches(path);
  } catch {
    const shown = preview(pattern, 100);
    return { problem: `'${shown}' is no pattern of names; write one like **/*.ts, [a-z]* or {a,b}.` };
  }
}

/** The regular expression, in RE2's syntax, that matches whole paths by a pattern relative to their root. */
export function globSource(pattern: string): string {
  let source = '';
  let braces = 0;
  for (let index = 0; index < pattern.length; index++) {
    const rest = pattern.slice(index);
    const character = pattern.charAt(index);
    const set = /^\[([!^]?)(\]?[^\]/]*)\]/.exec(rest);
    if (rest.startsWith('**/')) {
      source += '(?:.*/)?';
      index += 2;
    } else if (rest.startsWith('**')) {
      source += '.*';
      index++;
    } else if (character === '*') source += '[^/]*';
    else if (character === '?') source += '[^/]';
    else if (set && set[2] !== '') {
      source += `[${set[1] ? '^/' : ''}${(set[2] ?? '').replace(/[\\[\]^&~]/g, '\\$&')}]`;
      index += set[0].length - 1;
    } else if (character === '{' && rest.includes('}')) {
      source += '(?:';
      braces++;
    } else if (character === '}' && braces > 0) {
      source += ')';
      braces--;
    } else if (character === ',' && braces > 0) source += '|';
    else source += RE2JS.quote(character === '\\' ? pattern.charAt(++index) : character);
  }
  return source + ')'.repeat(braces);
}
