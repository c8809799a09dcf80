/** Where an answer of a model is asked for, in the APIs whose recordings can be read. */
const ASKED =
  /\/(?:chat\/completions|completions|responses|messages|[^/]+:(?:g|streamG)enerateContent|api\/(?:chat|generate))\/*$/;

/** Whether a path of an API is where a model is asked, and not one that counts tokens, embeds texts or logs events. */
export function asksModel(path: string): boolean {
  return ASKED.test(path);
}
