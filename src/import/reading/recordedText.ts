import { parse } from 'yaml';
import { messageOf } from '../../core/text.js';
import type { ProblemSink } from './entries.js';
import { isConsoleText } from './consoleText.js';
import { crewEntries, isCrewText } from './crewText.js';
import { isTextChat } from './textChat.js';
import { isEventStream, serverEvents } from './serverEvents.js';

/** How much of a file tells that it is a recording in a text format, in bytes. */
const HEAD_BYTES = 64 * 1024;

/**
 * The value of a file that records traffic as text: a stream of server-sent events as the list of its events, a VCR
 * cassette in YAML as its object, CrewAI's log as the list of its entries, a history of chats as the text that it is. Undefined for any other file, and for a cassette that cannot be parsed, which is reported.
 */
export function recordedText(bytes: Uint8Array, sink: ProblemSink): { readonly value: unknown } | undefined {
  const head = decode(bytes.subarray(0, HEAD_BYTES));
  if (isEventStream(head)) {
    const events = serverEvents(decode(bytes));
    return events.length > 0 ? { value: events } : undefined;
  }
  if (isCrewText(head)) return { value: crewEntries(decode(bytes)) };
  if (isTextHistory(head)) return { value: decode(bytes) };
  if (
    !/^(?:---\s*\n)?(?:#[^\n]*\n)*(?:(?:http_)?interactions:\s*\n|version:[^\n]*\ninteractions:)/.test(head)
  )
    return undefined;
  try {
    // Cassettes repeat long bodies by reference, but never many times.
    return { value: parse(decode(bytes), { maxAliasCount: 1000 }) as unknown };
  } catch (error) {
    sink.problem('error', `This looks like a cassette in YAML, but cannot be read: ${messageOf(error)}`);
    return undefined;
  }
}

/** Whether a text is a history of chats that a tool writes as a text, and that a format reads: Aider's, chats as Markdown. */
function isTextHistory(head: string): boolean {
  if (/^\s*[[{]/.test(head)) return false;
  return (
    isConsoleText(head) ||
    isTextChat(head) ||
    isCrewText(head) ||
    /^\s*(?:# aider chat started at |(?:TO LLM|LLM RESPONSE) \d{4}-)/.test(head)
  );
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
