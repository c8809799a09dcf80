import { t } from '../core/l10n.js';
import { errorCode } from '../core/errorCode.js';
import { messageOf } from '../core/text.js';

/**
 * What kind of failure it is. `away`: the server cannot be reached or has broken off, so that trying again later may help;
 * `refused`: it will be refused again until somebody changes something; `differs`: it is one conversation that cannot be pushed.
 */
export type ArchiveFailure = 'away' | 'refused' | 'differs';

/** A failure of the archive, told so that a person knows what to do. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';

  /** Its kind, as it travels between threads. */
  get code(): string {
    return this.kind;
  }

  constructor(
    message: string,
    readonly kind: ArchiveFailure,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** What answered is no PostgreSQL: its message is what it said first. */
export class NotADatabase extends Error {
  override readonly name = 'NotADatabase';
}

/** The code of the system's or the server's error that an error of the archive tells of; '' for none. */
export function codeOfCause(error: unknown): string {
  const cause = error instanceof Error ? (error.cause as { readonly code?: unknown } | undefined) : undefined;
  return typeof cause?.code === 'string' ? cause.code : '';
}

/** The server wants the password itself, and nothing encrypts it on its way. */
export function notInClear(place: string): ArchiveError {
  return new ArchiveError(
    t`The archive ${place} wants the password in clear, and the connection is not encrypted. Let the server ask by SCRAM or speak TLS, or write sslmode=disable into the archive's address if everything on this computer may read it.`,
    'refused',
  );
}

/** The words for an error of the client, of the system or of the server. `place`: `host:port/database`. */
export function archiveErrorOf(error: unknown, place: string): ArchiveError {
  if (error instanceof ArchiveError) return error;
  const told = messageOf(error);
  const code = error instanceof NotADatabase ? OTHER : codeOf(error);
  const row = ROWS.find(({ is }) => is.test(`${code} ${told}`)) ?? REFUSED;
  return new ArchiveError(row.words(place, told), row.kind, { cause: error });
}

const OTHER = 'OTHER_SERVER';

interface ErrorRow {
  /** What it is known by: its code, a space and its message. */
  readonly is: RegExp;
  readonly kind: ArchiveFailure;
  readonly words: (place: string, told: string) => string;
}

const REFUSED: ErrorRow = {
  is: /^/,
  kind: 'refused',
  words: (place, told) => t`The archive ${place} refused: ${told}`,
};

/** What servers, systems and the client call what may go wrong, and what can be done about it; the first that fits counts. */
const ROWS: readonly ErrorRow[] = [
  {
    is: /^OTHER_SERVER (?:HTTP\/|<)/,
    kind: 'refused',
    words: (place) =>
      t`What answers at ${place} is a web server or a proxy, no PostgreSQL. Check host and port of the archive's address, and whether a proxy stands between.`,
  },
  {
    is: /^OTHER_SERVER /,
    kind: 'refused',
    words: (place, told) =>
      t`What answers at ${place} is no PostgreSQL: it begins with ${JSON.stringify(told.slice(0, 30))}. Check host and port of the archive's address.`,
  },
  {
    is: /^(?:42601|0A000|42704) /,
    kind: 'refused',
    words: (place, told) =>
      t`The server at ${place} does not know a statement of the archive: ${told}. It needs PostgreSQL 12 or newer, or a server that knows the same statements.`,
  },
  {
    is: /^ECONNREFUSED /,
    kind: 'away',
    words: (place) =>
      t`No server answers at ${place}. Check the archive's address, and whether the server runs.`,
  },
  {
    is: /^(?:ENOTFOUND|EAI_AGAIN) /,
    kind: 'away',
    words: (place) => t`The host of the archive ${place} is not known. Check its address and your network.`,
  },
  {
    is: /^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH) |timeout expired|Query read timeout/i,
    kind: 'away',
    words: (place) =>
      t`The archive ${place} does not answer. Check its address, your network, a VPN or a firewall.`,
  },
  {
    is: /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(?:VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT\w*)) /,
    kind: 'refused',
    words: (place) =>
      t`Nobody who is trusted here vouches for the certificate of ${place}. Name the file of the authority that does, with sslrootcert=FILE in the archive's address.`,
  },
  {
    is: /^ERR_TLS_CERT_ALTNAME_INVALID /,
    kind: 'refused',
    words: (place) =>
      t`The certificate of ${place} is for another host. Write the host in the archive's address as the certificate names it.`,
  },
  {
    is: /^(?:CERT_HAS_EXPIRED|CERT_NOT_YET_VALID) /,
    kind: 'refused',
    words: (place) =>
      t`The certificate of ${place} is not valid now. Its owner has to renew it; check this computer's clock too.`,
  },
  {
    is: /^28(?:P01|000) /,
    kind: 'refused',
    words: (place) =>
      t`The archive ${place} does not let this user in with this password. Set the password again, and check the user in the address.`,
  },
  {
    is: /SASL|SCRAM|password must be a string|no password supplied/i,
    kind: 'refused',
    words: (place) =>
      t`The archive ${place} wants another password. Set it with the command Set Archive Password, or on the command line with AGENT_LOGBOOK_ARCHIVE_PASSWORD.`,
  },
  {
    is: /^3D000 /,
    kind: 'refused',
    words: (place) =>
      t`There is no such database at ${place}. Create it, or correct the name at the end of the address.`,
  },
  {
    is: /^42501 /,
    kind: 'refused',
    words: (place, told) =>
      t`The user of the archive ${place} may not do this: ${told}. docs/archive.md has the rights that are needed.`,
  },
  {
    is: /^(?:53100|58030) /,
    kind: 'away',
    words: (place, told) =>
      t`The disk of the archive's server ${place} is full or broken: ${told}. What is recorded here stays here and is pushed later.`,
  },
  {
    is: /^53\d{3} /,
    kind: 'away',
    words: (place, told) => t`The archive's server ${place} is overloaded: ${told}.`,
  },
  {
    is: /^25006 /,
    kind: 'refused',
    words: (place, told) =>
      t`The archive ${place} can only be read at the moment: ${told}. Name the server that takes writes.`,
  },
  {
    is: /^(?:57P0\d|08[0-9]{3}|40001|40P01) /,
    kind: 'away',
    words: (place, told) => t`The archive's server ${place} is stopping, starting or busy: ${told}.`,
  },
  {
    is: /does not support SSL/i,
    kind: 'refused',
    words: (place) =>
      t`The server at ${place} offers no TLS. Without it, passwords and transcripts could be read on the way; only a server on this computer may do without.`,
  },
  {
    is: /error establishing an SSL/i,
    kind: 'refused',
    words: (place) =>
      t`What answers at ${place} speaks no TLS as PostgreSQL does: another program or a proxy. Check host and port.`,
  },
  {
    is: /^(?:ECONNRESET|EPIPE) |terminated|Connection ended|closed|not queryable/i,
    kind: 'away',
    words: (place) => t`The connection to the archive ${place} broke off.`,
  },
];

/** The code of the system or the server; of several attempts to connect, that of the first. */
function codeOf(error: unknown): string {
  return error instanceof AggregateError ? codeOf(error.errors[0]) : errorCode(error);
}
