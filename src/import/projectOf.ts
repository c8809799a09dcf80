import { isObject, textOf } from '../core/message.js';
import { namesNothing } from '../core/promptTitle.js';

/** Under which keys logs say where their agents worked. */
const PLACES =
  /^(?:cwd|working_?dir(?:ectory)?|workdir|directory|workspace(?:_?(?:root|folder|path))?|project_?(?:path|dir|root))$/i;

/** How Cline and those made of it tell the model, in a text of the first prompt. */
const SURROUNDINGS = /# Current W(?:orking|orkspace) Directory \(([^()\n]{1,4096})\)/;

/** A log says it near its beginning, and near the top of its values; a hostile one may have any size. */
const MAX_RECORDS = 200;
const MAX_VALUES = 2_000;
const MAX_DEPTH = 4;
const MAX_PATH = 4_096;
const MAX_NAME = 100;

/**
 * The name of the project that the agents of an imported conversation worked in: the last folder, of those whose names
 * are no ids, of the first place that its log names as their working folder. Of a worktree, that of the project that it belongs to.
 */
export function projectOf(records: Iterable<object>): string | undefined {
  let left = MAX_VALUES;
  const pathIn = (value: unknown, depth: number): string | undefined => {
    if (!isObject(value) && !Array.isArray(value)) return undefined;
    for (const [key, inner] of Object.entries(value)) {
      if (left-- <= 0) return undefined;
      const found =
        typeof inner === 'string'
          ? PLACES.test(key) && isPath(inner)
            ? inner
            : toldIn(inner)
          : depth < MAX_DEPTH
            ? pathIn(inner, depth + 1)
            : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  };
  let seen = 0;
  for (const record of records) {
    if (++seen > MAX_RECORDS) break;
    const { source, value, message } = record as Readonly<Record<'source' | 'value' | 'message', unknown>>;
    const said = isObject(message) && message.role === 'user' ? textOf(message.content) : '';
    const path = pathIn(source, 0) ?? pathIn(value, 0) ?? toldIn(said);
    if (path !== undefined) return nameOf(path);
  }
  return undefined;
}

function toldIn(text: string): string | undefined {
  return text.includes('# Current W') ? SURROUNDINGS.exec(text)?.[1] : undefined;
}

function isPath(text: string): boolean {
  return text.length <= MAX_PATH && /^(?:\/|~|[A-Za-z]:[\\/]|file:\/\/)/.test(text);
}

/**
 * The project of a worktree: tools keep them within it, as `shop/.worktrees/fix` and `shop/.claude/worktrees/fix`, or in a
 * hidden folder of their own, as `~/.tool/worktrees/shop/fix`.
 */
function ownerOfWorktree(parts: readonly string[]): string | undefined {
  const at = parts.findIndex((part) => /^\.?worktrees$/i.test(part));
  if (at < 1 || at === parts.length - 1) return undefined;
  const [before = '', owner = ''] = [parts[at - 2], parts[at - 1]];
  if (!owner.startsWith('.')) return owner;
  return owner === '.claude' ? before : parts[at + 1];
}

function nameOf(path: string): string | undefined {
  const parts = path.split(/[\\/]+/).filter((part) => part !== '' && part !== 'file:');
  const name = ownerOfWorktree(parts) ?? parts.findLast((part) => !namesNothing(part));
  return name === undefined || /^(?:~|[A-Za-z]:)$/.test(name) ? undefined : name.slice(0, MAX_NAME);
}
