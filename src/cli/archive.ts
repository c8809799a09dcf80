import { openArchive } from '../app/archive/openArchive.js';
import { UserError } from '../app/userError.js';
import type { ArchiveConnection } from '../archive/archiveConnection.js';
import type { Call } from './call.js';

/** The variables that name the archive and hold its password; the second one also by the name that every client knows. */
const ADDRESS = 'AGENT_LOGBOOK_ARCHIVE';
const PASSWORDS = ['AGENT_LOGBOOK_ARCHIVE_PASSWORD', 'PGPASSWORD'];

/** Connects to the archive that a call means. Throws a UserError that says what to do. */
export async function archiveOf(call: Call, mayCreate: boolean): Promise<ArchiveConnection> {
  const { env } = call.terminal;
  const named = call.text('archive');
  // What stands on a command line is seen by everybody on the machine.
  if (named !== undefined && /^[a-z]+:\/\/[^/@]*:[^/]*@/i.test(named))
    throw new UserError(`A password does not belong on a command line; put it into ${PASSWORDS[0]}.`);
  const address = named ?? env[ADDRESS] ?? '';
  if (address === '')
    throw new UserError(
      `Say where the archive is: --archive postgres://USER@HOST:5432/DATABASE, or the variable ${ADDRESS}.`,
    );
  const password = PASSWORDS.map((name) => env[name] ?? '').find((value) => value !== '');
  return await openArchive(
    address,
    { password: () => Promise.resolve(password), signal: call.signal },
    mayCreate,
  );
}
