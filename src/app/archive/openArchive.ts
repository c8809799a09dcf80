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

/** A failure of the archive as one for a person; any other stays. */
export function archiveProblem(error: unknown): unknown {
  return error instanceof ArchiveError ? new UserError(error.message) : error;
}
