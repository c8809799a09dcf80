/** By what a session of a tool is known again, in whichever file, window, copy or import it comes up. */
export interface SessionKey {
  readonly tool: string;
  readonly session: string;
}

/** What tells the sessions of all tools apart. */
export const sessionKey = ({ tool, session }: SessionKey): string => JSON.stringify([tool, session]);

/** By what the session of a conversation is known again: that which it was made of, else it is our own. */
export function keyOfConversation(id: string, origin: SessionKey | undefined): SessionKey {
  const { tool, session } = origin ?? { tool: 'agent-logbook', session: id };
  return { tool, session };
}
