/** Imports a package of `bench/` that may not be installed; what it exports is for the caller to know. */
export async function loadPeer(name: string): Promise<unknown> {
  return import(name);
}
