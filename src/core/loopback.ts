/** Whether a host, as `URL` writes it, can only mean this machine, so that nothing goes over a network. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
