import type { Evidence } from '../evidence.ts';

const CLUSTER_PORTS: ReadonlySet<string> = new Set(['6443', '22623', '443', '80']);

/** A section of a HAProxy file that listens, or that has members (configuration manual, 4.1). */
export interface HaproxySection {
  readonly host: string;
  readonly path: string;
  readonly kind: 'frontend' | 'backend' | 'listen' | 'defaults' | 'global';
  readonly name: string;
  /** Without comments, one space between words. */
  readonly lines: readonly string[];
  /** Ports of the cluster that it listens on, and ports of its members. */
  readonly binds: readonly string[];
  readonly members: readonly string[];
}

type ConfigFile = Evidence['files'][number];
/** Cache: several load balancer rules read the same file. */
const sectionCache = new WeakMap<ConfigFile, readonly HaproxySection[]>();

/** Returns the sections of the HAProxy files on the service hosts. */
export function haproxySections({ files }: Evidence): HaproxySection[] {
  return files.flatMap((file) => {
    if (file.kind !== 'haproxy') return [];
    const sections = sectionCache.get(file) ?? parseSections(file);
    sectionCache.set(file, sections);
    return sections;
  });
}

function parseSections({ host, path, text }: ConfigFile): HaproxySection[] {
  const sections: { head: string; lines: string[] }[] = [];
  for (const raw of text.split('\n')) {
    const line = raw
      .replace(/(?:^|\s)#.*$/, '')
      .trim()
      .replaceAll(/\s+/g, ' ');
    if (/^(?:frontend|backend|listen|defaults|global)\b/.test(line)) sections.push({ head: line, lines: [] });
    else if (line !== '') sections.at(-1)?.lines.push(line);
  }
  return sections.map(({ head, lines }) => {
    const [kind = '', name = ''] = head.split(' ');
    const matchPorts = (pattern: RegExp) => lines.flatMap((line) => pattern.exec(line)?.[1] ?? []);
    const binds = matchPorts(/^bind \S*:(\d+)\b/).filter((port) => CLUSTER_PORTS.has(port));
    return {
      host,
      path,
      kind: toSectionKind(kind),
      name,
      lines,
      binds,
      members: matchPorts(/^server \S+ \S+:(\d+)\b/),
    };
  });
}

function toSectionKind(word: string): HaproxySection['kind'] {
  return word === 'frontend' || word === 'backend' || word === 'listen' || word === 'defaults' ? word : 'global';
}

/** Whether cluster traffic passes through the section. */
export function isClusterSection({ binds, members }: HaproxySection): boolean {
  return binds.length > 0 || members.some((port) => CLUSTER_PORTS.has(port));
}

/** Returns a line of a section, as a symptom. */
export function lineSymptom(
  { host, path, name }: HaproxySection,
  line: string,
  likelihood: 'certain' | 'likely' = 'certain',
) {
  const symptom = `${path} on ${host}: ${[name, line].filter((each) => each !== '').join(': ')}`;
  const [word = ''] = line.split(' ');
  return { likelihood, subject: host, symptom, command: `ssh ${host} grep -n ${word} ${path}` };
}
