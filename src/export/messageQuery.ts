import { MessageQuestions } from '../query/messageQuestions.js';
import type { MessageDict } from './dictExport.js';
import type { ExportFormat, ExportOptions, TextFormat } from './exportFormat.js';
import { exportMessages } from './exportMessages.js';

/** How a query exports, and which of its messages. */
export interface QueryExportOptions extends ExportOptions {
  /** The messages to export; absent: all. */
  readonly messages?: readonly unknown[] | undefined;
}

/** Queries over messages, and their export: see MessageQuestions, exportMessages and exportChunks. */
export class MessageQuery<Item = unknown> extends MessageQuestions<Item> {
  /** Exports the messages, or a subset. Throws an error that names the valid formats for any other format. */
  export(format: 'dict', options?: QueryExportOptions): MessageDict[];
  export(format: TextFormat, options?: QueryExportOptions): string;
  export(format: ExportFormat, options?: QueryExportOptions): string | MessageDict[];
  export(format: ExportFormat, options: QueryExportOptions = {}): string | MessageDict[] {
    const { messages, ...rest } = options;
    const defaults = { tokenCounter: this.tokenCounter, isSubset: messages !== undefined };
    return exportMessages(messages ?? this.items, format, { ...defaults, ...rest });
  }
}
