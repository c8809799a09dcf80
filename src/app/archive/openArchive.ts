import { parseArchiveAddress } from '../../archive/archiveAddress.js';
import { ArchiveConnection, type Connecting } from '../../archive/archiveConnection.js';
import { checkSchema } from '../../archive/archiveSchema.js';
import { ArchiveError } from '../../archive/archiveError.js';
import { UserError } from '../userError.js';

/** Connects to the archive at an address and makes sure that it is one. `mayCreate`: whether its tables are made where there are none. */
export async function openArchive(
  address: string,
  connecting: Connecting,
  mayCreate: boolean,
): Promise<ArchiveConnection> {
  try {
    const connection = await ArchiveConnection.open(parseArchiveAddress(address), connecting);
    try {
      await checkSchema(connection, mayCreate);
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  } catch (error) {
    throw archiveProblem(error);
  }
}

/** Connections for pushing. */
export interface OpenArchive {
  /** How many there may be: while the server stores what came over one, the next is made. */
  readonly most: number;
  /** One of them, from 0; opened when it is needed. Rejects with a UserError. */
  connection(at: number): Promise<ArchiveConnection>;
  /** Ends those that are open; one that is needed then is opened again. Never rejects. */
  close(): Promise<void>;
}

const CONNECTIONS = 3;

/** Connects to the archive at an address to push there; makes its tables where there are none. */
export async function openForPushing(address: string, connecting: Connecting): Promise<OpenArchive> {
  const opened = new Map<number, Promise<ArchiveConnection>>();
  const archive: OpenArchive = {
    most: CONNECTIONS,
    connection: (at) => {
      const opening = opened.get(at) ?? openArchive(address, connecting, at === 0);
      opened.set(at, opening);
      return opening;
    },
    close: async () => {
      const open = [...opened.values()];
      opened.clear();
      for (const each of await Promise.allSettled(open))
        if (each.status === 'fulfilled') await each.value.close();
    },
  };
  await archive.connection(0);
  return archive;
}

/** A failure of the archive as one for a person; any other stays. */
export function archiveProblem(error: unknown): unknown {
  return error instanceof ArchiveError ? new UserError(error.message) : error;
}
