import { isBridgeFormat, type FileFormat } from '../../core/ports/exportFormats.js';
import { bridgeChunks } from '../bridges/bridgeChunks.js';
import type { ExportOptions } from '../exportFormat.js';
import { exportChunks } from '../exportMessages.js';

/** The text of an export in any format that is one file, chunk by chunk; see `exportChunks` and `bridgeChunks`. */
export function fileChunks(
  items: Iterable<unknown> | AsyncIterable<unknown>,
  format: FileFormat,
  options: ExportOptions = {},
): AsyncGenerator<string, void> {
  return isBridgeFormat(format) ? bridgeChunks(items, format, options) : exportChunks(items, format, options);
}
