/**
 * Lets what is marked on the page be copied the way its buttons copy, so that it passes what every text passes that leaves the product.
 * What somebody has written into a field is theirs. Until the signal is aborted.
 */
export function copyMarked(copy: (text: string) => void, signal: AbortSignal): void {
  const heard = (event: ClipboardEvent) => {
    const marked = String(document.getSelection() ?? '');
    if (marked === '' || isField(event.target)) return;
    event.preventDefault();
    copy(marked);
  };
  document.addEventListener('copy', heard, { signal });
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
}
