import type { ChatMessage, ContentPart } from '../../core/message.js';
import { picturesOf } from '../../core/picture.js';

/**
 * A user message with the pictures of tool answers, or undefined where there are none. Tool answers may contain only
 * text in this protocol, so pictures follow the last of them.
 */
export function picturesAfter(results: readonly ChatMessage[]): ChatMessage | undefined {
  const content = results.flatMap(({ content: parts, tool_call_id: id }): readonly ContentPart[] => {
    const pictures = picturesOf(parts);
    if (pictures.length === 0) return [];
    return [{ type: 'text', text: `Pictures in the answer to the tool call ${id}:` }, ...pictures];
  });
  return content.length === 0 ? undefined : { role: 'user', content };
}

/** Whether an endpoint's refusal may be because it or its model accepts no pictures. */
export function refusesPictures({ status, message }: { status?: number; message: string }): boolean {
  if (status === undefined || ![400, 404, 413, 415, 422, 500, 501].includes(status)) return false;
  return status === 413 || /image|vision|visual|multi-?modal|mmproj|picture/i.test(message);
}
