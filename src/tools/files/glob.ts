import { RE2JS } from 're2js';

/** A compiled pattern for paths with `/`; matching takes linear time whatever the pattern. */
export type Glob = (path: string) => boolean;

/**
 * Compiles a pattern: `*` and `?` stay within a name, `**` crosses folders, `[a-z]` and `{a,b}` as usual.
 * A pattern without `/` applies to the last name of a path.
 */
export function compileGlob(pattern: string): Glob {
  const anchored = pattern.includes('/') ? pattern.replace(/^\.?\//, '') : `**/${pattern}`;
  const compiled = RE2JS.compile(globSource(anchored), RE2JS.DOTALL);
  return (path) => compiled.matches(path);
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
    else if (set) {
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
