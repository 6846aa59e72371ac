import type { Evidence } from '../evidence.ts';

/** Ports that lead into the cluster. */
const PORTS: ReadonlySet<string> = new Set(['6443', '22623', '443', '80']);

/** A section of a HAProxy file that listens, or that has members (configuration manual, 4.1). */
export interface Section {
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

type File = Evidence['files'][number];
/** What was read already: each cause of a balancer asks for the same. */
const read = new WeakMap<File, readonly Section[]>();

/** The sections of the HAProxy files on the service hosts. */
export function haproxySections({ files }: Evidence): Section[] {
  return files.flatMap((file) => {
    if (file.kind !== 'haproxy') return [];
    const sections = read.get(file) ?? sectionsOf(file);
    read.set(file, sections);
    return sections;
  });
}

function sectionsOf({ host, path, text }: File): Section[] {
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
    const portsOf = (pattern: RegExp) => lines.flatMap((line) => pattern.exec(line)?.[1] ?? []);
    const binds = portsOf(/^bind \S*:(\d+)\b/).filter((port) => PORTS.has(port));
    return { host, path, kind: kindOf(kind), name, lines, binds, members: portsOf(/^server \S+ \S+:(\d+)\b/) };
  });
}

function kindOf(word: string): Section['kind'] {
  return word === 'frontend' || word === 'backend' || word === 'listen' || word === 'defaults' ? word : 'global';
}

/** Whether traffic of the cluster passes a section. */
export function isOfCluster({ binds, members }: Section): boolean {
  return binds.length > 0 || members.some((port) => PORTS.has(port));
}

/** A line of a section, as a proof. */
export function lineClue({ host, path, name }: Section, line: string, likelihood: 'certain' | 'likely' = 'certain') {
  const symptom = `${path} on ${host}: ${[name, line].filter((each) => each !== '').join(': ')}`;
  const [word = ''] = line.split(' ');
  return { likelihood, subject: host, symptom, command: `ssh ${host} grep -n ${word} ${path}` };
}
