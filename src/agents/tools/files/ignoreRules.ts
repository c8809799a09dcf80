import { RE2JS } from 're2js';
import { globSource } from './glob.js';
import { STORE_FOLDER } from '../paths/protectedPaths.js';

interface IgnoreRule {
  readonly matches: (relative: string) => boolean;
  readonly negated: boolean;
  readonly foldersOnly: boolean;
}

const always = new Set(['.git', 'node_modules', '.hg', '.svn', STORE_FOLDER]);
const MAX_RULES = 2_000;

/** What listing and searching skip: version control, dependencies, the store, and what `.gitignore` names. */
export class IgnoreRules {
  readonly #rules: readonly IgnoreRule[];

  constructor(rules: readonly IgnoreRule[] = []) {
    this.#rules = rules;
  }

  /** These rules and those of a `.gitignore` in `folder` (from the root, with `/`, empty for the root itself). */
  with(gitignore: string, folder: string): IgnoreRules {
    const added = gitignore.split(/\r?\n/).flatMap((line) => readRule(line, folder));
    return new IgnoreRules([...this.#rules, ...added].slice(-MAX_RULES));
  }

  /** Whether a path (from the root, with `/`) is skipped. A skipped folder hides everything in it. */
  ignores(relative: string, kind: 'file' | 'folder'): boolean {
    if (always.has(relative.slice(relative.lastIndexOf('/') + 1))) return true;
    const rule = this.#rules.findLast(
      ({ matches, foldersOnly }) => (!foldersOnly || kind === 'folder') && matches(relative),
    );
    return rule !== undefined && !rule.negated;
  }
}

function readRule(line: string, folder: string): IgnoreRule[] {
  const text = line.replace(/(?<!\\)[ \t]+$/, '');
  if (text === '' || text.startsWith('#') || text.length > 1_000) return [];
  const negated = text.startsWith('!');
  const foldersOnly = text.endsWith('/');
  const body = text.slice(negated ? 1 : 0, foldersOnly ? -1 : undefined);
  const source = globSource(body.includes('/') ? body.replace(/^\//, '') : `**/${body}`);
  const base = folder === '' ? '' : `${RE2JS.quote(folder)}/`;
  try {
    const matches = base === '' ? simpleRule(body) : undefined;
    const pattern = matches ? undefined : RE2JS.compile(base + source, RE2JS.DOTALL);
    return [{ matches: matches ?? ((path) => pattern?.matches(path) === true), negated, foldersOnly }];
  } catch {
    // An invalid pattern hides nothing, as in git.
    return [];
  }
}

/** A fast path for lines that are a plain name or an extension, as most are. */
function simpleRule(body: string): IgnoreRule['matches'] | undefined {
  const [, star = '', plain = ''] = /^(\*?)([^*?[\]{}\\/]+)$/.exec(body) ?? [];
  if (plain === '') return undefined;
  return star === ''
    ? (path) => path === plain || path.endsWith(`/${plain}`)
    : (path) => path.slice(path.lastIndexOf('/') + 1).endsWith(plain);
}
