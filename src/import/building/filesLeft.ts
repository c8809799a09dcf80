import type { Problem } from '../../core/agent.js';

/** What is told where there are more files beside a transcript than are looked at; nothing where all were. */
export function leftOf(left: number): readonly Problem[] {
  if (left === 0) return [];
  const files = left.toLocaleString('en-US');
  const message = `${files} more files beside it were not looked at; subagents may be missing.`;
  return [{ severity: 'warning', message }];
}
