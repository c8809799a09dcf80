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

/** Connections for pushing; all are to be closed. */
export interface OpenArchive {
  readonly connections: readonly [ArchiveConnection, ...ArchiveConnection[]];
  close(): Promise<void>;
}

/** How many connections push: while the server stores what came over one, the next is made. */
const CONNECTIONS = 3;

/** Connects to the archive at an address to push there; makes its tables where there are none. */
export async function openForPushing(address: string, connecting: Connecting): Promise<OpenArchive> {
  const first = await openArchive(address, connecting, true);
  const connections: [ArchiveConnection, ...ArchiveConnection[]] = [first];
  const close = async () => {
    await Promise.all(connections.map((each) => each.close()));
  };
  try {
    while (connections.length < CONNECTIONS) connections.push(await openArchive(address, connecting, false));
    return { connections, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A failure of the archive as one for a person; any other stays. */
export function archiveProblem(error: unknown): unknown {
  return error instanceof ArchiveError ? new UserError(error.message) : error;
}
