/** What of hyparquet-writer is used: a bundle of its own, which is loaded when tables are first written. */
export { ByteWriter, ParquetWriter } from 'hyparquet-writer';
