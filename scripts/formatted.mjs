import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format } from 'oxfmt';

const settings = join(import.meta.dirname, '../.oxfmtrc.json');

/**
 * A text as `npm run format` leaves it.
 * @param {string} path what it is: by its ending
 * @param {string} text
 */
export async function formatted(path, text) {
  const { code, errors } = await format(path, text, JSON.parse(await readFile(settings, 'utf8')));
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
  return code;
}
