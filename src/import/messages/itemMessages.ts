import { isObject } from '../../core/message.js';
import { ConversationBuilder } from '../building/conversationBuilder.js';
import { isMessage, chatMessages } from './anyMessage.js';
import { fields, type Fields } from '../reading/fields.js';
import { ResponseItems } from './responseItems.js';

/** The chat messages that items of OpenAI's Responses API stand for; items of unknown kinds become parts of a message. */
export function itemMessages(items: readonly unknown[]): Fields[] {
  const builder = new ConversationBuilder('items', 'assistant');
  const { entry } = builder;
  const reader = new ResponseItems(builder, entry);
  for (const item of items) {
    const isItem = isObject(item) && (typeof item.type === 'string' || typeof item.role === 'string');
    if (isItem && reader.add(item, {})) continue;
    if (isMessage(item)) for (const message of chatMessages(fields(item))) builder.message(entry, message);
    else builder.message(entry, { role: 'assistant', content: [{ type: 'item', item }] });
  }
  reader.finish();
  return builder.finish().records.flatMap((record) => ('message' in record ? [fields(record.message)] : []));
}
