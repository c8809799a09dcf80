import { openArchive, openForPushing, type OpenArchive } from '../../app/archive/openArchive.js';
import { ArchiveSessions } from '../../app/sources/archiveSessions.js';
import { UserError } from '../../app/userError.js';
import type { ArchiveConnection } from '../../archive/archiveConnection.js';
import type { ArchiveLogin } from '../../archive/cachedConnection.js';

/** The variables that name the archive and hold its password; the second one also by the name that every client knows. */
const ADDRESS = 'AGENT_LOGBOOK_ARCHIVE';
const PASSWORDS = ['AGENT_LOGBOOK_ARCHIVE_PASSWORD', 'PGPASSWORD'];

/** What a call says of the archive. */
export interface NamedArchive {
  /** The address on the command line; undefined where there is none. */
  readonly address: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** The conversations of the archive that a call means. */
export function archiveSessionsOf(call: NamedArchive): ArchiveSessions {
  return new ArchiveSessions(() => archiveOf(call));
}

/** Connects to the archive that a call means, to push there. Throws a UserError that says what to do. */
export async function pushedArchive(
  call: NamedArchive,
): Promise<OpenArchive & { readonly login: ArchiveLogin }> {
  const { address, ...connecting } = locationOf(call);
  const open = await openForPushing(address, connecting);
  return { ...open, login: { address, password: await connecting.password() } };
}

/** Connects to the archive that a call means, to read. Throws a UserError that says what to do. */
async function archiveOf(call: NamedArchive): Promise<ArchiveConnection> {
  const { address, ...connecting } = locationOf(call);
  return await openArchive(address, connecting, false);
}

function locationOf({ address: named, env, signal }: NamedArchive) {
  // What stands on a command line is seen by everybody on the machine.
  if (named !== undefined && /^[a-z]+:\/\/[^/@]*:[^/]*@/i.test(named))
    throw new UserError(`A password does not belong on a command line; put it into ${PASSWORDS[0]}.`);
  const address = named ?? env[ADDRESS] ?? '';
  if (address === '')
    throw new UserError(
      `Say where the archive is: --archive postgres://USER@HOST:5432/DATABASE, or the variable ${ADDRESS}.`,
    );
  const password = PASSWORDS.map((name) => env[name] ?? '').find((value) => value !== '');
  return { address, password: () => Promise.resolve(password), signal };
}
