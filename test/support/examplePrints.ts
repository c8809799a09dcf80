/** What each program in `examples/` prints, or a part of it where it is long. */
export const examplePrints: Readonly<Record<string, string>> = {
  '01-ask-messages.mjs': `4 messages, 2 of them about read_file
read_file answered: const factor = serves / people;
The answer was: The factor is upside down.`,
  '02-run-a-team.mjs': `done: Bake them at 180 degrees.
Cookie said: 180 degrees.
8 messages of all agents`,
  '03-tools-and-approvals.mjs': `It is at 180 degrees.
It stays cold.`,
  '04-store-and-read-back.mjs': 'What is missing?: Butter.',
  '05-import-and-export.mjs': 'claude-code: 1 conversation, 0 problems',
};
