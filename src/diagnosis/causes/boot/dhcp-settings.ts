import type { Clue } from '../cause.ts';
import type { Evidence } from '../evidence.ts';

/** What a DHCP server is told to hand out: `of`: the machine, empty for all of a network. */
interface Setting {
  readonly of: string;
  readonly name: string;
  readonly value: string;
}

type File = Evidence['files'][number];

/**
 * The settings of these names that are not as generated in the files of the DHCP servers, as clues that prove it. One that is
 * missing counts where a machine cannot do without it.
 */
export function otherSettings({ files }: Evidence, names: ReadonlySet<string>, needed: ReadonlySet<string>): Clue[] {
  return files.flatMap((file) => {
    if (file.kind === 'haproxy') return [];
    const [there, planned] = [settingsOf(file.kind, file.text), settingsOf(file.kind, file.planned)];
    // A file that we cannot read has other troubles.
    if (there.length === 0) return [];
    const valuesOf = (list: readonly Setting[], { of, name }: Setting) =>
      list.filter((each) => each.of === of && each.name === name).map(({ value }) => value);
    const wrong = there
      .filter((each) => names.has(each.name) && planned.some(({ of }) => of === each.of))
      .filter((each) => valuesOf(planned, each).length > 0 && !valuesOf(planned, each).includes(each.value))
      .map((each) => clue(file, each, `${each.name} ${each.value}; planned ${valuesOf(planned, each).join(', ')}`));
    const missing = planned
      .filter((each) => needed.has(each.name) && valuesOf(there, each).length === 0)
      .map((each) => clue(file, each, `no ${each.name}; planned ${each.value}`));
    return [...wrong, ...missing];
  });
}

function clue({ host, path }: File, { of, name }: Setting, said: string): Clue {
  const about = of === '' ? '' : `${of}: `;
  const symptom = `${path} on ${host}: ${about}${said}`;
  return { likelihood: 'certain', subject: of || host, symptom, command: `ssh ${host} grep -n ${name} ${path}` };
}

function settingsOf(kind: File['kind'], text: string): Setting[] {
  return kind === 'kea-dhcp4' ? ofKea(text) : ofDhcpd(text);
}

/** dhcpd.conf(5): statements end with `;`, what is in the block of a host is of that host. */
function ofDhcpd(text: string): Setting[] {
  let of = '';
  return text.split('\n').flatMap((line) => {
    of = /^\s*host\s+(\S+)\s*\{/.exec(line)?.[1] ?? (/^\s*\}/.test(line) ? '' : of);
    const [, name = '', value = ''] = /^\s*(?:option\s+)?(hardware ethernet|[a-z][\w-]*)\s+(.+?)\s*;/.exec(line) ?? [];
    return name === '' ? [] : [{ of, name, value: plain(value) }];
  });
}

/** The strings of kea-dhcp4.conf by their names, an option by its own; what is in a reservation is of its machine. */
function ofKea(text: string): Setting[] {
  try {
    return within(JSON.parse(text), '');
  } catch {
    return [];
  }
}

function within(value: unknown, of: string): Setting[] {
  if (Array.isArray(value)) return value.flatMap((each) => within(each, of));
  if (typeof value !== 'object' || value === null) return [];
  const entries = Object.entries(value);
  const text = (name: string) => entries.find(([key, each]) => key === name && typeof each === 'string')?.[1];
  const option = text('name');
  if (typeof option === 'string' && text('data') !== undefined)
    return [{ of, name: option, value: plain(String(text('data'))) }];
  // By its address: the name may be what is wrong.
  const own = String(text('ip-address') ?? of);
  return entries.flatMap(([name, each]) =>
    typeof each === 'string' ? [{ of: own, name, value: plain(each) }] : within(each, own),
  );
}

function plain(value: string): string {
  return value
    .replaceAll('"', '')
    .replaceAll(/\s*,\s*/g, ', ')
    .toLowerCase();
}
