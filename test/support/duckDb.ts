/** Runs a statement of SQL; gives the names of the columns and then the rows, all as texts. */
export type SqlRunner = (statement: string) => Promise<readonly (readonly string[])[]>;

/** DuckDB, which has a binary for most platforms and none for some. */
export const duckDb = await loaded();

async function loaded() {
  try {
    const { DuckDBInstance } = await import('@duckdb/node-api');
    /** A database in memory that looks for files in a folder; it has no way to the network. */
    const open = async (folder: string): Promise<SqlRunner> => {
      const connection = await (await DuckDBInstance.create()).connect();
      const quoted = folder.replaceAll("'", "''");
      await connection.run(
        `SET file_search_path = '${quoted}'; SET TimeZone = 'UTC'; SET autoinstall_known_extensions = false`,
      );
      return async (statement) => {
        const result = await connection.runAndReadAll(statement);
        const rows = result.getRowsJson().map((row) => row.map((value) => cellOf(value)));
        return [result.columnNames(), ...rows];
      };
    };
    return { isThere: true, why: '', open };
  } catch (error) {
    const why = `has no binary for ${process.platform} ${process.arch} here: ${String(error)}`;
    if (process.env.CI !== undefined && process.platform === 'linux' && process.arch === 'x64') throw error;
    const open = (): Promise<SqlRunner> => Promise.reject(new Error(why));
    return { isThere: false, why, open };
  }
}

const cellOf = (value: unknown): string =>
  value === null ? 'null' : typeof value === 'string' ? value : JSON.stringify(value);
