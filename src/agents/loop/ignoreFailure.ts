/** Runs something whose failure must not affect the caller: what it throws or rejects with goes to `failed`. */
export function ignoreFailure(act: () => unknown, failed: (error: unknown) => void): void {
  try {
    const result = act();
    if (typeof result === 'object' && result !== null && 'then' in result) {
      Promise.resolve(result).catch(failed);
    }
  } catch (error) {
    failed(error);
  }
}
