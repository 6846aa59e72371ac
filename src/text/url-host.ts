/** A host as it stands in a URL and before a port: `172.16.0.1` and a name as they are, `2001:db8::1` in brackets. */
export function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
