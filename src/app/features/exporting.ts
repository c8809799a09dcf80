import { MessageQuery } from '../../export/messageQuery.js';
import type { AccumulatedMessage, MessageAccumulator } from '../../core/record/messageAccumulator.js';
import { encodingForModel } from '../../query/tokens/encodingForModel.js';
import { loadTokenCounter } from '../../query/tokens/loadTokenCounter.js';

/** Writing transcripts in other forms, and asking the messages of a window. */
export { exportRecords } from '../../search/reader/exportRecords.js';

/**
 * A query over what is in an accumulator at each question, whose tokens are counted in the encoding of a model. Loads
 * the ranks; rejects where they are missing.
 */
export async function messagesSoFar(
  accumulator: Pick<MessageAccumulator, 'all'>,
  model: string,
): Promise<MessageQuery<AccumulatedMessage>> {
  const tokenCounter = await loadTokenCounter(encodingForModel(model).encoding);
  return new MessageQuery(() => accumulator.all(), { tokenCounter });
}
