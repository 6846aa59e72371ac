import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const src = join(import.meta.dirname, '../../src');
/** The checks of infra moves stand with the moves. */
const hasChecks = (name: string) => /^(?:checks|infra)\//.test(name);

/** Reads all sources of a folder, as one text. */
export function readSources(dir: string, isWanted: (name: string) => boolean = () => true): string {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && isWanted(name),
  );
  return names.map((name) => readFileSync(join(dir, name), 'utf8')).join('\n');
}

/** Lists the ids of all checks that the sources create, so that none is missing that no table has. */
export function listCheckIds(source = readSources(src, hasChecks)): string[] {
  return listIds(source, /(?:check\(|create(?:Site)?CheckFactory.*\('\w+'\)\()\s*'([a-z\d-]+)'/gi);
}

/** Lists the ids of all diagnostic rules that the sources create. */
export function listRuleIds(source = readSources(src, hasChecks)): string[] {
  return listIds(source, /createDiagnosticRule\(\s*'([a-z\d-]+)'/g);
}

function listIds(source: string, pattern: RegExp): string[] {
  return [...new Set([...source.matchAll(pattern)].map(([, id]) => id ?? ''))].toSorted();
}
