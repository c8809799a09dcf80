import { isIP } from 'node:net';
import { t } from '../core/l10n.js';
import { ArchiveError } from './archiveError.js';

/** Where the archive is, and how it is reached. */
export interface ArchiveAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** `verified`: with TLS, the certificate and its host checked (`verify-full`); `none`: on this computer only. */
  readonly tls: 'verified' | 'none';
  /** Whether the address itself says `sslmode=disable`, so that a password may go in clear on this computer. */
  readonly allowsClear: boolean;
  /** A file with the certificates that are trusted besides those of the system's; undefined for none. */
  readonly rootCertificate?: string;
  /** The password in the address; whoever keeps addresses where others read them refuses it. */
  readonly password?: string;
  /** `host:port/database`, to be shown. */
  readonly place: string;
}

/** What may stand behind the `?`. */
const PARAMETERS: ReadonlySet<string> = new Set(['sslmode', 'sslrootcert']);
/** The modes of libpq in which it checks certificates or at least always encrypts: here, all of them check. */
const WITH_TLS: ReadonlySet<string> = new Set(['require', 'verify-ca', 'verify-full']);
const PORT = 5432;

/** Reads `postgres://USER@HOST:PORT/DATABASE`. Throws an ArchiveError that says what is wrong. */
export function parseArchiveAddress(text: string): ArchiveAddress {
  const url = urlOf(text.trim());
  const host = decodeURIComponent(url.hostname).replace(/^\[|\]$/g, '');
  const user = decoded(url.username);
  const database = decoded(url.pathname.slice(1));
  if (host === '' || user === '' || database === '' || /[\0/]/.test(database)) throw refused(EXPECTED());
  for (const name of url.searchParams.keys())
    if (!PARAMETERS.has(name))
      throw refused(
        t`${name} cannot stand in the archive's address. There are: ${[...PARAMETERS].join(', ')}.`,
      );
  const port = url.port === '' ? PORT : Number(url.port);
  for (const name of PARAMETERS)
    if (url.searchParams.getAll(name).length > 1)
      throw refused(t`${name} stands in the archive's address more than once.`);
  const [mode, authority] = [url.searchParams.get('sslmode'), url.searchParams.get('sslrootcert')];
  const tls = tlsOf(mode, authority, host);
  // What libpq calls the authorities that the system trusts, as is done where none is named.
  const rootCertificate = authority === 'system' ? undefined : (authority ?? undefined);
  return {
    host,
    port,
    user,
    database,
    tls,
    allowsClear: tls === 'none' && mode === 'disable',
    ...(rootCertificate !== undefined && { rootCertificate }),
    ...(url.password !== '' && { password: decoded(url.password) }),
    place: `${isIP(host) === 6 ? `[${host}]` : host}:${port}/${database}`,
  };
}

const EXPECTED = () => t`The archive's address is written as postgres://USER@HOST:5432/DATABASE.`;

function refused(message: string): ArchiveError {
  return new ArchiveError(message, 'refused');
}

function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'postgres:' && url?.protocol !== 'postgresql:') throw refused(EXPECTED());
  return url;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone percent sign.
    throw refused(EXPECTED());
  }
}

function tlsOf(mode: string | null, authority: string | null, host: string): ArchiveAddress['tls'] {
  if (authority === '') throw refused(t`sslrootcert in the archive's address names no file.`);
  if (mode !== null && WITH_TLS.has(mode)) return 'verified';
  const isHere = host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
  // Who names an authority wants it asked.
  if (mode === null) return isHere && authority === null ? 'none' : 'verified';
  if (mode === 'disable' && isHere && authority !== null)
    throw refused(
      t`sslmode=disable and sslrootcert cannot both stand in the archive's address: without TLS no certificate is checked.`,
    );
  if (mode === 'disable' && isHere) return 'none';
  throw refused(
    t`sslmode=${mode} cannot stand in the archive's address: connections to another computer are always encrypted, and its certificate is checked.`,
  );
}
