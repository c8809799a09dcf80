import type { FileHandle } from 'node:fs/promises';
import type { SchemaElement } from 'hyparquet-writer';
import { columnsOf, type ColumnType, type TableName, type TableRow } from './tableColumns.js';
import type * as Package from './parquetPackage.js';

/** How many rows are written together at most, as a group that a reader can skip. */
const MAX_GROUP_ROWS = 10_000;

/** How long the texts of a group may be together, in UTF-16 code units: what a table holds in memory. */
const MAX_GROUP_TEXT = 8 * 1024 * 1024;

/** How much of the numbers a `whole` can hold exactly here; larger ones are no count of anything. */
const asWhole = (value: number) => BigInt(Math.trunc(value));

/** What a value becomes for the writer; a number that is none, or a time that no date can have, is left empty. */
const CONVERT: Readonly<Record<ColumnType, (value: unknown) => unknown>> = {
  text: (value) => value,
  whole: (value) => (Number.isFinite(value) ? asWhole(value as number) : undefined),
  number: (value) => (Number.isFinite(value) ? value : undefined),
  boolean: (value) => value,
  time: (value) => (Math.abs(value as number) <= 8.64e15 ? asWhole(value as number) : undefined),
};

function elementOf(name: string, type: ColumnType, isOptional: boolean): SchemaElement {
  const repetition_type = isOptional ? 'OPTIONAL' : 'REQUIRED';
  switch (type) {
    case 'text':
      return { name, repetition_type, type: 'BYTE_ARRAY', converted_type: 'UTF8' };
    case 'whole':
      return { name, repetition_type, type: 'INT64' };
    case 'number':
      return { name, repetition_type, type: 'DOUBLE' };
    case 'boolean':
      return { name, repetition_type, type: 'BOOLEAN' };
    case 'time':
      return {
        name,
        repetition_type,
        type: 'INT64',
        converted_type: 'TIMESTAMP_MILLIS',
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
      };
  }
}

/** Writes one table to a file, group by group: what it holds in memory does not grow with the rows. */
export class ParquetTable<Name extends TableName> {
  readonly #columns: readonly {
    readonly name: string;
    readonly type: ColumnType;
    readonly isOptional: boolean;
    values: unknown[];
  }[];
  readonly #bytes: InstanceType<typeof Package.ByteWriter>;
  readonly #writer: InstanceType<typeof Package.ParquetWriter>;
  readonly #file: FileHandle;
  #held = 0;
  #text = 0;
  #rows = 0;

  constructor(name: Name, file: FileHandle, { ByteWriter, ParquetWriter }: typeof Package) {
    this.#file = file;
    this.#columns = columnsOf(name).map(([column, { type, none }]) => ({
      name: column,
      type,
      isOptional: none !== undefined,
      values: [],
    }));
    this.#bytes = new ByteWriter();
    this.#writer = new ParquetWriter({
      writer: this.#bytes,
      createdBy: 'Agent Logbook',
      schema: [
        { name: 'root', num_children: this.#columns.length },
        ...this.#columns.map(({ name: column, type, isOptional }) => elementOf(column, type, isOptional)),
      ],
    });
  }

  /** How many rows were added. */
  get rows(): number {
    return this.#rows;
  }

  /** How many bytes the file has. */
  get bytes(): number {
    return this.#bytes.offset;
  }

  /** Whether so much is held that it is time to write it. */
  get isFull(): boolean {
    return this.#held >= MAX_GROUP_ROWS || this.#text >= MAX_GROUP_TEXT;
  }

  /** Adds a row, which waits in memory. */
  add(row: TableRow<Name>): void {
    for (const { name, type, isOptional, values } of this.#columns) {
      const value = (row as Readonly<Record<string, unknown>>)[name];
      const made = value === undefined ? undefined : CONVERT[type](value);
      values.push(made ?? (isOptional ? null : EMPTY[type]));
      if (typeof made === 'string') this.#text += made.length;
    }
    this.#held++;
    this.#rows++;
  }

  /** Writes what is held. */
  async write(): Promise<void> {
    if (this.#held === 0) return;
    const columnData = this.#columns.map(({ name, values }) => ({ name, data: values }));
    await this.#writer.write({ columnData, rowGroupSize: this.#held });
    for (const column of this.#columns) column.values = [];
    this.#held = 0;
    this.#text = 0;
    await this.#flush();
  }

  /** Writes what is held and the end of the file. */
  async end(): Promise<void> {
    await this.write();
    await this.#writer.finish();
    await this.#flush();
  }

  async #flush(): Promise<void> {
    await this.#file.writeFile(this.#bytes.getBytes());
    this.#bytes.index = 0;
  }
}

/** What stands in a column that always has a value where a hostile record gives it one that cannot be written. */
const EMPTY: Readonly<Record<ColumnType, unknown>> = {
  text: '',
  whole: 0n,
  number: 0,
  boolean: false,
  time: 0n,
};
