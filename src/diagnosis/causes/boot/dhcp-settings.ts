import type { Clue } from '../cause.ts';
import type { Evidence } from '../evidence.ts';
import { keaFile } from './kea-file.ts';

/** What a DHCP server is told to hand out: `of`: the machine, empty for all of a network; `when`: the condition, empty for always. */
interface Setting {
  readonly of: string;
  readonly when: string;
  readonly name: string;
  readonly value: string;
}

interface Settings {
  readonly there: readonly Setting[];
  readonly planned: readonly Setting[];
}

const SCRIPT = /\.ipxe$/;

type File = Evidence['files'][number];

/**
 * The settings of these names that are not as generated in the files of the DHCP servers, as clues that prove it. One that is
 * missing counts where a machine cannot do without it.
 */
export function otherSettings({ files }: Evidence, names: ReadonlySet<string>, needed: ReadonlySet<string>): Clue[] {
  return files.flatMap((file) => {
    if (file.kind !== 'isc-dhcpd' && file.kind !== 'kea-dhcp4') return [];
    const { there, planned } = settingsIn(file);
    // A file that we cannot read has other troubles.
    if (there.length === 0) return [];
    const valuesOf = (list: readonly Setting[], { of, name, when }: Setting) => {
      const all = list.filter((each) => each.of === of && each.name === name);
      const own = all.filter((each) => each.when === when);
      // Who wrote a condition in other words may mean the same.
      return (own.length > 0 ? own : all).map(({ value }) => value);
    };
    const isThere = (each: Setting) => {
      const values = there.filter(({ of, name }) => of === each.of && name === each.name).map(({ value }) => value);
      // Firmware that nobody has may lack its program; without its script iPXE loads itself for ever.
      return SCRIPT.test(each.value) ? values.includes(each.value) : values.length > 0;
    };
    const wrong = there
      .filter((each) => names.has(each.name) && planned.some(({ of }) => of === each.of))
      .filter((each) => valuesOf(planned, each).length > 0 && !valuesOf(planned, each).includes(each.value))
      .map((each) => clue(file, each, `${each.name} ${each.value}; planned ${valuesOf(planned, each).join(', ')}`));
    const missing = planned
      .filter((each) => needed.has(each.name) && !isThere(each))
      .map((each) => clue(file, each, `no ${each.name}; planned ${each.value}`));
    return [...wrong, ...missing];
  });
}

function clue({ host, path }: File, { of, name }: Setting, said: string): Clue {
  const about = of === '' ? '' : `${of}: `;
  const symptom = `${path} on ${host}: ${about}${said}`;
  return { likelihood: 'certain', subject: of || host, symptom, command: `ssh ${host} grep -n ${name} ${path}` };
}

/** What was read already: more than one cause asks, and a large site has thousands of settings. */
const read = new WeakMap<File, Settings>();

function settingsIn(file: File): Settings {
  const { kind, text, planned } = file;
  const settings = read.get(file) ?? { there: settingsOf(kind, text), planned: settingsOf(kind, planned) };
  read.set(file, settings);
  return settings;
}

function settingsOf(kind: File['kind'], text: string): Setting[] {
  return kind === 'kea-dhcp4' ? within(keaFile(text), '', '') : ofDhcpd(text);
}

/** dhcpd.conf(5): statements end with `;`, what is in the block of a host is of that host, what is after `if` holds on a condition. */
function ofDhcpd(text: string): Setting[] {
  const blocks: string[] = [];
  const settings: Setting[] = [];
  let statement = '';
  // A quoted string may hold what else would end a statement.
  for (const [part] of text.replaceAll(/^((?:"[^"\n]*"|[^"#\n])*)#.*$/gm, '$1').matchAll(/"[^"\n]*"|[;{}]|[^;{}"]+/g)) {
    if (part === '{') blocks.push(statement.trim().replaceAll(/\s+/g, ' '));
    else if (part === '}') blocks.pop();
    else if (part !== ';') {
      statement += part;
      continue;
    } else settings.push(...settingIn(statement, blocks));
    statement = '';
  }
  return settings;
}

function settingIn(statement: string, blocks: readonly string[]): Setting[] {
  const found = /^(?:option\s+)?(hardware\s+ethernet|[a-z][\w-]*)\s+([\s\S]+)$/.exec(statement.trim());
  const [, name = '', value = ''] = found ?? [];
  if (name === '') return [];
  const of = blocks.flatMap((block) => /^host (\S+)$/.exec(block)?.[1] ?? []).at(-1) ?? '';
  const when = blocks.filter((block) => /^(?:if|elsif|else|class)\b/.test(block)).at(-1) ?? '';
  return [{ of, when: when.replace(/^(?:els)?if /, ''), name: name.replace(/\s+/, ' '), value: plain(value.trim()) }];
}

/** The strings of kea-dhcp4.conf by their names, an option by its own; what is in a reservation is of its machine, in a class of its test. */
function within(value: unknown, of: string, when: string): Setting[] {
  if (Array.isArray(value)) return value.flatMap((each) => within(each, of, when));
  if (typeof value !== 'object' || value === null) return [];
  const entries = Object.entries(value);
  const text = (name: string) => entries.find(([key, each]) => key === name && typeof each === 'string')?.[1];
  const option = text('name');
  if (typeof option === 'string' && text('data') !== undefined)
    return [{ of, when, name: option, value: plain(String(text('data'))) }];
  // By its address: the name may be what is wrong.
  const own = String(text('ip-address') ?? of);
  const test = String(text('test') ?? when);
  return entries.flatMap(([name, each]) =>
    typeof each === 'string' ? [{ of: own, when: test, name, value: plain(each) }] : within(each, own, test),
  );
}

function plain(value: string): string {
  return value
    .replaceAll('"', '')
    .replaceAll(/\s*,\s*/g, ', ')
    .toLowerCase();
}
