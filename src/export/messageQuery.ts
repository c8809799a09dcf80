import { checkOptions, inCamelCase, type InEitherCase, type KnownOptions } from '../core/checkOptions.js';
import { codedError } from '../core/errorCode.js';
import { endsWithin } from '../node/patterns/timeGuard.js';
import { PATTERN_TOO_SLOW } from '../core/ports/patternMatcher.js';
import type { ToolCallInfo } from '../query/numbers/answers.js';
import { readCriteria, type FilterCriteria } from '../query/filterCriteria.js';
import { MessageQuestions, type QueryOptions } from '../query/messageQuestions.js';
import { type MessageDict, exportMessages } from './exportMessages.js';

import { exportOptionKinds, type ExportFormat, type ExportOptions, type TextFormat } from './exportFormat.js';

/** How a query exports, and which of its messages. */
export interface QueryExportOptions extends ExportOptions {
  /** The messages to export; absent: all. */
  readonly messages?: readonly unknown[] | undefined;
}

/** Options of a query that may also bound patterns. */
export interface MessageQueryOptions extends QueryOptions {
  /**
   * How long a filter by a pattern may take, in milliseconds, all messages together; a longer one throws. Absent: as long
   * as it takes, which for some patterns is forever.
   */
  readonly maxPatternMs?: number | undefined;
}

const queryOptionKinds: KnownOptions<MessageQueryOptions> = {
  tokenCounter: 'object',
  prices: 'object',
  maxPatternMs: 'count',
};

const queryExportKinds: KnownOptions<QueryExportOptions> = { ...exportOptionKinds, messages: 'list' };

/**
 * Queries over messages, and their export: see exportMessages and exportChunks. For a program both are one thing, so this
 * extends the questions; panels ask those alone and load no exporter (`query` may not know of `export`). Options and
 * criteria may be written in snake_case too; an unknown one is refused by name.
 */
export class MessageQuery<Item = unknown> extends MessageQuestions<Item> {
  readonly #maxPatternMs: number | undefined;

  constructor(
    items: readonly Item[] | (() => readonly Item[]),
    given: InEitherCase<MessageQueryOptions> = {},
  ) {
    const options = inCamelCase(given, queryOptionKinds);
    checkOptions(options, queryOptionKinds, 'MessageQuery');
    super(items, options);
    this.#maxPatternMs = options.maxPatternMs;
  }

  /** As in MessageQuestions; throws PATTERN_TOO_SLOW for a pattern that takes longer than `maxPatternMs`. */
  override filter(criteria: InEitherCase<FilterCriteria> = {}): Item[] {
    const maxMs = this.#maxPatternMs;
    if (maxMs === undefined || !hasPattern(readCriteria(criteria))) return super.filter(criteria);
    let found: Item[] = [];
    const isDone = endsWithin(maxMs, () => void (found = super.filter(criteria)));
    if (!isDone) throw codedError(Error, PATTERN_TOO_SLOW, 'PATTERN_TOO_SLOW');
    return found;
  }

  /** The same as `toolSummary`. */
  tool_summary(): ToolCallInfo[] {
    return this.toolSummary();
  }

  /** Exports the messages, or a subset. Throws an error that names the valid formats for any other format. */
  export(format: 'dict', options?: InEitherCase<QueryExportOptions>): MessageDict[];
  export(format: TextFormat, options?: InEitherCase<QueryExportOptions>): string;
  export(format: ExportFormat, options?: InEitherCase<QueryExportOptions>): string | MessageDict[];
  export(format: ExportFormat, given: InEitherCase<QueryExportOptions> = {}): string | MessageDict[] {
    const options = inCamelCase(given, queryExportKinds);
    checkOptions(options, queryExportKinds, 'export');
    const { messages, ...rest } = options;
    const { tokenCounter, prices } = this;
    const defaults = { tokenCounter, prices, isSubset: messages !== undefined };
    return exportMessages(messages ?? this.items, format, { ...defaults, ...rest });
  }
}

function hasPattern({ regex, content, text }: FilterCriteria): boolean {
  return regex === true || content instanceof RegExp || text instanceof RegExp;
}
