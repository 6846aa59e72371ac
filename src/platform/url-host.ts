/**
 * Returns a host as written in a URL and before a port: `172.16.0.1` and names unchanged, `2001:db8::1` in brackets.
 */
export function formatUrlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
