/** Splits a haproxy.cfg into sections: each is a list of lines that begins with its header. */
function splitSections(text: string): string[][] {
  const sections: string[][] = [[]];
  for (const line of text.split('\n')) {
    if (/^(?:global|defaults|frontend|backend|listen)\b/.test(line)) sections.push([]);
    sections.at(-1)?.push(line);
  }
  return sections;
}

const joinSections = (sections: readonly (readonly string[])[]) => sections.flat().join('\n');
const isServerLine = (line: string) => /^\s*server\s/.test(line);
const routesToPort = (section: readonly string[], port: number) =>
  section.some((line) => isServerLine(line) && new RegExp(`:${port}(?:\\s|$)`).test(line));

/** Removes these members from the pools of a port. */
export function dropMembers(text: string, port: number, addresses: readonly string[]): string {
  const isDropped = (line: string) =>
    isServerLine(line) && addresses.some((address) => parseServerAddress(line, port) === address);
  return joinSections(splitSections(text).map((section) => section.filter((line) => !isDropped(line))));
}

/** Replaces the members of the pools of a port with these. */
export function replaceMembers(text: string, port: number, addresses: readonly string[]): string {
  return joinSections(
    splitSections(text).map((section) => {
      const first = section.findIndex(isServerLine);
      if (!routesToPort(section, port)) return section;
      const others = section.filter((line) => !isServerLine(line));
      const members = addresses.map(
        (address, index) => `    server node${index + 1} ${formatHost(address)}:${port} check`,
      );
      return [...others.slice(0, first), ...members, ...others.slice(first)];
    }),
  );
}

/** Makes the HTTP checks of a port use no TLS. */
export function removeTlsChecks(text: string, port: number): string {
  return joinSections(
    splitSections(text).map((section) =>
      routesToPort(section, port) ? section.map((line) => line.replace(/ check-ssl| verify none/g, '')) : section,
    ),
  );
}

/** Sets the timeouts of silent connections to ten seconds. */
export function shortenTimeouts(text: string): string {
  return text.replace(/^(?<head>\s*timeout (?:client|server|tunnel)\s+)\S+/gm, '$<head>10s');
}

function formatHost(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

function parseServerAddress(line: string, port: number): string | null {
  const found = new RegExp(`\\s\\[?([^\\s\\]]+?)\\]?:${port}(?:\\s|$)`).exec(line);
  return found?.[1] ?? null;
}
