import { visibleText } from '../../../core/visibleText.js';

/**
 * Folds a name so that two names which any file system could treat as one are equal, regardless of letter case, Unicode
 * form and trailing dots. Only for recognising names, never for opening.
 */
export function foldName(name: string): string {
  const withoutStream = name.includes(':') ? name.slice(0, name.indexOf(':')) || name : name;
  return withoutStream
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replace(/(?<=[^. ])[. ]+$/, '');
}

/** The names of a path from its root down, without `.` and empty ones; `..` is kept. */
export function segmentsOf(path: string): string[] {
  return path.split(/[\\/]/).filter((name) => name !== '' && name !== '.');
}

/** Whether `path` is `folder` or within it, compared name by name: `/ws-evil` is not in `/ws`. Both without `..`. */
export function isInside(folder: string, path: string, separator: '/' | '\\' = '/'): boolean {
  if (path === folder) return true;
  return path.startsWith(folder.endsWith(separator) ? folder : folder + separator);
}

/** A path as one line of a list, whatever characters its names contain. */
export function shownPath(path: string): string {
  return visibleText(path.replace(/[\n\t]/g, '\ufffd'));
}

/** Whether a name read from a folder is not valid UTF-8, so that nothing can be opened by it. */
export const isUnreadableName = (name: string): boolean => name.includes('\ufffd');
