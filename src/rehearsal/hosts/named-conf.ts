import { isAbsolute, join } from 'node:path';

/** A zone as named.conf declares it. */
export interface DeclaredZone {
  readonly name: string;
  readonly type: 'primary' | 'secondary';
  /** The path on the host; null for a secondary that keeps no copy. */
  readonly file: string | null;
  readonly primaries: readonly string[];
}

/** What the zones of one configuration file are; forward and hint zones are left out. */
export function parseNamedConf(text: string): { readonly directory: string | null; readonly zones: DeclaredZone[] } {
  const bare = text.replace(/"[^"]*"|\/\*[\s\S]*?\*\/|\/\/.*$|#.*$/gm, (part) => (part.startsWith('"') ? part : ' '));
  if (bare.split('{').length !== bare.split('}').length) throw new Error('unbalanced braces');
  const directory = /\bdirectory\s+"([^"]+)"/.exec(bare)?.[1] ?? null;
  const zones: DeclaredZone[] = [];
  for (const match of bare.matchAll(/\bzone\s+"?([^\s"{]+)"?\s*(?:IN|in)?\s*\{/g)) {
    const body = blockAt(bare, (match.index ?? 0) + match[0].length);
    const zone = zoneOf(match[1] ?? '', body, directory);
    if (zone) zones.push(zone);
  }
  return { directory, zones };
}

function zoneOf(name: string, body: string, directory: string | null): DeclaredZone | null {
  const type = /\btype\s+(\w+)/.exec(body)?.[1];
  if (type !== 'master' && type !== 'primary' && type !== 'slave' && type !== 'secondary') return null;
  const file = /\bfile\s+"([^"]+)"/.exec(body)?.[1] ?? null;
  const list = /\b(?:masters|primaries)\b[^{]*\{([^}]*)\}/.exec(body)?.[1] ?? '';
  return {
    name: name.replace(/\.$/, ''),
    type: type === 'master' || type === 'primary' ? 'primary' : 'secondary',
    file: file !== null && !isAbsolute(file) ? join(directory ?? '/var/named', file) : file,
    primaries: list
      .split(';')
      .map((entry) => entry.trim().split(/\s/)[0] ?? '')
      .filter((entry) => entry !== ''),
  };
}

/** The text from `start` (just behind an opening brace) to its closing brace. */
function blockAt(text: string, start: number): string {
  let depth = 1;
  for (let index = start; index < text.length; index += 1) {
    if (text[index] === '{') depth += 1;
    if (text[index] === '}') depth -= 1;
    if (depth === 0) return text.slice(start, index);
  }
  return text.slice(start);
}
