import type {
  ConversationOutcome,
  ConversationRequest,
  ConversationRunner,
} from '../../src/core/ports/conversationRunner.js';

export type Script = (request: ConversationRequest) => ConversationOutcome | Promise<ConversationOutcome>;

/** Runs prompts as told: the default answers `answer to <prompt>` in conversation `c1`, `c2`, … per new one. */
export class ScriptedRunner implements ConversationRunner {
  /** What was asked, as `conversation agent: prompt`, `-` for what was not given. */
  readonly asked: string[] = [];
  names: readonly string[] = ['Pickle', 'Cookie'];
  #begun = 0;

  constructor(public script?: Script) {}

  agents(): Promise<readonly string[]> {
    return Promise.resolve(this.names);
  }

  async run(request: ConversationRequest): Promise<ConversationOutcome> {
    this.asked.push(`${request.conversation ?? '-'} ${request.agent ?? '-'}: ${request.prompt}`);
    const conversation = request.conversation ?? `c${++this.#begun}`;
    return this.script?.(request) ?? { conversation, answer: `answer to ${request.prompt}` };
  }
}

/** Never ends, unless it is cancelled. */
export const untilCancelled: Script = ({ signal }) =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve({ failure: 'cancelled' }), { once: true });
  });

/** Asks Cookie before it answers `answer to …`. */
export const askingCookie: Script = ({ prompt, frontend, conversation = 'c' }) => {
  void frontend.showDispatchStart('Pickle', 'Cookie', `bake for ${prompt}`);
  void frontend.showDispatchResult('Pickle', 'Cookie', 'baked');
  return { conversation, answer: `answer to ${prompt}` };
};

/** What a user sees of one question that was answered by `askingCookie`. */
export function story(prompt: string, user: string, bot: string): readonly string[] {
  return [
    `${user}: ${prompt}`,
    `${bot}: Pickle: @cookie bake for ${prompt}`,
    `${bot}: Cookie: - baked`,
    `${bot}: answer to ${prompt}`,
  ];
}
