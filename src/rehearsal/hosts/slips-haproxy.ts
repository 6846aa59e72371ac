/** The sections of a haproxy.cfg: each a list of lines that begins with its header. */
function sectionsOf(text: string): string[][] {
  const sections: string[][] = [[]];
  for (const line of text.split('\n')) {
    if (/^(?:global|defaults|frontend|backend|listen)\b/.test(line)) sections.push([]);
    sections.at(-1)?.push(line);
  }
  return sections;
}

const join = (sections: readonly (readonly string[])[]) => sections.flat().join('\n');
const isMember = (line: string) => /^\s*server\s/.test(line);
const goesTo = (section: readonly string[], port: number) =>
  section.some((line) => isMember(line) && new RegExp(`:${port}(?:\\s|$)`).test(line));

/** The configuration without these members in the pools of a port. */
export function dropMembers(text: string, port: number, addresses: readonly string[]): string {
  const isGone = (line: string) => isMember(line) && addresses.some((address) => addressOf(line, port) === address);
  return join(sectionsOf(text).map((section) => section.filter((line) => !isGone(line))));
}

/** The configuration with these members, and no others, in the pools of a port. */
export function replaceMembers(text: string, port: number, addresses: readonly string[]): string {
  return join(
    sectionsOf(text).map((section) => {
      const first = section.findIndex(isMember);
      if (!goesTo(section, port)) return section;
      const others = section.filter((line) => !isMember(line));
      const members = addresses.map((address, index) => `    server node${index + 1} ${hostOf(address)}:${port} check`);
      return [...others.slice(0, first), ...members, ...others.slice(first)];
    }),
  );
}

/** The configuration whose HTTP checks of a port are sent without TLS. */
export function withoutTls(text: string, port: number): string {
  return join(
    sectionsOf(text).map((section) =>
      goesTo(section, port) ? section.map((line) => line.replace(/ check-ssl| verify none/g, '')) : section,
    ),
  );
}

/** The configuration that ends a connection after ten seconds of silence. */
export function shortTimeouts(text: string): string {
  return text.replace(/^(?<head>\s*timeout (?:client|server|tunnel)\s+)\S+/gm, '$<head>10s');
}

function hostOf(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

function addressOf(line: string, port: number): string | null {
  const found = new RegExp(`\\s\\[?([^\\s\\]]+?)\\]?:${port}(?:\\s|$)`).exec(line);
  return found?.[1] ?? null;
}
