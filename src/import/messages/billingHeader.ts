/** What Claude Code puts in front of its instructions for the provider's accounts; it changes with each request. */
const BILLING = /^x-anthropic-billing-header:[^\n]*\n?/;

/** Instructions by what they tell the model. */
export function withoutBilling(instructions: string): string {
  return instructions.replace(BILLING, '');
}
