/** What a question in the Chat view asks for. */
export type ChatQuestion =
  | { readonly kind: 'prompt'; readonly prompt: string }
  | { readonly kind: 'run'; readonly agent: string; readonly prompt: string }
  | { readonly kind: 'unknownAgent' };

/** Parses `/run AGENT PROMPT` or a plain prompt; names may contain spaces, may start with `@`, and ignore letter case. */
export function chatQuestion(
  command: string | undefined,
  text: string,
  agents: readonly string[],
): ChatQuestion {
  const said = text.trim();
  if (command !== 'run') return { kind: 'prompt', prompt: said };
  const asked = said.replace(/^@/, '');
  const named = agents.filter((name) => beginsWith(asked, name)).sort((a, b) => b.length - a.length);
  const [agent] = named;
  if (agent === undefined) return { kind: 'unknownAgent' };
  return { kind: 'run', agent, prompt: asked.slice(agent.length).trim() };
}

function beginsWith(text: string, name: string): boolean {
  const rest = text.slice(name.length);
  return text.slice(0, name.length).toLowerCase() === name.toLowerCase() && (rest === '' || /^\s/.test(rest));
}
